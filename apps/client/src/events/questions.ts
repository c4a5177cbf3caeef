import { lastBlockTo, type StreamBlock, streamBlockOf } from '@wayleave/evm-events'
import {
  type Clock,
  collectStream,
  isStream,
  type RawJson,
  rawJsonFromValue,
  type RpcContext,
  RpcError,
  type RpcHandler,
} from '@wayleave/jsonrpc-core'
import type { StartPlace } from './tracker.ts'

/** Asks a node about blocks, for one subscription. */
export interface Questions {
  /** @throws RpcError `rpc` for an error answer, else as the handler rejects */
  ask(method: string, params: readonly unknown[], way?: Way): Promise<RawJson>
  /** The newest block. @throws RpcError `unavailable` if there is none */
  latest(way?: Way): Promise<StreamBlock>
  /** The last block at or below a height; undefined where the node has none there yet. */
  upTo(number: number): Promise<StreamBlock | undefined>
  /** Undefined where the node has none. */
  byHash(hash: string): Promise<StreamBlock | undefined>
  /** The block before the place, and its parent where it is known: all up to there counts as told. */
  before(place: StartPlace): Promise<readonly BlockPlace[]>
}

interface Way {
  /** The handler that is asked; default: that of all questions. */
  readonly through?: RpcHandler
  /** The longest time, in ms; default 15,000. */
  readonly ms?: number
}

export interface BlockPlace {
  /** The height, or a greater one below which the block is the last. -1: the place before the first block. */
  readonly number: number
  readonly hash: string
}

const questionMs = 15_000
/** A subscription does not wait longer to learn the place from which it tells. */
const placeMs = 5_000
const mostBytes = 64 * 1_048_576

/** Creates the questions of one subscription; they end with `context`. */
export function createQuestions(handler: RpcHandler, context: RpcContext, clock: Clock): Questions {
  async function ask(method: string, params: readonly unknown[], way: Way = {}): Promise<RawJson> {
    const { through = handler, ms = questionMs } = way
    if (context.cancelled !== undefined) throw context.cancelled
    const own = context.fork({ deadline: clock.now() + ms })
    try {
      const call = { method, params: rawJsonFromValue(params), notification: false }
      const { result, error } = await through(call, own.context)
      if (error !== undefined) throw new RpcError('rpc', `${method}: ${error.message} (${error.code})`, { rpc: error })
      return isStream(result) ? await collectStream(result, mostBytes) : result
    } finally {
      own.release()
    }
  }

  async function latest(way?: Way): Promise<StreamBlock> {
    const block = streamBlockOf(await ask('eth_getBlockByNumber', ['latest', false], way))
    if (block === undefined) throw new RpcError('unavailable', 'the node has no newest block')
    return block
  }

  const upTo = async (number: number): Promise<StreamBlock | undefined> => {
    const own = context.fork({ deadline: clock.now() + questionMs })
    try {
      return await lastBlockTo(handler, number, async () => (await latest()).number, own.context)
    } finally {
      own.release()
    }
  }

  const byHash = async (hash: string): Promise<StreamBlock | undefined> => {
    const block = streamBlockOf(await ask('eth_getBlockByHash', [hash, false]))
    return block?.hash === hash ? block : undefined
  }

  return {
    ask,
    latest,
    upTo,
    byHash,
    async before({ fromBlock, fromHash }) {
      if (fromBlock !== undefined && Number(fromBlock) === 0) return [{ number: -1, hash: '' }]
      const block =
        fromBlock !== undefined
          ? await upTo(Number(fromBlock) - 1)
          : fromHash !== undefined
            ? await byHash(fromHash.toLowerCase())
            : await latest({ ms: placeMs })
      if (block === undefined) {
        const which = fromHash ?? `${Number(fromBlock) - 1}`
        throw new RpcError('unavailable', `the node has no block ${which}: begin at a block that it has`)
      }
      return [{ number: block.number - 1, hash: block.parentHash }, block]
    },
  }
}
