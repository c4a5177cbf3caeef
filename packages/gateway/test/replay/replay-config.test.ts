import { hash } from 'node:crypto'
import type { Config } from '@wayleave/gateway'
import type { ReplayRecord } from '@wayleave/admin-api'
import { expect, it } from 'vitest'
// @boundaries-ignore The schema of the answer is no part of the package's interface.
import { replay as schema } from '../../../admin-api/src/model/replay.ts'
import { replayConfig } from '../../src/replay/replay-config.ts'
import type { RecordedCall } from '../../src/trace/recorded-call.ts'
import { key, closedKey } from '../support.ts'

const sha256 = (text: string): string => hash('sha256', text, 'hex')
const idOf = (text: string): string => sha256(text).slice(0, 8)
const date = 1_800_000_000_000

const present: Config = {
  networks: {
    mainnet: {
      kind: 'evm',
      chainId: 1,
      upstreams: [
        { name: 'own', url: 'https://own.example/S3CR3T' },
        { name: 'paid', url: 'https://paid.example/S3CR3T', tier: 'fallback', budget: { prices: { '*': 20 } } },
      ],
    },
    base: { kind: 'evm', chainId: 8453, upstreams: ['https://base.example/S3CR3T'] },
  },
  projects: [
    { name: 'shop', keys: [{ key }, { key: closedKey }] },
    { name: 'bank', keys: [{ key: '00112233445566778899aabbccddee00' }] },
  ],
}

function call(more: Partial<RecordedCall> = {}, i = 0): RecordedCall {
  return {
    at: date - 60_000 + 50 * i,
    network: 'mainnet',
    method: 'eth_call',
    project: 'shop',
    keyId: idOf(key),
    outcome: 'answered',
    upstream: 'own',
    ms: 20,
    failed: [],
    ...more,
  }
}

const calls = (count: number, more?: Partial<RecordedCall>): readonly RecordedCall[] =>
  Array.from({ length: count }, (_, i) => call(more, i))

const replay = (changed: Config, of: readonly RecordedCall[], before: Config = present): Promise<ReplayRecord> =>
  replayConfig({ calls: of, present: before, changed, sha256, date, now: () => 0, giveWay: async () => {} })

const withMainnet = (change: Partial<Config['networks'][string]>): Config =>
  ({ ...present, networks: { ...present.networks, mainnet: { ...present.networks['mainnet']!, ...change } } }) as Config

it('tells both sides alike where nothing changes', async () => {
  const { networks, changes, refused, ...rest } = await replay(present, calls(200))
  expect({ changes, refused }).toEqual({ changes: [], refused: [] })
  expect(rest).toEqual({
    calls: 200,
    from: date - 60_000,
    to: date - 60_000 + 50 * 199,
    needsRestart: [],
    problems: [],
  })
  expect(networks).toHaveLength(1)
  expect(networks[0]!.changed).toEqual(networks[0]!.present)
  expect(networks[0]!.present).toMatchObject({
    calls: 200,
    failed: 0,
    p50Ms: 20,
    upstreams: [
      { name: 'own', asked: 200 },
      { name: 'paid', asked: 0 },
    ],
  })
})

it('tells where calls would go, what they would cost, and no secret', async () => {
  const changed = withMainnet({ policy: (eligible) => eligible.filter(({ endpoint }) => endpoint.name === 'paid') })
  const report = await replay(changed, calls(200))
  expect(report.networks[0]!.changed!.upstreams).toEqual([
    { name: 'own', asked: 0, units: undefined },
    { name: 'paid', asked: 200, units: 4_000 },
  ])
  expect(report.changes.join('\n')).toContain('networks.mainnet.policy')
  expect(JSON.stringify(report)).not.toContain('S3CR3T')
})

it('tells faults of a policy, in one short line', async () => {
  const changed = withMainnet({
    policy() {
      throw new Error(`broken\n${'x'.repeat(1_000)}`)
    },
  })
  const { policyFaults, thrown, failed } = (await replay(changed, calls(50))).networks[0]!.changed!
  expect({ policyFaults, failed }).toEqual({ policyFaults: 50, failed: 0 })
  expect(thrown).toMatch(/^Error: broken x{50,}$/)
  expect(thrown!.length).toBeLessThanOrEqual(200)
})

it('has the cache answer what it answered, and leaves out what was refused', async () => {
  const of = [
    ...calls(10),
    ...calls(30, { upstream: undefined }),
    ...calls(5, { outcome: 'refused', upstream: undefined }),
  ]
  const { calls: all, networks } = await replay(present, of)
  expect(all).toBe(45)
  expect(networks[0]!.present!.calls).toBe(10)
})

