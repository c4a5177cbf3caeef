import { type Clock, type RpcContext, RpcError, type RpcSink } from '@wayleave/jsonrpc-core'
import { noteAddedHead } from './added-head.ts'
import { type BlockContents, type BlockLogs, mostAddresses } from './block-logs.ts'
import type { StreamBlock } from './block.ts'
import { type BlockQueue, createBlockQueue, positionBefore, type QueuedBlock } from './block-queue.ts'
import type { BlockPosition, ChainStream, ChainUpdate } from './chain-source.ts'
import { endWithPlace } from './end-with-place.ts'
import { createFilterIndex } from './filter-index.ts'
import type { LogCriteria } from './log-filter.ts'
import { arrayOfReceipts } from './stream-log.ts'

/** Options of {@link createFanOut}. */
export interface FanOutOptions {
  readonly stream: ChainStream
  readonly blockLogs: BlockLogs
  readonly clock: Clock
  /** The most blocks that are read at a time. Default 4. */
  readonly concurrency?: number
  /** The most blocks that may wait to be read; past it, those who wait for them are ended. Default 2,048. */
  readonly maxQueued?: number
}

/**
 * Tells any number of sinks about one chain, each event made once for all. Each method returns a function that leaves; nothing is
 * told after it. A sink is told what comes after it joined, whole blocks only, and is ended with an `RpcError` where events would
 * be missing: its message ends with `resume from block N (0xhash)`, the last block of which all was told. Sinks of heads and logs are
 * also told that place as `reached`: when they join, and those of logs after each block.
 */
export interface FanOut {
  /** Tells the header of each added block, at once. */
  newHeads(sink: FanOutSink): () => void
  /**
   * Tells the logs that match. Those of a removed block are told again with `removed: true`, newest first, to the sinks that were
   * told them. `reported`: the blocks at the end of the stream whose logs the sink is told otherwise, by height.
   * @throws RpcError `overloaded` where all filters name too many values
   */
  logs(criteria: LogCriteria, sink: FanOutSink, reported?: { readonly from: number; readonly to: number }): () => void
  /** Tells the receipts of each added block as one array, where there are any; `hashes`: only those of these transactions, in lower case. */
  transactionReceipts(hashes: ReadonlySet<string> | undefined, sink: RpcSink): () => void
  /** The count of sinks. */
  readonly size: number
  /** Ends all sinks with `why`. */
  close(why: RpcError): void
}

/** A sink that may be told the past meanwhile. */
export interface FanOutSink extends RpcSink {
  /** The last block of which the sink itself was told all, where that is behind what it is told here. */
  readonly place?: () => BlockPosition | undefined
}

interface Subscriber {
  /** Those with a lower number joined earlier. */
  readonly id: number
  readonly sink: FanOutSink
  readonly hashes?: ReadonlySet<string> | undefined
  isOver: boolean
  leave: () => void
}

/** The most blocks that are remembered as told. */
const mostReported = 256
/** A height above all. */
const unknown = Number.MAX_SAFE_INTEGER
const event = 'eth_subscription'

