import { readFile } from 'node:fs/promises'
import { Ajv } from 'ajv'
import { describe, expect, it } from 'vitest'
import { configIssues } from '../../src/config/check.ts'
import { editorSchema } from './print-config.ts'

const shipped = new URL('../../config.schema.json', import.meta.url)
const validate = new Ajv({ allErrors: true }).compile(JSON.parse(editorSchema()))

const evm = { kind: 'evm', chainId: 1, upstreams: ['https://a.example'] }
const main = { networks: { main: evm } }
const hash = `sha256:${'ab'.repeat(32)}`
const project = (members: object): object => ({ ...main, projects: [{ name: 'demo', keys: [], ...members }] })
const upstream = (members: object): object => ({
  networks: { main: { ...evm, upstreams: [{ url: 'https://a.example', ...members }] } },
})

const right: readonly object[] = [
  main,
  {
    networks: {
      a: evm,
      'b-2': { kind: 'rollup', chainId: 10, upstreams: ['wss://b.example'], rollupNode: 'http://c' },
    },
  },
  { networks: { sn: { kind: 'starknet', chainId: 'SN_MAIN', upstreams: ['https://a.example'], specVersion: '0.8' } } },
  { networks: { main: { kind: 'evm', upstreams: ['https://a.example'] } } },
  { networks: { main: { ...evm, upstreams: ['${NODE_URL}'] } }, defaultNetwork: '${DEFAULT}' },
  { networks: { main: { ...evm, upstreams: ['https://a.example/${file:key}'] } } },
  upstream({ ws: 'wss://a.example', name: 'a', headers: { 'x-key': 'b' }, tier: 'primary', weight: 0.5, price: 0 }),
  upstream({
    methods: { allow: ['eth_*'], deny: ['debug_*'] },
    budget: { perSecond: 1.5, prices: { '*': 2 } },
    groups: ['x'],
  }),
  {
    networks: { main: { ...evm, gas: false, cache: false, timeouts: { default: '10s', byMethod: { 'debug_*': 5 } } } },
  },
  { networks: { main: { ...evm, gas: true } } },
  { networks: { main: { ...evm, gas: { strategy: 'metamask' }, verify: 'consistent', broadcast: 1 } } },
  project({ keys: [{ key: 'an-example-key-of-16' }, { keyHash: hash, secrets: [{ secretHash: hash }] }] }),
  project({ rules: { methods: ['eth_call'], origins: ['https://a.example'] }, directives: { marks: 'none' } }),
  {
    ...main,
    plans: { free: { perDay: { credits: 5, action: 'warn' }, methods: { 'eth_*': { perSecond: { credits: 1 } } } } },
  },
  { ...main, store: 'memory' },
  { ...main, store: { sqlite: 'a.sqlite' }, dataDir: 'b' },
  { ...main, store: { postgres: 'postgres://u:p@h/d' }, redis: ['redis://a', 'rediss://b'] },
  { ...main, store: { sqlite: 'a' }, ipfs: { backend: 'kubo', url: 'http://kubo:5001' } },
  { ...main, listen: { rpc: '0.0.0.0:8645', tls: { cert: 'a', key: 'b' } }, admin: { token: 'a'.repeat(16) } },
  { ...main, cache: { maxBytes: 1_048_576 }, limits: { maxBatch: 5 }, trustedProxies: ['10.0.0.0/8'] },
]

const wrong: readonly object[] = [
  {},
  { netwroks: {} },
  { networks: { main: { ...evm, chainId: '1' } } },
  { networks: { main: { ...evm, chainID: 1 } } },
  { networks: { main: { ...evm, kind: 'bitcoin' } } },
  { networks: { Main: evm } },
  { networks: { ws: evm } },
  { networks: { main: { ...evm, upstreams: [] } } },
  { networks: { main: { ...evm, upstreams: 'https://a.example' } } },
  { networks: { main: { ...evm, upstreams: ['localhost:8545'] } } },
  { networks: { main: { ...evm, policy: 'fast' } } },
  { networks: { main: { ...evm, timeouts: { default: '10 seconds' } } } },
  { networks: { sn: { kind: 'starknet', chainId: 'SN_MAIN', upstreams: ['https://a.example'], gas: false } } },
  upstream({ weight: 0 }),
  upstream({ ws: 'http://a.example' }),
  upstream({ tier: 'second' }),
  project({ name: 'a b' }),
  project({ keys: [{ key: 'a b' }] }),
  project({ keys: [{ keyHash: 'sha256:12' }] }),
  project({ rules: { method: ['eth_call'] } }),
  project({ requireSecret: 'yes' }),
  { ...main, store: 'redis' },
  { ...main, listen: { rpc: 8545 } },
  { ...main, limits: { maxBatch: 0 } },
  { ...main, plans: { free: { perHour: { credits: 5 } } } },
  { ...main, cache: true },
]

describe('the JSON Schema for editors', () => {
  it('is the one that is shipped; vitest -u writes it', async () => {
    await expect(editorSchema()).toMatchFileSnapshot('../../config.schema.json')
    expect(JSON.parse(await readFile(shipped, 'utf8'))).toMatchObject({ type: 'object', required: ['networks'] })
  })

  it.each(right)('takes %j, as the gateway does, but for variables', (config) => {
    expect(configIssues(config).filter(({ received }) => !received.includes('${'))).toEqual(
      JSON.stringify(config).includes('${') ? expect.anything() : [],
    )
    expect(validate(config), JSON.stringify(validate.errors)).toBe(true)
  })

  it.each(wrong)('refuses %j, as the gateway does', (config) => {
    expect(configIssues(config)).not.toEqual([])
    expect(validate(config)).toBe(false)
  })

  it('describes every member, in sentences of its source', () => {
    const bare: string[] = []
    const walk = (node: unknown, path: string): void => {
      if (typeof node !== 'object' || node === null) return
      for (const [name, inner] of Object.entries(node)) {
        if (name === 'properties') {
          for (const [member, schema] of Object.entries(inner as Record<string, { description?: string }>)) {
            if (!schema.description) bare.push(`${path}.${member}`)
          }
        }
        walk(inner, `${path}.${name}`)
      }
    }
    const schema = JSON.parse(editorSchema())
    walk(schema, '')
    expect(bare).toEqual([])
    expect(schema.properties.defaultNetwork.description).toBe(
      'The network of a bare host. Default: the only network, if there is just one.',
    )
    expect(schema.properties.listen.properties.tls.properties.minVersion.description).toContain('Default `TLSv1.2`')
  })
})
