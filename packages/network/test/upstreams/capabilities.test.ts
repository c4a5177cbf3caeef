import { rawJsonFromValue, type RpcRequest, type RpcResponse } from '@wayleave/jsonrpc-core'
import { FakeClock } from '@wayleave/jsonrpc-core/testing'
import type { Endpoint } from '@wayleave/upstream'
import { describe, expect, it } from 'vitest'
import { evm } from '@wayleave/network/internal/kinds/evm'
import { type Capabilities, createCapabilities } from '../../src/upstreams/capabilities.ts'

const head = 20_000
const hash = `0x${'ab'.repeat(32)}`
const nothing: RpcResponse = { result: rawJsonFromValue(null) }
const call = (method: string, ...params: readonly unknown[]): RpcRequest => ({
  method,
  params: rawJsonFromValue(params),
  notification: false,
})
const receipt = (of = 'ab'): RpcRequest => call('eth_getTransactionReceipt', `0x${of.repeat(32)}`)
const tenant = { tenant: undefined }
const result = (value: unknown): RpcResponse => ({ result: rawJsonFromValue(value) })

interface Scene {
  readonly a: Endpoint
  readonly b: Endpoint
  readonly capabilities: Capabilities
  readonly clock: FakeClock
  readonly stale: Set<string>
  readonly heights: Record<string, number>
  /** Upstreams that may not be asked. */
  readonly out: Set<string>
  /** Moves the head, and all upstreams. */
  moveTo(next: number): void
}

/** Two upstreams at the head, whose `eth_capabilities` answers are given by name. */
async function scene(reported: Readonly<Record<string, unknown>> = {}): Promise<Scene> {
  const clock = new FakeClock(0)
  const stale = new Set<string>()
  const heights: Record<string, number> = { a: head, b: head }
  const out = new Set<string>()
  let top = head
  const endpoint = (name: string): Endpoint => ({
    name,
    carriesSubscriptions: false,
    handler: async ({ method }: RpcRequest): Promise<RpcResponse> =>
      method === 'eth_capabilities' && name in reported
        ? result(reported[name])
        : { error: { code: -32601, message: 'no' } },
  })
  const [a, b] = [endpoint('a'), endpoint('b')]
  const capabilities = createCapabilities({
    kind: evm.history!,
    endpoints: [a, b],
    mayExamine: () => true,
    mayAsk: ({ name }) => !out.has(name),
    served: () => top,
    heightOf: ({ name }) => heights[name],
    isFresh: ({ name }) => !stale.has(name),
    heightOfBlock: () => undefined,
    clock,
    onAsk() {},
  })
  capabilities.wanted()
  for (let i = 0; i < 200; i++) await Promise.resolve()
  const moveTo = (next: number): void => void (top = heights['a'] = heights['b'] = next)
  return { a, b, capabilities, clock, stale, heights, out, moveTo }
}

const has = (oldest: number): unknown => {
  const from = { disabled: false, oldestBlock: `0x${oldest.toString(16)}` }
  return { state: from, stateproofs: from, blocks: from, receipts: from, logs: from, tx: from }
}

