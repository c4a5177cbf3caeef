import { classifyNodeError, printQuantity } from '@wayleave/evm-types'
import { type Clock, createRpcClient, RpcError, type RpcHandler } from '@wayleave/jsonrpc-core'
import { GasFeesError } from '../error.ts'
import type { FeeHistory } from '../fee-history.ts'
import { feeHistoryFromAnswer } from '../fee-history-from-answer.ts'

/** What a block's header says, as far as a source needs it. */
export interface Head {
  readonly number: number
  readonly hash: string
  readonly parentHash: string
  /** Unix time, seconds. */
  readonly timestamp: number
  readonly hasBaseFee: boolean
}

/** The calls that a source makes of a network's nodes. Each rejects with an `RpcError` or a `GasFeesError`. */
export interface ChainReader {
  newest(signal?: AbortSignal): Promise<Head>
  /** Undefined where the node has no such block. */
  block(number: number, signal?: AbortSignal): Promise<Head | undefined>
  /** Up to `count` blocks that end with `newest`. */
  fees(count: number, newest: number, percentiles: readonly number[], signal?: AbortSignal): Promise<FeeHistory>
}

export function createChainReader(handler: RpcHandler, clock: Clock, timeoutMs: number): ChainReader {
  const client = createRpcClient(handler, { clock, timeoutMs })
  return {
    async newest(signal) {
      return headOf(await client.requestUnchecked('eth_getBlockByNumber', ['latest', false], { signal }))
    },
    async block(number, signal) {
      const params = [printQuantity(number), false]
      const block: unknown = await client.requestUnchecked('eth_getBlockByNumber', params, { signal })
      return block === null ? undefined : headOf(block)
    },
    async fees(count, newest, percentiles, signal) {
      const params = [printQuantity(count), printQuantity(newest), percentiles]
      try {
        const answer: unknown = await client.requestUnchecked('eth_feeHistory', params, { signal })
        return feeHistoryFromAnswer(answer, { percentiles })
      } catch (thrown) {
        throw isUnknownMethod(thrown)
          ? new GasFeesError('unsupported', 'the nodes of this network do not serve eth_feeHistory', { cause: thrown })
          : thrown
      }
    },
  }
}

/** A header, as `newHeads` and `eth_getBlockByNumber` give it. @throws GasFeesError `invalid_response`. */
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

function isUnknownMethod(thrown: unknown): boolean {
  return thrown instanceof RpcError && thrown.rpc !== undefined && classifyNodeError(thrown.rpc) === 'method_not_found'
}
