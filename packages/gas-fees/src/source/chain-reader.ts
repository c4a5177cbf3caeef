import { printQuantity } from '@wayleave/evm-types'
import { type Clock, createRpcClient, type RpcHandler } from '@wayleave/jsonrpc-core'
import { GasFeesError } from '../error.ts'
import type { FeeHistory } from '../fee-history.ts'
import { feeHistoryFromAnswer } from '../fee-history-from-answer.ts'
import { nodeErrorKindOf } from './node-error-of.ts'

/** A block's header, as far as a source needs it. */
export interface Head {
  readonly number: number
  readonly hash: string
  readonly parentHash: string
  /** Unix time, seconds. */
  readonly timestamp: number
  readonly hasBaseFee: boolean
}

/** Asks a node for the result of a method. */
type AskNode = (method: string, params: unknown[], signal?: AbortSignal) => Promise<unknown>

/** Makes the calls to a network's nodes. Each rejects with a `GasFeesError`, or as `ask` does. */
export interface ChainReader {
  /** Reads the head. */
  newest(signal?: AbortSignal): Promise<Head>
  /** Reads a header; undefined if the node has no such block, or answers with another one. */
  block(number: number, signal?: AbortSignal): Promise<Head | undefined>
  /** Reads the tip that the node suggests itself, in wei per gas; undefined if it suggests none. */
  priorityFee(signal?: AbortSignal): Promise<bigint | undefined>
  /** Reads the fees of up to `count` blocks that end with `newest`. */
  fees(count: number, newest: number, percentiles: readonly number[], signal?: AbortSignal): Promise<FeeHistory>
}

/** Asks the node behind a handler, for at most `timeoutMs` a call; rejects with an `RpcError`. */
export function askHandler(handler: RpcHandler, clock: Clock, timeoutMs: number): AskNode {
  const client = createRpcClient(handler, { clock, timeoutMs })
  return (method, params, signal) => client.requestUnchecked(method, params, { signal })
}

export function createChainReader(ask: AskNode): ChainReader {
  return {
    async newest(signal) {
      return headOf(await ask('eth_getBlockByNumber', ['latest', false], signal))
    },
    async block(number, signal) {
      const block = await ask('eth_getBlockByNumber', [printQuantity(number), false], signal)
      const head = block === null ? undefined : headOf(block)
      return head?.number === number ? head : undefined
    },
    async priorityFee(signal) {
      const answer = await ask('eth_maxPriorityFeePerGas', [], signal)
      return typeof answer === 'string' && /^0x[\da-f]{1,32}$/i.test(answer) ? BigInt(answer) : undefined
    },
    async fees(count, newest, percentiles, signal) {
      const params = [printQuantity(count), printQuantity(newest), percentiles]
      try {
        return feeHistoryFromAnswer(await ask('eth_feeHistory', params, signal), { percentiles })
      } catch (thrown) {
        throw nodeErrorKindOf(thrown) === 'method_not_found'
          ? new GasFeesError('unsupported', 'the nodes of this network do not serve eth_feeHistory', { cause: thrown })
          : thrown
      }
    },
  }
}

/** Reads a header that `newHeads` or `eth_getBlockByNumber` gave. @throws GasFeesError `invalid_response`. */
export function headOf(block: unknown): Head {
  const { number, hash, parentHash, timestamp, baseFeePerGas } = (block ?? {}) as Readonly<Record<string, unknown>>
  if (!isIndex(number) || !isIndex(timestamp) || !isHash(hash) || !isHash(parentHash)) {
    throw new GasFeesError('invalid_response', 'expected a block with number, hash, parentHash and timestamp')
  }
  return {
    number: Number(number),
    hash,
    parentHash,
    timestamp: Number(timestamp),
    hasBaseFee: typeof baseFeePerGas === 'string',
  }
}

function isIndex(value: unknown): value is string {
  return typeof value === 'string' && /^0x[\da-f]{1,13}$/i.test(value)
}

function isHash(value: unknown): value is string {
  return typeof value === 'string' && /^0x[\da-f]{64}$/i.test(value)
}
