import { type Config, diffConfig } from '@wayleave/gateway'
import { describe, expect, it } from 'vitest'

const base = {
  listen: { rpc: '127.0.0.1:8545' },
  networks: {
    mainnet: {
      kind: 'evm',
      chainId: 1,
      upstreams: [
        { name: 'a', url: 'https://a.example/secret-a' },
        { name: 'b', url: 'https://b.example/secret-b' },
      ],
    },
    'base-sepolia': { kind: 'evm', chainId: 84_532, upstreams: ['https://c.example/secret-c'] },
  },
  projects: [
    { name: 'shop', keys: [{ key: 'secret-key-of-the-shop-1' }] },
    { name: 'bank', id: 'bank-1', keys: [{ key: 'secret-key-of-the-bank-1', secret: 'secret-of-the-key' }] },
  ],
} satisfies Config

const [mainnet, sepolia] = [base.networks.mainnet, base.networks['base-sepolia']]

describe('diffConfig', () => {
  it('tells no difference of a copy, of defaults that are written down, and of the order of projects', () => {
    const { changes } = diffConfig(structuredClone(base), {
      ...base,
      defaultNetwork: undefined as never,
      listen: { admin: '127.0.0.1:8546' },
      networks: {
        mainnet,
        'base-sepolia': { ...sepolia, upstreams: [{ url: 'https://c.example/secret-c', name: 'upstream-1' }] },
      },
      limits: {},
    })
    expect(changes).toEqual([])
  })

  it('tells networks, upstreams and projects that come, go and change, by name and place', () => {
    const diff = diffConfig(base, {
      ...base,
      networks: {
        mainnet: {
          ...mainnet,
          upstreams: [
            { name: 'b', url: 'https://b.example/secret-new', weight: 2 },
            { name: 'c', url: 'https://d.example' },
          ],
        },
        main: mainnet,
      },
      projects: [
        { ...base.projects[1]!, name: 'new name', keys: [{ key: 'another-secret-key-of-bank' }] },
        { name: 'zoo', keys: [] },
      ],
      methods: { deny: ['debug_*'] },
      limits: { maxBatch: 5 },
      onlyLocal: true,
    })
    expect(diff.changes.map(({ kind, text }) => `${kind}: ${text}`)).toEqual([
      'removed: networks.mainnet.upstreams[0] is removed ("a")',
      'changed: networks.mainnet.upstreams[0].url changes',
      'added: networks.mainnet.upstreams[0].weight is set to 2',
      'added: networks.mainnet.upstreams[1] is added ("c")',
      'removed: networks["base-sepolia"] is removed',
      'added: networks.main is added',
      'removed: projects[0] is removed ("shop")',
      'changed: projects[0].name changes',
      'removed: projects[0].keys[0] is removed',
      'added: projects[0].keys[0] is added',
      'added: projects[1] is added ("zoo")',
      'added: methods.deny is added',
      'added: limits.maxBatch is set to 5',
      'added: onlyLocal is set to true',
    ])
    expect(diff.networks).toEqual({ added: ['main'], removed: ['base-sepolia'], changed: ['mainnet'] })
    expect(diff.projects).toEqual({ added: ['zoo'], removed: ['shop'], changed: ['bank-1'] })
    expect(diff.needsRestart).toEqual([])
    expect(JSON.stringify(diff)).not.toContain('secret')
  })

  it('tells an order that changes, as it decides between equals', () => {
    const { changes } = diffConfig(base, {
      ...base,
      networks: { 'base-sepolia': sepolia, mainnet: { ...mainnet, upstreams: mainnet.upstreams.toReversed() } },
    })
    expect(changes.map(({ text }) => text)).toEqual([
      'networks.mainnet.upstreams stands in another order',
      'networks stands in another order',
    ])
  })

  it('tells networks that stand in another order, and are the same', () => {
    const { changes, networks } = diffConfig(base, { ...base, networks: { 'base-sepolia': sepolia, mainnet } })
    expect(changes.map(({ text }) => text)).toEqual(['networks stands in another order'])
    expect(networks.changed).toEqual([])
  })

  it('tells a policy as another one unless it is the very same function', () => {
    const [one, other] = [(): readonly string[] => [], (): readonly string[] => []] as never[]
    const withPolicy = (policy: never): Config => ({ ...base, networks: { mainnet: { ...mainnet, policy } } })
    expect(diffConfig(withPolicy(one!), withPolicy(one!)).networks.changed).toEqual([])
    expect(diffConfig(withPolicy(one!), withPolicy(other!)).networks.changed).toEqual(['mainnet'])
  })

  it.each<readonly [string, Partial<Config>]>([
    ['listen.rpc', { listen: { rpc: '127.0.0.1:1' } }],
    ['listen.tls', { listen: { tls: { cert: 'secret.pem', key: 'secret.pem' } } }],
    ['dataDir', { dataDir: 'secret' }],
    ['store.postgres', { store: { postgres: 'postgres://user:secret@host/db' } }],
    ['redis', { redis: 'redis://user:secret@host' }],
    ['replicas', { replicas: 2 }],
    ['ipfs.backend', { ipfs: { backend: 'local' } }],
    ['usage.spool', { usage: { spool: 'secret' } }],
  ])('names %s as something that only a restart changes', (path, part) => {
    for (const { needsRestart, changes } of [
      diffConfig(base, { ...base, ...part }),
      diffConfig({ ...base, ...part }, base),
    ]) {
      expect(needsRestart.map((change) => change.path)).toEqual([path])
      expect(JSON.stringify(changes)).not.toContain('secret')
    }
  })

  it('tells headers, secrets and rules of callers as a whole', () => {
    const upstream = { url: 'https://c.example', headers: { 'secret-name': 'secret' } }
    const { changes } = diffConfig(base, {
      ...base,
      networks: { ...base.networks, 'base-sepolia': { ...sepolia, upstreams: [upstream] } },
      projects: [
        { ...base.projects[0]!, rules: { userAgents: ['secret'] }, jwt: { keys: [{ id: 'secret', pem: 'secret' }] } },
        { ...base.projects[1]!, keys: [{ ...base.projects[1]!.keys[0]!, secret: 'another-secret' }] },
      ],
    })
    expect(changes.map(({ text }) => text)).toEqual([
      'networks["base-sepolia"].upstreams[0].url changes',
      'networks["base-sepolia"].upstreams[0].headers is added',
      'projects[0].rules is added',
      'projects[0].jwt is added',
      'projects[1].keys[0].secret changes',
    ])
  })
})
