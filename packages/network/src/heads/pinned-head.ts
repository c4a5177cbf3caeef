import { type Clock, type RpcContext, RpcError, type RpcHandler } from '@wayleave/jsonrpc-core'
import type { HeadReader, Position } from '@wayleave/upstream'
import type { Chain } from './chain.ts'

/** Longest wait for a head, in ms. */
const patienceMs = 2_000

/**
 * Makes the function that finds the block to which a request is pinned: the served head, or the latest block by the word of an upstream where
 * callers were told a higher one, or nobody has watched for a while.
 */
export function pinnedHead(
  chain: Chain,
  ask: RpcHandler,
  reader: HeadReader,
  clock: Clock,
): ((context: RpcContext) => Promise<Position>) | undefined {
  const latest = reader.head('latest')
  if (latest === undefined) return undefined
  return async (context) => {
    const known = chain.headToPin()
    if (known !== undefined) {
      await chain.settled?.()
      if (known.number >= chain.reportedHead()) return known
    }
    const fork = context.fork({ deadline: clock.now() + patienceMs, acceptStream: false })
    try {
      const head = reader.positionOf(await ask(latest, fork.context))
      if (head !== undefined) return head
    } finally {
      fork.release()
    }
    throw new RpcError('unavailable', 'no upstream tells its latest block', { delivery: 'not_sent' })
  }
}
