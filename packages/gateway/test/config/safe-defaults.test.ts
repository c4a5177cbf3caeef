import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createLog, startGateway } from '../../src/index.ts'
import { configIssues } from '../../src/config/check.ts'
import type { Config } from '../../src/config/config.ts'
import { defaultDeny, deniedMethods } from '../../src/config/denied-methods.ts'
import { inspectConfig } from '../../src/config/load.ts'

const networks = { mainnet: { kind: 'evm', chainId: 1, upstreams: ['ws://node'] } }
const project = (settings: object) => ({ projects: [{ name: 'p', keys: [], ...settings }] })
const keyed = (settings: object) => project({ keys: [{ key: 'a-key-that-is-long-enough', ...settings }] })
const rule = (list: string, value: unknown) => project({ rules: { [list]: value } })
const upstream = (settings: object) => ({
  networks: { mainnet: { ...networks.mainnet, upstreams: [{ url: 'ws://node', ...settings }] } },
})
const network = (settings: object) => ({ networks: { mainnet: { ...networks.mainnet, ...settings } } })
const planned = (methods: object) => ({ plans: { free: { methods } } })
const token = (settings: object) => ({
  admin: { tokens: [{ name: 't', tokenHash: `sha256:${'ab'.repeat(32)}`, scopes: ['read'], ...settings }] },
})

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'wayleave-defaults-'))
})
afterAll(() => rm(folder, { recursive: true }))

async function written(config: object): Promise<string> {
  const file = join(folder, 'c.json')
  await writeFile(file, JSON.stringify({ networks, ...config }))
  return file
}

/** The paths that are refused, or that are told of as warnings; `config check`, `doctor` and `serve` print both. */
async function told(config: object): Promise<readonly string[]> {
  const { problems, warnings } = await inspectConfig(await written(config), { EMPTY: '', BLANK: ' \t' })
  return [...problems, ...warnings].map(({ path }) => path)
}