describe('calls for what is old', () => {
  const old = (): RpcRequest => call('eth_getBlockByNumber', '0x5', false)

  it('leave upstreams out that are known to lack it, and prefer those that are known to have it', async () => {
    const { a, b, capabilities } = await scene({ a: has(1_000) })
    expect(capabilities.excludes(a, old())).toBe('pruned')
    expect(capabilities.excludes(b, old())).toBeUndefined()
    const young = call('eth_getBlockByNumber', '0x3e8', false)
    expect([capabilities.excludes(a, young), capabilities.prefers(a, young), capabilities.prefers(b, young)]).toEqual([
      undefined,
      true,
      false,
    ])
    expect(capabilities.oldestOf(a)).toMatchObject({ state: 1_000, blocks: 1_000 })
    expect(capabilities.oldestOf(b)).toBeUndefined()
  })

  it('are learnt from two refusals, or two nulls, at different blocks; one puts its upstream behind the others', async () => {
    const { a, b, capabilities } = await scene()
    expect(capabilities.excludes(a, old())).toBeUndefined()
    capabilities.failed(a, old(), 'pruned')
    capabilities.failed(a, old(), 'pruned')
    expect(capabilities.excludes(a, old())).toBeUndefined()
    for (const each of [old(), call('eth_getBlockByHash', hash, false)])
      expect([capabilities.prefers(a, each), capabilities.prefers(b, each)]).toEqual([false, true])
    expect(capabilities.prefers(a, receipt())).toBe(true)
    capabilities.failed(a, call('eth_getBlockByNumber', '0x7', false), 'pruned')
    expect(capabilities.excludes(a, call('eth_getBlockReceipts', '0x4'))).toBe('pruned')
    expect(capabilities.excludes(a, call('eth_getBlockReceipts', '0x6'))).toBeUndefined()
    for (const block of ['0x9', '0xa']) capabilities.answered(b, call('eth_getBlockReceipts', block), nothing)
    expect(capabilities.excludes(b, call('eth_getLogs', { fromBlock: '0x8' }))).toBe('pruned')
    expect(capabilities.excludes(b, old())).toBeUndefined()
  })

  it('teach nothing where a node has no such block, until another one has shown it', async () => {
    const { a, b, capabilities } = await scene({ a: has(0) })
    const reads = ['0x5', '0x6'].map((block) => call('eth_getBalance', '0xaa', block))
    for (const read of reads) capabilities.failed(a, read, 'lagging')
    expect(capabilities.excludes(a, reads[0]!)).toBeUndefined()
    expect(capabilities.prefers(a, reads[0]!)).toBe(true)
    for (const read of reads) {
      capabilities.failed(a, read, 'lagging')
      capabilities.answered(b, read, result('0x1'))
    }
    expect(capabilities.excludes(a, reads[0]!)).toBe('pruned')
  })

  it('teach nothing where the end of a range is beyond the head', async () => {
    const { a, b, capabilities } = await scene()
    for (const fromBlock of ['0x4d00', '0x4d01']) {
      const beyond = call('eth_getLogs', { fromBlock, toBlock: '0x5000' })
      capabilities.failed(a, beyond, 'lagging')
      capabilities.answered(b, beyond, result([{}]))
    }
    expect(capabilities.excludes(a, call('eth_getLogs', { fromBlock: '0x100', toBlock: '0x110' }))).toBeUndefined()
  })

  it.each<[what: string, ask: (block: string) => RpcRequest]>([
    ['a tracer of the caller', (block) => call('debug_traceCall', {}, block, { tracer: '{result(){throw "x"}}' })],
    ['code of the caller', (block) => call('eth_call', { to: '0xaa' }, block)],
    ['words of the caller', (block) => call('eth_getBalance', 'missing trie node', block)],
  ])('teach nothing where an error may be in the words of %s', async (_what, ask) => {
    const { a, capabilities } = await scene()
    for (const block of ['0x4d00', '0x4d01']) {
      capabilities.failed(a, ask(block), 'pruned')
      capabilities.answered(a, ask(block), nothing)
    }
    expect(capabilities.excludes(a, call('eth_getBalance', '0xaa', '0x5'))).toBeUndefined()
    expect(capabilities.excludes(a, call('debug_traceBlockByNumber', '0x5'))).toBeUndefined()
  })

  it('are null where a tracer of the caller returns it', async () => {
    const { a, capabilities } = await scene()
    const traced = call('debug_traceCall', {}, '0x4e20', { tracer: '{result(){return null}}' })
    expect(capabilities.isMissing(a, traced, nothing, tenant)).toBe(false)
    expect(capabilities.lacksReported(traced, nothing)).toBeUndefined()
  })

  it('teach nothing where a block has no receipts, and every upstream may say so', async () => {
    const { a, capabilities } = await scene()
    const receipts = call('eth_getBlockReceipts', '0x9')
    const empty: RpcResponse = { result: rawJsonFromValue([]) }
    capabilities.answered(a, receipts, empty)
    expect(capabilities.excludes(a, old())).toBeUndefined()
    expect(capabilities.isMissing(a, receipts, empty)).toBe(false)
    expect(capabilities.lacksReported(call('eth_getBlockReceipts', '0x4e1f'), empty)).toBeUndefined()
  })

  it('teach nothing where a transaction of a block is asked for by an index that may not be there', async () => {
    const { a, capabilities } = await scene()
    capabilities.answered(a, call('eth_getTransactionByBlockNumberAndIndex', '0x9', '0x0'), nothing)
    expect(capabilities.excludes(a, old())).toBeUndefined()
  })

  it('that find nothing at an upstream which lacks it are an error, never null', async () => {
    const { a, capabilities } = await scene({ a: has(1_000) })
    const empty: RpcResponse = { result: rawJsonFromValue([]), meta: { endpoint: 'a', attempts: 1 } }
    const logs = call('eth_getLogs', { fromBlock: '0x5', toBlock: '0x6' })
    expect(capabilities.isMissing(a, logs, empty)).toBe(true)
    expect(capabilities.truthful(logs, empty).error).toEqual({ code: 4444, message: 'pruned history unavailable' })
    const young = call('eth_getLogs', { fromBlock: '0x3e8', toBlock: '0x3e9' })
    expect(capabilities.isMissing(a, young, empty)).toBe(false)
    expect(capabilities.truthful(young, empty)).toBe(empty)
  })
})

