import {
  type Clock,
  rawJsonFromText,
  rawJsonFromValue,
  RpcError,
  type RpcHandler,
  systemClock,
} from '@wayleave/jsonrpc-core'
import { FakeClock } from '@wayleave/jsonrpc-core/testing'
import {
  createCandidate,
  createChainView,
  createSelection,
  createUpstreamHealth,
  type Endpoint,
  type HeadReader,
} from '@wayleave/upstream'
import { describe, expect, it } from 'vitest'
import { evm } from '@wayleave/network/internal/kinds/evm'
import { starknet } from '@wayleave/network/internal/kinds/starknet'
import { createUpstreamStates } from '@wayleave/network/internal/upstreams/upstream-states'
import { canServe, createProbe } from '../../src/health/probe.ts'

const dev = evm.heads(evm.expectedChain(31337))
const answering =
  (value: unknown): RpcHandler =>
  async () => ({ result: rawJsonFromValue(value) })
const silent: RpcHandler = (_request, context) => new Promise((_resolve, reject) => void context.onCancel(reject))
/** Two seconds of a question pass at once. */
const fast: Clock = { ...systemClock, after: (ms, run) => systemClock.after(ms > 1_900 ? 20 : ms, run) }

interface SceneOptions {
  readonly reader?: HeadReader
  readonly clock?: Clock
  readonly fallbacks?: readonly string[]
}

/** Endpoints a, b, …, of which nothing is known. */
function scene(handlers: readonly RpcHandler[], { reader = dev, clock = fast, fallbacks = [] }: SceneOptions = {}) {
  const endpoints = handlers.map((handler, i): Endpoint => ({ name: 'abc'[i]!, handler, carriesSubscriptions: false }))
  const view = createChainView({ endpoints, reader, clock, isOnDemand: ({ name }) => fallbacks.includes(name) })
  const candidates = endpoints.map((endpoint) =>
    createCandidate({
      endpoint,
      health: createUpstreamHealth({ name: endpoint.name, onProbeDue: () => {} }),
      slots: 1,
    }),
  )
  const selection = createSelection({ candidates, random: () => 0 })
  const states = createUpstreamStates({ view, followsHeads: true, selection, budgetOf, clock })
  return { view, candidates, endpoints, selection, states, probe: createProbe(states) }
}

const budgetOf = () => ({ day: undefined, month: undefined })

const reasons = async (handlers: readonly RpcHandler[], options?: SceneOptions) =>
  (await scene(handlers, options).probe().all).map(({ reason }) => reason)

describe('a network', () => {
  it('can serve where one endpoint has its chain', async () => {
    expect(await scene([answering('0x7a69')]).probe().serves).toBe(true)
    expect(await scene([answering('0x1'), answering('0x7a69')]).probe().serves).toBe(true)
    const never: RpcHandler = () => new Promise(() => {})
    // The time stands still, so that the silent one is not given up.
    expect(await scene([never, answering('0x7a69')], { clock: new FakeClock() }).probe().serves).toBe(true)
    expect(await reasons([silent, answering('0x7a69')])).toEqual(['no answer within the time allowed', undefined])
  })

  it.each([
    ['has another chain', answering('0x1'), 'expected chain 0x7a69, got 0x1'],
    ['answers no text', answering(null), 'expected chain 0x7a69, got something else'],
    ['answers a long text', answering('0x1'.repeat(100)), 'expected chain 0x7a69, got something else'],
    ['answers what nobody should see', answering('S3CR3T'), 'expected chain 0x7a69, got something else'],
    [
      'answers an error',
      async () => ({ error: { code: -32601, message: 'no' } }),
      'expected chain 0x7a69, got error -32601',
    ],
    [
      'cannot be reached',
      () => Promise.reject(new RpcError('connect', 'no connection could be made (ECONNREFUSED)')),
      'no connection could be made (ECONNREFUSED)',
    ],
    ['is silent', silent, 'no answer within the time allowed'],
    [
      'fails by a bug',
      () => Promise.reject(new TypeError('https://user:pass@node')),
      'the question for its chain failed',
    ],
    [
      'answers what is no JSON',
      async () => ({ result: rawJsonFromText('{"a"}') }),
      'expected chain 0x7a69, got something else',
    ],
  ] as readonly (readonly [string, RpcHandler, string])[])(
    'cannot where its only endpoint %s',
    async (_what, handler, reason) => {
      const { serves, all } = scene([handler]).probe()
      expect((await all).map((state) => state.reason)).toEqual([reason])
      expect(await serves).toBe(false)
    },
  )

  it('tells of each endpoint why not, and what is known of it', async () => {
    const { probe, selection } = scene([answering('0x1'), silent, answering('0x7a69')])
    selection.cordon('c', 'an upgrade')
    expect(await probe().all).toEqual([
      { endpoint: 'a', reason: 'expected chain 0x7a69, got 0x1', details: { chain: 'wrong', health: 'unknown' } },
      {
        endpoint: 'b',
        reason: 'no answer within the time allowed',
        details: { chain: 'silent', health: 'unknown' },
      },
      { endpoint: 'c', reason: 'an upgrade', details: { out: 'cordoned', chain: 'right', health: 'unknown' } },
    ])
  })

  it('can serve where its only endpoint has answered a probe and waits for the next call to try it', async () => {
    const { probe, candidates } = scene([answering('0x7a69')])
    const [{ health }] = candidates as [(typeof candidates)[0]]
    for (let i = 0; i < 4; i++) health.failed(health.begin('read', fast.now()), 'unreachable', fast.now())
    expect(await probe().all).toMatchObject([{ reason: 'cooling down', details: { out: 'cooling_down' } }])
    health.probed(true, fast.now())
    const { serves, all } = probe()
    expect(await serves).toBe(true)
    expect(await all).toMatchObject([{ reason: undefined, details: { out: 'half_open' } }])
  })
})