/** Each setting that protects something: its place, a typing error of it, and the value of a template that renders nothing. */
const settings: readonly (readonly [string, object, object])[] = [
  ['methods.deny', { methods: { deny: ['debug'] } }, { methods: { deny: [] } }],
  ['methods.deny', { methods: { deny: ['trcae_*'] } }, { methods: { deny: null } }],
  ['methods.deny', { methods: { deny: ['debug_setHaed'] } }, { methods: { deny: [''] } }],
  ['methods.denyByDefault', { methods: { denyByDefault: 'no' } }, { methods: { denyByDefault: '${EMPTY}' } }],
  ['methods', { methods: { denied: ['debug_*'] } }, { methods: null }],
  [
    'networks.mainnet.upstreams[0].methods.deny',
    upstream({ methods: { deny: ['debug'] } }),
    upstream({ methods: { deny: [] } }),
  ],
  [
    'networks.mainnet.upstreams[0].methods.allow',
    upstream({ methods: { allow: ['eth'] } }),
    upstream({ methods: { allow: [] } }),
  ],
  ['networks.mainnet.upstreams[0].verify', upstream({ verify: 'provn' }), upstream({ verify: '${EMPTY}' })],
  [
    'networks.mainnet.upstreams[0].budget.perSecond',
    upstream({ budget: { perSecond: 0 } }),
    upstream({ budget: { perSecond: null } }),
  ],
  ['projects[0].rules.methods', rule('methods', ['eth_*']), rule('methods', [])],
  ['projects[0].rules.addresses', rule('addresses', ['0xzz']), rule('addresses', [])],
  ['projects[0].rules.origins', rule('origins', ['https://*.com']), rule('origins', [])],
  ['projects[0].rules.origins', rule('origins', ['*']), rule('origins', ['${EMPTY}'])],
  ['projects[0].rules.userAgents', rule('userAgents', 'MyWallet/'), rule('userAgents', [])],
  ['projects[0].rules.sources', rule('sources', ['10.0.0.0/33']), rule('sources', [])],
  ['projects[0].rules', project({ rules: { source: ['10.0.0.0/8'] } }), project({ rules: {} })],
  ['projects[0].requireSecret', project({ requireSecret: 'yes' }), project({ requireSecret: null })],
  ['projects[0].requireJwt', project({ requireJWT: true }), project({ requireJwt: null })],
  ['projects[0].jwt.keys', project({ jwt: { keys: ['pem'] } }), project({ jwt: { keys: [] } })],
  ['projects[0].jwt.audience', project({ jwt: { audience: 7 } }), project({ jwt: { audience: '${EMPTY}' } })],
  [
    'projects[0].secretBypassesRules',
    project({ secretBypassesRules: 'false' }),
    project({ secretBypassesRules: '${EMPTY}' }),
  ],
  ['projects[0].networks', project({ networks: ['mainet'] }), project({ networks: null })],
  ['projects[0].upstreams', project({ upstreams: ['payed'] }), project({ upstreams: [] })],
  ['projects[0].plan', project({ plan: 'fre' }), project({ plan: '${EMPTY}' })],
  ['projects[0].ipfs.storedBytes', project({ ipfs: { storedBytes: '1GB' } }), project({ ipfs: { storedBytes: null } })],
  ['projects[0].keys[0].key', keyed({ key: 'short' }), keyed({ key: '${EMPTY}' })],
  ['projects[0].keys[0].secret', keyed({ secret: 7 }), keyed({ secret: '${BLANK}' })],
  ['projects[0].keys[0].secrets', keyed({ secrets: [{ secrt: 'x' }] }), keyed({ secrets: [] })],
  ['projects[0].keys[0].expiresAt', keyed({ expiresAt: '31.1.2027' }), keyed({ expiresAt: '${EMPTY}' })],
  ['projects[0].keys[0].disabled', keyed({ disabled: 'true' }), keyed({ disabled: null })],
  ['projects[0].keys[0].plan', keyed({ plan: 'fre' }), keyed({ plan: '' })],
  ['plans.free', { plans: { free: { perSeconds: {} } } }, { plans: { free: {} } }],
  ['plans.free.perSecond', { plans: { free: { perSecond: 5 } } }, { plans: { free: { perSecond: {} } } }],
  [
    'plans.free.methods',
    { plans: { free: { methods: { debug: { perSecond: { credits: 1 } } } } } },
    { plans: { free: { methods: null } } },
  ],
  ['prices.evm', { prices: { evm: { '*': 0 } } }, { prices: { evm: null } }],
  ['admin.token', { admin: { token: 'short' } }, { admin: { token: '${EMPTY}' } }],
  ['admin.token', { admin: { token: 'with a space in its middle' } }, { admin: { token: '${BLANK}' } }],
  ['admin.tokens[0].scopes', token({ scopes: ['red'] }), token({ scopes: null })],
  ['admin.tokens[0].expiresAt', token({ expiresAt: 'soon' }), token({ expiresAt: '' })],
  ['admin.hosts', { admin: { hosts: ['*'] } }, { admin: { hosts: [''] } }],
  ['listen.rpc', { listen: { rpc: ':8545' } }, { listen: { rpc: '${EMPTY}' } }],
  ['listen.admin', { listen: { admin: '8546' } }, { listen: { admin: '${EMPTY}:8546' } }],
  ['listen.ipfs', { listen: { ipfs: '*:5001' } }, { listen: { ipfs: '' } }],
  ['listen.tls', { listen: { tls: { cert: 'c' } } }, { listen: { tls: {} } }],
  ['listen.tls.key', { listen: { tls: { cert: 'c', key: 7 } } }, { listen: { tls: { cert: 'c', key: '${EMPTY}' } } }],
  ['trustedProxies', { trustedProxies: ['0.0.0.0/0'] }, { trustedProxies: [''] }],
  ['onlyLocal', { onlyLocal: 'true' }, { onlyLocal: null }],
  ['limits.maxInFlight', { limits: { maxInFlight: 0 } }, { limits: { maxInFlight: null } }],
  ['limits.maxBodyBytes', { limits: { maxBodyBytes: '5MB' } }, { limits: { maxBodyBytes: '${EMPTY}' } }],
  ['webhook.secret', { webhook: { url: 'https://h', secret: 'short' } }, { webhook: { url: 'https://h', secret: '' } }],
]

