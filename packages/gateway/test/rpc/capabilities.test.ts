import { rawJsonFromValue, type RpcRequest, type RpcResponse } from '@wayleave/jsonrpc-core'
import { FakeClock } from '@wayleave/jsonrpc-core/testing'
import type { Endpoint } from '@wayleave/upstream'
import { describe, expect, it } from 'vitest'
import { evm } from '../../src/networks/evm.ts'
import { type Capabilities, createCapabilities } from '../../src/rpc/capabilities.ts'

const head = 20_000
const hash = `0x${'ab'.repeat(32)}`
const nothing: RpcResponse = { result: rawJsonFromValue(null) }
const call = (method: string, ...params: readonly unknown[]): RpcRequest => ({
  method,
  params: rawJsonFromValue(params),
  notification: false,
})
const receipt = (): RpcRequest => call('eth_getTransactionReceipt', hash)
const result = (value: unknown): RpcResponse => ({ result: rawJsonFromValue(value) })

interface Scene {
  readonly a: Endpoint
  readonly b: Endpoint
  readonly capabilities: Capabilities
  readonly clock: FakeClock
  readonly stale: Set<string>
  readonly heights: Record<string, number>
}

/** Two upstreams at the head, whose `eth_capabilities` answers are given by name. */
async function scene(told: Readonly<Record<string, unknown>> = {}): Promise<Scene> {
  const clock = new FakeClock(0)
  const stale = new Set<string>()
  const heights: Record<string, number> = { a: head, b: head }
  const endpoint = (name: string): Endpoint => ({
    name,
    carriesSubscriptions: false,
    handler: async ({ method }: RpcRequest): Promise<RpcResponse> =>
      method === 'eth_capabilities' && name in told ? result(told[name]) : { error: { code: -32601, message: 'no' } },
  })
  const [a, b] = [endpoint('a'), endpoint('b')]
  const capabilities = createCapabilities({
    kind: evm.history!,
    endpoints: [a, b],
    mayExamine: () => true,
    served: () => head,
    heightOf: ({ name }) => heights[name],
    isFresh: ({ name }) => !stale.has(name),
    heightOfBlock: () => undefined,
    clock,
    onAsk() {},
  })
  capabilities.wanted()
  clock.advance(5_000)
  capabilities.wanted()
  for (let i = 0; i < 200; i++) await Promise.resolve()
  return { a, b, capabilities, clock, stale, heights }
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

  it('are learnt from refusals and from nulls', async () => {
    const { a, b, capabilities } = await scene()
    expect(capabilities.excludes(a, old())).toBeUndefined()
    capabilities.failed(a, old(), 'pruned')
    expect(capabilities.excludes(a, call('eth_getBlockReceipts', '0x4'))).toBe('pruned')
    capabilities.answered(b, call('eth_getBlockReceipts', '0x9'), nothing)
    expect(capabilities.excludes(b, call('eth_getLogs', { fromBlock: '0x8' }))).toBe('pruned')
    expect(capabilities.excludes(b, old())).toBeUndefined()
  })

  it('teach nothing where a block has no receipts, and every upstream may say so', async () => {
    const { a, capabilities } = await scene()
    const receipts = call('eth_getBlockReceipts', '0x9')
    const empty: RpcResponse = { result: rawJsonFromValue([]) }
    capabilities.answered(a, receipts, empty)
    expect(capabilities.excludes(a, old())).toBeUndefined()
    expect(capabilities.isMissing(a, receipts, empty)).toBe(false)
    expect(capabilities.lacksTold(call('eth_getBlockReceipts', '0x4e1f'), empty)).toBeUndefined()
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
  it('is the answer of an upstream at the head, unless another one has more', async () => {
    const equal = await scene()
    expect(equal.capabilities.isMissing(equal.a, receipt(), nothing)).toBe(false)
    const { a, b, capabilities } = await scene({ a: has(0), b: has(5_000) })
    expect(capabilities.isMissing(a, receipt(), nothing)).toBe(false)
    expect(capabilities.isMissing(b, receipt(), nothing)).toBe(true)
    expect([capabilities.prefers(a, receipt()), capabilities.prefers(b, receipt())]).toEqual([true, false])
  })

  it('is asked elsewhere where the upstream is behind, or told its head longer ago than a block', async () => {
    const { a, b, capabilities, stale, heights } = await scene()
    stale.add('a')
    expect(capabilities.isMissing(a, receipt(), nothing)).toBe(true)
    heights['b'] = head - 1
    expect(capabilities.isMissing(b, receipt(), nothing)).toBe(true)
  })

  it('is asked elsewhere where an upstream has pruned anything and the other one has not', async () => {
    const { a, b, capabilities } = await scene()
    capabilities.failed(a, call('eth_getBalance', '0xaa', '0x5'), 'pruned')
    expect(capabilities.isMissing(a, receipt(), nothing)).toBe(true)
    expect(capabilities.isMissing(b, receipt(), nothing)).toBe(false)
  })
})

describe('null for a transaction that the gateway knows', () => {
  it('is asked elsewhere once it was told as mined, and teaches who has no index so far back', async () => {
    const { a, b, capabilities } = await scene()
    capabilities.answered(a, receipt(), nothing)
    capabilities.answered(b, receipt(), result({ blockNumber: '0x64', status: '0x1' }))
    expect(capabilities.isMissing(b, receipt(), nothing)).toBe(true)
    expect(capabilities.excludes(a, receipt())).toBe('pruned')
    expect(capabilities.excludes(b, receipt())).toBeUndefined()
  })

  it('is the answer to a question for its receipt while it waits, of an upstream at the head alone', async () => {
    const { a, b, capabilities, stale } = await scene({ a: has(0), b: has(5_000) })
    capabilities.answered(a, call('eth_sendRawTransaction', '0x02'), result(hash))
    expect(capabilities.isMissing(b, receipt(), nothing)).toBe(false)
    expect(capabilities.prefers(b, receipt())).toBe(true)
    expect(capabilities.isMissing(b, call('eth_getTransactionByHash', hash), nothing)).toBe(true)
    stale.add('b')
    expect(capabilities.isMissing(b, receipt(), nothing)).toBe(true)
  })
})