describe('null for a hash that nobody knows to be mined', () => {
  it('is asked of each upstream once in ten minutes, and then the answer of any that is at the head', async () => {
    const { a, b, capabilities, clock } = await scene()
    const missed = (endpoint: Endpoint): boolean | undefined => {
      capabilities.answered(endpoint, receipt(), nothing)
      return capabilities.isMissing(endpoint, receipt(), nothing, tenant)
    }
    expect([missed(a), missed(b), missed(a), missed(b)]).toEqual([true, false, false, false])
    clock.advance(600_000)
    expect(missed(a)).toBe(true)
  })

  it('is the answer where the others may not be asked, or are known to have less', async () => {
    const { a, b, capabilities, out } = await scene({ b: has(5_000) })
    expect(capabilities.isMissing(a, receipt(), nothing, tenant)).toBe(false)
    const second = await scene()
    second.out.add('b')
    expect(second.capabilities.isMissing(second.a, receipt(), nothing, tenant)).toBe(false)
    expect(capabilities.isMissing(b, receipt(), nothing, tenant)).toBe(true)
    out.add('a')
    expect(capabilities.isMissing(b, receipt(), nothing, tenant)).toBe(false)
  })

  it('is the answer of an upstream that has all, which is asked first', async () => {
    const { a, b, capabilities } = await scene({ a: has(0), b: has(5_000) })
    expect(capabilities.isMissing(a, receipt(), nothing, tenant)).toBe(false)
    expect(capabilities.isMissing(b, receipt(), nothing, tenant)).toBe(true)
    expect([capabilities.prefers(a, receipt()), capabilities.prefers(b, receipt())]).toEqual([true, false])
  })

  it('is asked elsewhere where the upstream is behind, or told its head longer ago than a block', async () => {
    const { a, b, capabilities, stale, heights } = await scene({ a: has(0), b: has(0) })
    stale.add('a')
    expect(capabilities.isMissing(a, receipt(), nothing, tenant)).toBe(true)
    heights['b'] = head - 1
    expect(capabilities.isMissing(b, receipt(), nothing, tenant)).toBe(true)
  })

  it('is the answer of one that has pruned states: they say nothing of its index', async () => {
    const { a, b, capabilities } = await scene()
    for (const block of ['0x5', '0x6']) capabilities.failed(a, call('eth_getBalance', '0xaa', block), 'pruned')
    capabilities.answered(b, receipt(), nothing)
    expect(capabilities.isMissing(a, receipt(), nothing, tenant)).toBe(false)
  })

  it('teaches nothing of an upstream that was asked before the transaction was mined', async () => {
    const { a, b, capabilities, moveTo } = await scene()
    for (const each of [receipt(), receipt('cd')]) capabilities.answered(a, each, nothing)
    moveTo(head + 100)
    capabilities.answered(b, receipt(), result({ blockNumber: '0x4e21' }))
    capabilities.answered(b, receipt('cd'), result({ blockNumber: '0x4e22' }))
    expect([capabilities.excludes(a, receipt()), capabilities.prefers(a, receipt('ef'))]).toEqual([undefined, true])
  })
})