describe('a setting that protects something', () => {
  it.each(settings)(
    '%s is told of with a typing error, and where a template renders nothing',
    async (path, typo, empty) => {
      const root = path.replace(/\.[^.]*$/, '')
      const isNear = (place: string): boolean =>
        place.startsWith(path) || place.startsWith(root) || path.startsWith(`${place}.`)
      expect((await told(typo)).filter(isNear)).not.toEqual([])
      expect((await told(empty)).filter(isNear)).not.toEqual([])
    },
  )

  it.each<[string, object]>([
    [
      'no project and nobody in lists that let in',
      { projects: [], trustedProxies: [], bareHosts: [], admin: { hosts: [], tokens: [] } },
    ],
    ['no network of a project', project({ networks: [] })],
    ['methods of other nodes', { methods: { deny: ['foo_bar', 'erigon_*', 'ots_getBlockDetails'] } }],
    [
      'a method in any case where any case counts',
      {
        ...upstream({ methods: { allow: ['ETH_*', 'NET_version'] }, budget: { prices: { eth_getlogs: 5, '*': 1 } } }),
        ...planned({ eth_getlogs: { perDay: { credits: 0 } } }),
      },
    ],
    [
      'every word of the defaults',
      { methods: { deny: [...defaultDeny, 'debug_*', 'DEBUG_traceCall'], denyByDefault: false } },
    ],
    [
      'a star below a name of its own',
      rule('origins', ['https://*.example.com', 'http://*.localhost:3000', 'https://']),
    ],
  ])('is not told of without a fault: %s', async (_what, config) => {
    expect(await told(config)).toEqual([])
  })
})

describe('an admin listener', () => {
  const random = 'Zk3vQ8mXw2Lr7TnB5yHc'
  const pathsOf = (admin: string, given: object = {}) =>
    configIssues({ networks, listen: { admin }, ...given }).map(({ path }) => path.join('.'))

  it.each(['0.0.0.0:8546', '[::]:8546', '192.168.1.5:8546', '0:8546', 'gateway.internal:8546', '[::ffff:7f00:1]:8546'])(
    'at %s needs a token, as others than this machine reach it',
    (address) => {
      expect(pathsOf(address)).toEqual(['admin.token'])
      expect(pathsOf(address, { admin: { hosts: ['a'], tokens: [] } })).toEqual(['admin.token'])
      expect(pathsOf(address, { admin: { token: random } })).toEqual([])
      expect(pathsOf(address, token({ scopes: ['read'] }))).toEqual([])
    },
  )

  it.each(['127.0.0.1:8546', '127.8.9.1:0', 'localhost:8546', '[::1]:8546', '[0:0:0:0:0:0:0:1]:8546'])(
    'at %s needs none',
    (address) => {
      expect(pathsOf(address)).toEqual([])
    },
  )

  it('without the token that it needs is refused at the start and by a reload, also where nobody checked the configuration', async () => {
    const local = { rpc: '127.0.0.1:0', admin: '0.0.0.0:0' }
    const config = { networks, listen: local } as unknown as Config
    const log = createLog({ level: 'silent' })
    await expect(startGateway(config, { log })).rejects.toThrow(/^admin\.token: expected a token, as whoever reaches/)
    await using gateway = await startGateway({ ...config, admin: { token: random } }, { log })
    const { applied, problems } = await gateway.reload(config)
    expect({ applied, paths: problems.map(({ path }) => path) }).toEqual({ applied: false, paths: ['admin.token'] })
  })
})