/** Creates a fan-out. It watches the stream only while there are sinks, and reads only blocks that somebody wants. */
export function createFanOut(options: FanOutOptions): FanOut {
  const { stream, blockLogs, clock, concurrency = 4, maxQueued = 2_048 } = options
  const heads = new Set<Subscriber>()
  const receipts = new Set<Subscriber>()
  const index = createFilterIndex<Subscriber>()
  const loggers = new Set<Subscriber>()
  /** The blocks that subscribers were told when they resumed, as far as they are on the chain. */
  const resumed = new Map<number, { readonly from: number; readonly to: number }>()
  /** Up to which subscriber each block's logs were told, by its hash. */
  const reported = new Map<string, number>()
  const queue: BlockQueue = createBlockQueue({ clock, concurrency, read, deliver, failed })
  let nextId = 0
  let unwatch: (() => void) | undefined

  function join(
    set: Set<Subscriber>,
    sink: FanOutSink,
    enter: (subscriber: Subscriber) => () => void,
    hashes?: ReadonlySet<string>,
  ): () => void {
    const subscriber: Subscriber = { id: nextId++, sink, hashes, isOver: false, leave() {} }
    const exit = enter(subscriber)
    set.add(subscriber)
    subscriber.leave = () => {
      if (subscriber.isOver) return
      subscriber.isOver = true
      set.delete(subscriber)
      exit()
      if (loggers.size + receipts.size === 0) queue.clear()
      if (loggers.size + receipts.size + heads.size > 0) return
      unwatch?.()
      rest()
    }
    try {
      unwatch ??= stream.watch({ begun: (after) => reached([...heads, ...loggers], after), update, lost })
    } catch (thrown) {
      subscriber.leave()
      throw thrown
    }
    const { head } = stream
    if (head !== undefined) reached([subscriber], head)
    return subscriber.leave
  }

  function reached(subscribers: readonly Subscriber[], { number: height, hash }: BlockPosition): void {
    for (const { isOver, sink } of subscribers) if (!isOver) sink.reached?.({ height, hash })
  }

  function rest(): void {
    unwatch = undefined
    resumed.clear()
    reported.clear()
    queue.clear()
  }

  function update({ kind, block }: ChainUpdate): void {
    if (kind === 'added') {
      noteAddedHead(block.header)
      const present = [...heads]
      for (const subscriber of present) if (!subscriber.isOver) subscriber.sink.event(event, block.header)
      if (loggers.size + receipts.size === 0) return
      const parent = parentOf(block)
      queue.push({ kind, block, parent, before: nextId, logs: loggers.size > 0, receipts: receipts.size > 0 })
      for (const [id, { to }] of resumed) if (to < block.number - mostReported) resumed.delete(id)
    } else {
      const isUnreported = queue.retract(block.hash) || !(reported.has(block.hash) || queue.awaits(block.hash))
      const also = takeResumed(block.number)
      if ((!isUnreported || also !== undefined) && loggers.size > 0) {
        queue.push({ kind, block, parent: parentOf(block), before: nextId, also, logs: true, receipts: false })
      }
    }
    if (queue.size > maxQueued) {
      const why = new RpcError('overloaded', 'blocks are read too late')
      const place = queue.reached() ?? block
      endAll([...loggers, ...receipts], why, () => place)
    }
  }

  /** The parent by the height that the stream remembers: no block may have been made right below its child. */
  function parentOf({ number, parentHash }: StreamBlock): BlockPosition {
    const known = stream.recent.findLast(({ hash }) => hash === parentHash)
    return { number: known?.number ?? number - 1, hash: parentHash }
  }

  /** The subscribers that were told the block at this height when they resumed; it is told no more. */
  function takeResumed(number: number): ReadonlySet<number> | undefined {
    let also: Set<number> | undefined
    for (const [id, { from, to }] of resumed) {
      if (number < from || number > to) continue
      also = (also ?? new Set()).add(id)
      resumed.set(id, { from, to: number - 1 })
    }
    return also
  }

  /** Tells who is told a block's logs: those who joined before it was added. */
  function audienceOf({ kind, block, before, also }: QueuedBlock): (subscriber: Subscriber) => boolean {
    const limit = kind === 'added' ? before : (reported.get(block.hash) ?? 0)
    return ({ id }) => id < limit || also?.has(id) === true
  }

  function read(
    { kind, block, logs, receipts: wantsReceipts, also }: QueuedBlock,
    context: RpcContext,
  ): Promise<BlockContents> {
    // Only logs that were told live are kept.
    const kept = kind === 'removed' && also === undefined ? blockLogs.kept(block.hash) : undefined
    if (kept !== undefined) return Promise.resolve({ logs: kept, receipts: [] })
    const wanted = {
      logs,
      receipts: wantsReceipts,
      addresses: index.addresses(mostAddresses),
      mayMatch: index.mayMatch,
    }
    return blockLogs.read(block, wanted, context)
  }

  function deliver(queued: QueuedBlock, contents: BlockContents): void {
    if (queued.logs) deliverLogs(queued, contents)
    if (!queued.receipts || contents.receipts.length === 0) return
    const all = arrayOfReceipts(contents.receipts)
    const present = [...receipts]
    for (const { id, isOver, hashes, sink } of present) {
      if (isOver || id >= queued.before) continue
      const own = hashes && contents.receipts.filter(({ transactionHash }) => hashes.has(transactionHash))
      if (own === undefined) sink.event(event, all)
      else if (own.length > 0) sink.event(event, arrayOfReceipts(own))
    }
  }

  function deliverLogs(queued: QueuedBlock, { logs }: BlockContents): void {
    const { kind, block, parent, before } = queued
    const isReported = audienceOf(queued)
    const isRemoved = kind === 'removed'
    const matches = index.match(logs).filter(([subscriber]) => isReported(subscriber))
    if (isRemoved) reported.delete(block.hash)
    else {
      const some = new Set(matches.flatMap(([, at]) => at))
      blockLogs.keep(
        block.hash,
        logs.filter((_, i) => some.has(i)),
      )
      reported.set(block.hash, before)
      const [oldest] = reported.keys()
      if (reported.size > mostReported) reported.delete(oldest!)
    }
    for (const [subscriber, at] of matches) {
      for (const i of isRemoved ? at.toReversed() : at) {
        if (subscriber.isOver) break
        subscriber.sink.event(event, isRemoved ? logs[i]!.removed() : logs[i]!.raw)
      }
    }
    const present = [...loggers].filter(({ id }) => id < before)
    reached(present, isRemoved ? parent : block)
  }

  function failed(queued: QueuedBlock, why: RpcError): void {
    const concerned = [...(queued.logs ? loggers : []), ...(queued.receipts ? receipts : [])]
    endAll(concerned.filter(audienceOf(queued)), why, () => positionBefore(queued))
  }

  function lost(after: BlockPosition | undefined, why: RpcError): void {
    const present = [...loggers, ...receipts, ...heads]
    const lastReported = queue.reached() ?? after
    // The stream has forgotten the watcher; a sink that joins from here on watches anew.
    rest()
    endAll(present, why, (subscriber) => (heads.has(subscriber) ? after : lastReported))
  }

  /** The sinks that were told least end first: the first end of a connection's sinks closes it, and is the one that it learns. */
  function endAll(
    subscribers: readonly Subscriber[],
    why: RpcError,
    placeOf: (subscriber: Subscriber) => BlockPosition | undefined,
  ): void {
    const ends = subscribers.map((subscriber) => ({
      subscriber,
      place: subscriber.sink.place?.() ?? placeOf(subscriber),
    }))
    ends.sort((one, other) => (one.place?.number ?? unknown) - (other.place?.number ?? unknown))
    for (const { subscriber, place } of ends) {
      if (subscriber.isOver) continue
      subscriber.leave()
      subscriber.sink.end(endWithPlace(why, place))
    }
  }

  return {
    newHeads: (sink) => join(heads, sink, () => () => {}),
    logs: (criteria, sink, before) =>
      join(loggers, sink, (subscriber) => {
        const exit = index.add(criteria, subscriber)
        if (before !== undefined) resumed.set(subscriber.id, before)
        return () => {
          resumed.delete(subscriber.id)
          exit()
        }
      }),
    transactionReceipts: (hashes, sink) => join(receipts, sink, () => () => {}, hashes),
    get size() {
      return heads.size + loggers.size + receipts.size
    },
    close(why) {
      const all = [...heads, ...loggers, ...receipts]
      for (const subscriber of all) {
        if (subscriber.isOver) continue
        subscriber.leave()
        subscriber.sink.end(why)
      }
    },
  }
}