it('names the calls that would be refused, the most frequent first', async () => {
  const of = [
    ...calls(40, { network: 'base', upstream: 'upstream-1' }),
    ...calls(30, { method: 'debug_traceCall' }),
    ...calls(20, { keyId: idOf(closedKey) }),
    ...calls(10, { project: 'bank', keyId: idOf('00112233445566778899aabbccddee00') }),
    ...calls(5, { project: 'of-the-store', keyId: 'k1' }),
    ...calls(3),
  ]
  const changed: Config = {
    ...present,
    networks: { mainnet: present.networks['mainnet']! },
    projects: [{ name: 'shop', keys: [{ key }], rules: { methods: ['eth_call'] } }],
  }
  const { refused, networks } = await replay(changed, of)
  expect(refused).toEqual([
    { reason: 'network', what: 'base', calls: 40 },
    { reason: 'method', what: 'debug_traceCall', calls: 30 },
    { reason: 'key', what: 'shop', calls: 20 },
    { reason: 'project', what: 'bank', calls: 10 },
  ])
  expect(networks.find(({ name }) => name === 'mainnet')).toMatchObject({
    present: { calls: 68 },
    changed: { calls: 8 },
  })
  expect(networks.find(({ name }) => name === 'base')).toMatchObject({ present: { calls: 40 }, changed: undefined })
})

it.each<[string, Partial<Config>, object]>([
  ['a method denied for all', { methods: { deny: ['eth_c*'] } }, { reason: 'method', what: 'eth_call' }],
  [
    'a network taken from a project',
    { projects: [{ name: 'shop', keys: [{ key }], networks: ['base'] }] },
    { reason: 'project_network', what: 'shop' },
  ],
  [
    'a key that is disabled',
    { projects: [{ name: 'shop', keys: [{ key, disabled: true }] }] },
    { reason: 'key', what: 'shop' },
  ],
  [
    'a key that has expired',
    { projects: [{ name: 'shop', keys: [{ key, expiresAt: '2020-01-01T00:00:00Z' }] }] },
    { reason: 'key', what: 'shop' },
  ],
])('counts %s', async (_, change, expected) => {
  expect((await replay({ ...present, ...change } as Config, calls(4))).refused).toEqual([{ ...expected, calls: 4 }])
})

it('does not judge methods where a secret, which is not recorded, bypasses the rules', async () => {
  const shop = { name: 'shop', keys: [{ key }], rules: { methods: ['eth_chainId'] }, secretBypassesRules: true }
  expect((await replay({ ...present, projects: [shop] }, calls(4))).refused).toEqual([])
})

it('names what only a restart can change', async () => {
  const { needsRestart } = await replay({ ...present, listen: { rpc: '127.0.0.1:1' } }, [])
  expect(needsRestart).toEqual(['listen.rpc'])
})

it('asks upstreams of the groups of a project alone', async () => {
  const upstreams = [
    { name: 'own', url: 'https://own.example', groups: ['a'] },
    { name: 'paid', url: 'https://paid.example', groups: ['b'] },
  ]
  const changed: Config = {
    ...withMainnet({ upstreams }),
    projects: [{ name: 'shop', keys: [{ key }], upstreams: ['b'] }],
  }
  const { networks } = await replay(changed, calls(20))
  expect(networks[0]!.changed!.upstreams.map(({ asked }) => asked)).toEqual([0, 20])
})

it('an answer holds to its schema, whatever names and words there are', async () => {
  const upstreams = [{ name: 'toString', url: 'https://own.example', budget: {} }]
  const changed: Config = {
    ...withMainnet({
      upstreams,
      policy() {
        throw new Error(`${'x'.repeat(192)}\u{1f600}`)
      },
    }),
    methods: { deny: ['debug_*'] },
  }
  const of = [...calls(3), ...calls(2, { method: 'a\u0000\ud800b' }), call({ method: '' })]
  const open: Config = { ...present, methods: { denyByDefault: false } }
  const report = await replay(changed, of, open)
  expect(report.networks[0]!.changed).toMatchObject({ upstreams: [{ name: 'toString', asked: 4, units: 4 }] })
  expect(report.refused.map(({ what }) => what)).toEqual(['a \ufffdb'])
  expect(schema.check(report, '')).toBeUndefined()
})

it.each([
  Object.assign(new Error('x'), { message: Symbol('x') }),
  Object.defineProperty(new Error('x'), 'name', {
    get() {
      throw new Error('no name')
    },
  }),
])('a policy that throws what cannot be read fails no call', async (odd) => {
  const changed = withMainnet({
    policy() {
      throw odd
    },
  })
  const { failed, policyFaults } = (await replay(changed, calls(5))).networks[0]!.changed!
  expect({ failed, policyFaults }).toEqual({ failed: 0, policyFaults: 5 })
})

it('leaves out calls of a network that is in neither configuration', async () => {
  expect(await replay(present, calls(5, { network: 'older' }))).toMatchObject({ refused: [], networks: [] })
})
