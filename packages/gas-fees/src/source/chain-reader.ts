import { printQuantity } from '@wayleave/evm-types'
import { GasFeesError } from '../error.ts'
import type { FeeHistory } from '../fee-history.ts'
import { feeHistoryFromAnswer } from '../fee-history-from-answer.ts'
import { nodeErrorKindOf } from './node-error-of.ts'

/** What a block's header says, as far as a source needs it. */
export interface Head {
  readonly number: number
  readonly hash: string
  readonly parentHash: string
  /** Unix time, seconds. */
  readonly timestamp: number
  readonly hasBaseFee: boolean
}

/** Asks a node for the result of a method. */
export type AskNode = (method: string, params: unknown[], signal?: AbortSignal) => Promise<unknown>

/** The calls that are made of a network's nodes. Each rejects with a `GasFeesError`, or as the node is asked. */
export interface ChainReader {
  newest(signal?: AbortSignal): Promise<Head>
  /** Undefined where the node has no such block, or answers with another one. */
  block(number: number, signal?: AbortSignal): Promise<Head | undefined>
  /** Up to `count` blocks that end with `newest`. */
  fees(count: number, newest: number, percentiles: readonly number[], signal?: AbortSignal): Promise<FeeHistory>
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