describe('methods.deny', () => {
  const denied = (methods?: Config['methods']) => deniedMethods({ ...(methods && { methods }) })

  it('adds to the methods that are denied by default', () => {
    expect(denied()).toEqual(defaultDeny)
    expect(denied({})).toEqual(defaultDeny)
    expect(denied({ deny: ['trace_*'] })).toEqual([...defaultDeny, 'trace_*'])
  })

  it('stands alone only where denyByDefault is false', () => {
    expect(denied({ deny: ['trace_*'], denyByDefault: false })).toEqual(['trace_*'])
    expect(denied({ denyByDefault: false })).toEqual([])
  })

  it('refuses a namespace without its star, and tells the entry that was meant', async () => {
    const file = join(folder, 'e.json')
    await writeFile(file, JSON.stringify({ networks, methods: { deny: ['debug'] } }))
    const { problems } = await inspectConfig(file, {})
    expect(problems.map(({ hint }) => hint)).toEqual(['did you mean "debug_*"?'])
  })

  it.each<[string, object, string]>([
    ['methods.deny[0]', { methods: { deny: ['trcae_*'] } }, 'trace_*'],
    [
      'networks.mainnet.upstreams[0].methods.allow[0]',
      upstream({ methods: { allow: ['eth_cal', 'eth_*'] } }),
      'eth_call',
    ],
    ['networks.mainnet.upstreams[0].methods.deny[0]', upstream({ methods: { deny: ['ETH_CAL'] } }), 'eth_call'],
    [
      'networks.mainnet.upstreams[0].budget.prices.eth_getLog',
      upstream({ budget: { prices: { eth_getLog: 5 } } }),
      'eth_getLogs',
    ],
    [
      'networks.mainnet.timeouts.byMethod.debug_traceBlok',
      network({ timeouts: { byMethod: { debug_traceBlok: '9s' } } }),
      'debug_traceBlock',
    ],
    ['projects[0].timeouts.byMethod["deubg_*"]', project({ timeouts: { byMethod: { 'deubg_*': '9s' } } }), 'debug_*'],
    ['projects[0].rules.methods[0]', rule('methods', ['eth_getlogs']), 'eth_getLogs'],
    ['plans.free.methods.eth_getLosg', planned({ eth_getLosg: { perDay: { credits: 0 } } }), 'eth_getLogs'],
    ['prices.evm.eth_getlogs', { prices: { evm: { eth_getlogs: 0 } } }, 'eth_getLogs'],
    ['prices.evm["DEBUG_*"]', { prices: { evm: { 'DEBUG_*': 9 } } }, 'debug_*'],
    ['prices.rollup.rollup_getinfo', { prices: { rollup: { rollup_getinfo: 9 } } }, 'rollup_getInfo'],
    ['prices.starknet.eth_cal', { prices: { starknet: { eth_cal: 9 } } }, 'eth_call'],
    ['prices.gas.suggestedgasFees', { prices: { gas: { suggestedgasFees: 9 } } }, 'suggestedGasFees'],
    ['prices.events.newheads', { prices: { events: { newheads: 9 } } }, 'newHeads'],
  ])('a name in %s that is nearly a known one is told with the one that was meant', async (path, config, meant) => {
    const { problems, warnings } = await inspectConfig(await written(config), {})
    expect(problems).toEqual([])
    const named = warnings.filter(({ hint }) => hint !== undefined)
    expect(named.map(({ path: at, hint }) => [at, hint])).toEqual([[path, `did you mean "${meant}"?`]])
  })

  it('tells the known method that was meant', async () => {
    const file = join(folder, 'd.json')
    await writeFile(file, JSON.stringify({ networks, methods: { deny: ['trcae_*', 'debug_setHaed'] } }))
    const { warnings } = await inspectConfig(file, {})
    expect(warnings.map(({ hint }) => hint)).toEqual(['did you mean "trace_*"?', 'did you mean "debug_setHead"?'])
  })
})
