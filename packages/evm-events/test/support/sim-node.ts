import { rawJsonFromText, rawJsonFromValue, RpcError, type RpcHandler, type RpcResponse } from '@wayleave/jsonrpc-core'
import type { FakeClock } from '@wayleave/jsonrpc-core/testing'
import { blockJson, hex, logObjects, receiptObjects, type SimBlock, type SimChain, type SimLog } from './sim-chain.ts'

/** The way in which a question goes wrong; undefined: it does not. */
export type Fault = 'error' | 'null' | 'reject' | 'hang' | 'garbage' | 'empty' | undefined

export interface SimNode {
  readonly ask: RpcHandler
  /** `method params` of each question. */
  readonly asked: string[]
  /** Questions that were neither answered nor cancelled. */
  readonly open: () => number
}

/** Answers from a chain, after `delayMs` of a question where that is above zero, with the faults that `faultOf` gives. */
export function createSimNode(
  chain: SimChain,
  clock: FakeClock,
  faultOf: (method: string, params: string) => Fault = () => undefined,
  delayMs: () => number = () => 0,
): SimNode {
  const asked: string[] = []
  let open = 0
  const ask: RpcHandler = async ({ method, params }, context) => {
    const text = params?.text() ?? ''
    asked.push(`${method} ${text}`)
    const fault = faultOf(method, text)
    open++
    try {
      const ms = delayMs()
      if (ms > 0) await new Promise<void>((resolve) => clock.after(ms, resolve))
      if (fault === 'hang') await new Promise((_, reject) => context.onCancel(reject))
      if (fault === 'reject') throw new RpcError('disconnected', 'the node is gone')
      if (fault === 'error') return { error: { code: -32000, message: 'unknown block' } }
      if (fault === 'null') return { result: rawJsonFromText('null') }
      if (fault === 'garbage') return { result: rawJsonFromText('{"hash":"0x12"}') }
      if (fault === 'empty') return { result: rawJsonFromText('[]') }
      return answer(chain, method, params?.value() as never)
    } finally {
      open--
    }
  }
  return { ask, asked, open: () => open }
}

type LogQuery = { blockHash?: string; fromBlock?: string; toBlock?: string; address?: string | string[] }

function answer(chain: SimChain, method: string, [first]: readonly [string & LogQuery]): RpcResponse {
  switch (method) {
    case 'eth_getBlockByHash':
    case 'eth_getBlockByNumber': {
      const block =
        chain.at(first) ??
        chain
          .canonical()
          .find(({ number }) => (first === 'latest' ? number === chain.head.number : hex(number) === first))
      return { result: block === undefined ? rawJsonFromText('null') : blockJson(block) }
    }
    case 'eth_getBlockReceipts': {
      const block = chain.at(first)
      return { result: block === undefined ? rawJsonFromText('null') : rawJsonFromValue(receiptObjects(block)) }
    }
    case 'eth_getLogs': {
      const wanted = first.address === undefined ? undefined : [first.address].flat()
      const block = first.blockHash === undefined ? undefined : chain.at(first.blockHash)
      if (first.blockHash !== undefined && block === undefined)
        return { error: { code: -32000, message: 'unknown block' } }
      const blocks = block === undefined ? inRange(chain, first) : [block]
      const logs = blocks.flatMap(logObjects) as SimLog[]
      return { result: rawJsonFromValue(logs.filter(({ address }) => wanted?.includes(address) ?? true)) }
    }
    default:
      return { error: { code: -32601, message: `the method ${method} does not exist/is not available` } }
  }
}

/** The height of a block number or a tag: `safe` and `finalized` are five blocks below the head. */
export function heightIn(chain: SimChain, place: unknown = 'latest'): number {
  if (place === 'latest' || place === null) return chain.head.number
  if (place === 'safe' || place === 'finalized') return chain.head.number - 5
  return place === 'earliest' ? 0 : Number(place)
}

function inRange(chain: SimChain, { fromBlock, toBlock }: LogQuery): SimBlock[] {
  const [from, to] = [heightIn(chain, fromBlock), heightIn(chain, toBlock)]
  return chain.canonical().filter(({ number }) => number >= from && number <= to)
}

/** Lets all that can go on go on, and moves time on step by step until `ms` have passed. */
export async function settle(clock: FakeClock, ms = 0, stepMs = 50): Promise<void> {
  for (let passed = 0; ; passed += stepMs) {
    for (let i = 0; i < 3; i++) await new Promise((resolve) => setImmediate(resolve))
    if (passed >= ms) return
    clock.advance(Math.min(stepMs, ms - passed))
  }
}

/** Moves time on until a promise has settled, 100 s at most, and gives it. */
export async function until<T>(clock: FakeClock, promise: Promise<T>): Promise<T> {
  const state = { isOver: false }
  const over = (): void => void (state.isOver = true)
  promise.then(over, over)
  for (let i = 0; !state.isOver && i < 2_000; i++) await settle(clock, 50)
  return promise
}

/** Moves time on until nothing waits for it any more. */
export async function drain(clock: FakeClock, stepMs = 100): Promise<void> {
  for (let steps = 0; steps < 10_000; steps++) {
    await settle(clock)
    if (clock.timers === 0) return
    clock.advance(stepMs)
  }
  throw new Error('something waits for ever')
}