describe('null for a transaction that the gateway knows', () => {
  it('is asked elsewhere once it was told as mined, and two such teach who has no index so far back', async () => {
    const { a, b, capabilities } = await scene()
    capabilities.answered(a, receipt(), nothing)
    capabilities.answered(b, receipt(), result({ blockNumber: '0x64', status: '0x1' }))
    expect(capabilities.isMissing(b, receipt(), nothing, tenant)).toBe(true)
    // It may be invented.
    expect([capabilities.excludes(a, receipt()), capabilities.prefers(a, receipt('ef'))]).toEqual([undefined, true])
    capabilities.answered(a, receipt('cd'), nothing)
    capabilities.answered(b, receipt('cd'), result({ blockNumber: '0x65', status: '0x1' }))
    expect([capabilities.excludes(a, receipt()), capabilities.prefers(a, receipt('ef'))]).toEqual(['pruned', false])
    expect(capabilities.excludes(b, receipt())).toBeUndefined()
  })

  it('teaches nothing of one that told how far back its index goes', async () => {
    const { a, b, capabilities } = await scene({ a: has(0) })
    for (const [each, blockNumber] of [
      ['ab', '0x64'],
      ['cd', '0x65'],
    ] as const) {
      capabilities.answered(a, receipt(each), nothing)
      capabilities.answered(b, receipt(each), result({ blockNumber, status: '0x1' }))
    }
    expect([capabilities.excludes(a, receipt()), capabilities.prefers(a, receipt('ef'))]).toEqual([undefined, true])
  })

  it('is the answer, never an error, once no upstream finds it any more or its block is dropped', async () => {
    for (const isDropped of [false, true]) {
      const { a, b, capabilities, moveTo } = await scene({ a: has(0), b: has(0) })
      capabilities.answered(a, receipt(), result({ blockNumber: '0x4e20' }))
      moveTo(head + 100)
      if (isDropped) capabilities.dropped(head)
      else {
        capabilities.answered(b, receipt(), nothing)
        expect(capabilities.isMissing(b, receipt(), nothing, tenant)).toBe(true)
      }
      capabilities.answered(a, receipt(), nothing)
      expect(capabilities.isMissing(a, receipt(), nothing, tenant)).toBe(false)
      const answer = { ...nothing, meta: { endpoint: 'a', attempts: 1 } }
      expect(capabilities.truthful(receipt(), answer)).toBe(answer)
      expect([a, b].map((each) => capabilities.excludes(each, receipt()))).toEqual([undefined, undefined])
    }
  })

  it('is the answer where no trace has such an index', async () => {
    const { a, capabilities } = await scene()
    capabilities.answered(a, receipt(), result({ blockNumber: '0x64' }))
    const trace = call('trace_get', hash, ['0x63'])
    capabilities.answered(a, trace, nothing)
    expect(capabilities.isMissing(a, trace, nothing, tenant)).toBe(false)
    expect(capabilities.excludes(a, trace)).toBeUndefined()
  })

  it('is the answer to a question for its receipt while it waits, of an upstream at the head alone', async () => {
    const { a, b, capabilities, stale } = await scene({ a: has(0), b: has(5_000) })
    capabilities.answered(a, call('eth_sendRawTransaction', '0x02'), result(hash))
    expect(capabilities.isMissing(b, receipt(), nothing, tenant)).toBe(false)
    expect(capabilities.prefers(b, receipt())).toBe(true)
    expect(capabilities.isMissing(b, call('eth_getTransactionByHash', hash), nothing, tenant)).toBe(true)
    stale.add('b')
    expect(capabilities.isMissing(b, receipt(), nothing, tenant)).toBe(true)
  })

  it('is the answer once nobody has a transaction that was accepted, and while it waits it is asked where it was sent to', async () => {
    const { a, b, capabilities } = await scene()
    const lookup = call('eth_getTransactionByHash', hash)
    capabilities.answered(a, call('eth_sendRawTransaction', '0x02'), result(hash))
    capabilities.answered(b, lookup, nothing)
    expect(capabilities.isMissing(b, lookup, nothing, tenant)).toBe(true)
    capabilities.answered(a, lookup, nothing)
    expect(capabilities.isMissing(a, lookup, nothing, tenant)).toBe(false)
    expect(capabilities.isMissing(b, lookup, nothing, tenant)).toBe(false)
  })

  it('says nothing of its index where a trace is refused, as its state is gone', async () => {
    const { a, b, capabilities } = await scene()
    for (const [each, blockNumber] of [
      ['ab', '0x64'],
      ['cd', '0x65'],
    ] as const) {
      capabilities.answered(b, receipt(each), result({ blockNumber, status: '0x1' }))
      capabilities.failed(a, call('debug_traceTransaction', `0x${each.repeat(32)}`), 'pruned')
    }
    expect([capabilities.excludes(a, receipt()), capabilities.prefers(a, receipt('ef'))]).toEqual([undefined, true])
    expect(capabilities.excludes(a, call('debug_traceTransaction', hash))).toBe('pruned')
  })
})
