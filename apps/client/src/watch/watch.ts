import type { Header, Log, LogSubscriptionFilter } from '@wayleave/evm-types'
import { RpcError } from '@wayleave/jsonrpc-core'
import type { Client, EventOptions } from '../client.ts'
import type { EventOf, SubscriptionParams } from '../events/event-params.ts'
import { unlessAborted } from '../unless-aborted.ts'
import { createPatience, type WatchOptions } from './patience.ts'
import { pollChain } from './poll-chain.ts'

/** A client, or what of it a watch needs. */
export type WatchClient = Pick<Client, 'eth' | 'events'>

/** `onGap` is that of `client.events`: without it, a gap of a subscription throws. */
export interface EventWatchOptions extends WatchOptions, Pick<EventOptions, 'onGap'> {}

/** Most blocks whose logs are remembered, so that a reorg can take them back. */
const mostBlocks = 128

/**
 * Yields each new block's header until the loop is left: from a subscription where the client has a WebSocket, else by polls, which miss none.
 * A block that replaces another one follows its own parent. @throws RpcError
 */
export async function* watchBlocks(client: WatchClient, options: EventWatchOptions = {}): AsyncGenerator<Header> {
  const patience = createPatience(options)
  if (yield* subscribed(client, ['newHeads'], options)) return
  for await (const { added } of pollChain(client, patience)) yield added
}

/**
 * Yields the logs of new blocks that match a filter until the loop is left, as {@link watchBlocks} finds blocks. `removed: true` takes back a log
 * whose block was replaced. @throws RpcError
 */
export async function* watchLogs(
  client: WatchClient,
  filter: LogSubscriptionFilter,
  options: EventWatchOptions = {},
): AsyncGenerator<Log> {
  const patience = createPatience(options)
  if (yield* subscribed(client, ['logs', filter], options)) return
  const kept = new Map<unknown, readonly Log[]>()
  for await (const { removed, added } of pollChain(client, patience)) {
    for (const { hash } of removed)
      for (const log of kept.get(hash)?.toReversed() ?? []) yield { ...log, removed: true }
    const logs = await patience.ask(() => client.eth.getLogs({ ...filter, blockHash: added.hash! }))
    kept.set(added.hash, logs)
    for (const [hash] of kept) if (kept.size > mostBlocks) kept.delete(hash)
    yield* logs
  }
}

/** Yields the events of a subscription until it ends. Returns false if the client has no WebSocket. */
async function* subscribed<const P extends SubscriptionParams>(
  client: WatchClient,
  params: P,
  { signal, onGap }: EventWatchOptions,
): AsyncGenerator<EventOf<P>, boolean> {
  let events
  try {
    events = await client.events(params, { ...(signal && { signal }), ...(onGap && { onGap }) })
  } catch (thrown) {
    if (thrown instanceof RpcError && thrown.code === 'unavailable' && thrown.cause === undefined) return false
    throw thrown
  }
  try {
    for (;;) {
      const { done, value } = await unlessAborted(events.next(), signal, aborted)
      if (done) return true
      yield value
    }
  } finally {
    await events.return()
  }
}

const aborted = (cause: unknown): RpcError => new RpcError('aborted', 'the caller aborted the watch', { cause })
