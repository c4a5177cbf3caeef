import { parseQuantity } from '@wayleave/evm-types'
import {
  type Clock,
  isStream,
  type RawJson,
  type RpcContext,
  type RpcHandler,
  type RpcRequest,
  rawJsonFromText,
} from '@wayleave/jsonrpc-core'

/** How long an answer to the question for the latest block, or the lack of one, is good for, and how long a call waits for one, in ms. */
const freshMs = 5_000
const patienceMs = 2_000

/** The most gas that a call may have: ten times the latest block's limit. Source: Spec §8. */
export interface GasCap {
  /** The cap by the newest limit that is known, however old. */
  readonly known: bigint | undefined
  /** The cap by a fresh limit, else by the newest that is known; undefined where none is. Rejects only if the call was cancelled. */
  current(context: RpcContext): Promise<bigint | undefined>
}

/** Reads the header of the served head, or else asks `next`, which shares identical reads: calls side by side ask once. */
export function createGasCap(next: RpcHandler, clock: Clock, header?: () => RawJson | undefined): GasCap {
  let read: RawJson | undefined
  let known: bigint | undefined
  let freshUntil = Number.NEGATIVE_INFINITY
  return {
    get known() {
      return known
    },
    async current(context) {
      const head = header?.()
      const reported = head === undefined || head === read ? undefined : limitOf(head)
      if (reported !== undefined) {
        read = head
        known = reported * 10n
      }
      if ((head !== undefined && head === read) || clock.now() < freshUntil) return known
      const limit = await askLimit(next, context, clock)
      if (context.cancelled !== undefined) throw context.cancelled
      if (limit !== undefined) known = limit * 10n
      freshUntil = clock.now() + freshMs
      return known
    },
  }
}

const latestBlock: RpcRequest = {
  method: 'eth_getBlockByNumber',
  params: rawJsonFromText('["latest",false]'),
  notification: false,
}

/** Asks for the latest block's gas limit; undefined where none comes. */
async function askLimit(next: RpcHandler, context: RpcContext, clock: Clock): Promise<bigint | undefined> {
  const fork = context.fork({ deadline: clock.now() + patienceMs, acceptStream: false })
  try {
    const { result } = await next(latestBlock, fork.context)
    return result === undefined || isStream(result) ? undefined : limitOf(result)
  } catch {
    return undefined
  } finally {
    fork.release()
  }
}

/** Reads the gas limit of a block; undefined where it has none. */
function limitOf(block: RawJson): bigint | undefined {
  try {
    const limit = parseQuantity((block.value() as { readonly gasLimit: string }).gasLimit)
    return limit > 0n ? limit : undefined
  } catch {
    return undefined
  }
}