describe('a network of Starknet', () => {
  const chainIs = async (configured: string, reported: string) => {
    const asked: string[] = []
    const handler: RpcHandler = async ({ method }) => {
      asked.push(method)
      return { result: rawJsonFromValue(reported) }
    }
    const { probe } = scene([handler], { reader: starknet.heads(starknet.expectedChain(configured)) })
    const states = await probe().all
    return [...asked, ...states.filter((state) => !canServe(state)).map(({ reason }) => reason)]
  }

  it.each([
    ['SN_MAIN', '0x534e5f4d41494e'],
    ['0x534e5f4d41494e', '0x534E5F4D41494E'],
    ['0x00534e5f4d41494e', '0x00534e5f4d41494e'],
  ])('can serve %s where starknet_chainId is %s', async (configured, reported) => {
    expect(await chainIs(configured, reported)).toEqual(['starknet_chainId'])
  })

  it('cannot where the felt is of another chain', async () => {
    const reason = 'expected chain 0x534e5f4d41494e, got 0x534e5f5345504f4c4941'
    expect(await chainIs('SN_MAIN', '0x534e5f5345504f4c4941')).toEqual(['starknet_chainId', reason])
  })
})

describe('an upstream is asked', () => {
  /** Counts the questions to a node of chain 31337 whose head is block 16. */
  function counted() {
    const asked: string[] = []
    const handler: RpcHandler = async ({ method }) => {
      asked.push(method)
      const head = { number: '0x10', hash: `0x${'1'.repeat(64)}`, parentHash: `0x${'0'.repeat(64)}` }
      return { result: rawJsonFromValue(method === 'eth_chainId' ? '0x7a69' : head) }
    }
    return { asked, handler }
  }

  it('once by all who ask while its answer is awaited, or within a second of it', async () => {
    const { asked, handler } = counted()
    const clock = new FakeClock()
    const { probe } = scene([handler], { clock })
    await Promise.all(Array.from({ length: 100 }, () => probe().all))
    clock.advance(999)
    await probe().all
    expect(asked).toEqual(['eth_chainId'])
    clock.advance(1)
    await probe().all
    expect(asked).toEqual(['eth_chainId', 'eth_chainId'])
  })

  it('at most 60 times an hour where it is a fallback, however often somebody asks', async () => {
    const { asked, handler } = counted()
    const clock = new FakeClock()
    const { probe } = scene([answering('0x7a69'), handler], { clock, fallbacks: ['b'] })
    for (let second = 0; second < 3_600; second++) {
      expect(await probe().serves).toBe(true)
      await probe().all
      clock.advance(1_000)
    }
    expect(asked.length).toBeGreaterThan(1)
    expect(asked.length).toBeLessThanOrEqual(60)
  })

  it('never where its head is followed', async () => {
    const { asked, handler } = counted()
    const clock = new FakeClock()
    const { probe, view } = scene([handler], { clock })
    view.wanted()
    await new Promise((resolve) => setImmediate(resolve))
    expect(await probe().all).toMatchObject([
      { reason: undefined, details: { chain: 'right', health: 'good', head: 16, lag: 0 } },
    ])
    expect(asked).toEqual(['eth_chainId', 'eth_getBlockByNumber'])
    for (let i = 0; i < 30; i++) {
      clock.advance(1_000)
      await new Promise((resolve) => setImmediate(resolve))
      await probe().all
    }
    expect(asked.filter((method) => method === 'eth_chainId')).toHaveLength(1)
  })

  it('for its chain where it does not tell its head any more', async () => {
    const clock = new FakeClock()
    let isDead = false
    const { handler } = counted()
    const dying: RpcHandler = (request, context) =>
      isDead ? Promise.reject(new RpcError('connect', 'no connection could be made')) : handler(request, context)
    const { probe, view } = scene([dying], { clock })
    view.wanted()
    await new Promise((resolve) => setImmediate(resolve))
    isDead = true
    for (let i = 0; i < 100; i++) {
      clock.advance(100)
      await new Promise((resolve) => setImmediate(resolve))
    }
    expect(await probe().all).toMatchObject([{ reason: 'no connection could be made' }])
    isDead = false
    for (let i = 0; i < 30; i++) {
      clock.advance(100)
      await new Promise((resolve) => setImmediate(resolve))
    }
    expect(await probe().serves).toBe(true)
  })
})
