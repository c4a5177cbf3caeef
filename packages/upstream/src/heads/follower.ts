import { type Clock, isStream, type RawJson, RpcError, toRpcError } from '@wayleave/jsonrpc-core'
import type { Endpoint } from '../endpoint.ts'
import type { Asker } from './ask.ts'
import { type ChainQuestion, createChainQuestion } from './chain-question.ts'
import { type HeadFeed, openHeadFeed } from './head-feed.ts'
import type { HeadReader, SettledTag } from './head-reader.ts'
import { createKnownBlocks, type KnownBlocks } from './known-blocks.ts'
import type { Header, Position } from './position.ts'

export interface FollowerOptions {
  /** The endpoints of one node: the first is asked, the first that can push is subscribed to. */
  readonly endpoints: readonly [Endpoint, ...Endpoint[]]
  readonly reader: HeadReader
  readonly asker: Asker
  readonly clock: Clock
  /** The time from poll to poll while blocks come, in ms. */
  readonly pollMs: () => number
  /** Whether callers are there; without them the follower rests. */
  readonly isWanted: () => boolean
  /** Whether a block besides the latest is of interest. */
  readonly isTagWanted: (tag: SettledTag) => boolean
  /** Called after each answer, push and failure. */
  readonly onNews: () => void
}

/** Follows the head of one node. */
export interface Follower {
  readonly question: ChainQuestion
  /** The chain that the node tells. */
  readonly blocks: KnownBlocks
  readonly safe: KnownBlocks
  readonly finalized: KnownBlocks
  /** The times of the last word and of the last head that was another one than before, in ms. */
  readonly saidAt: number
  readonly movedAt: number
  /** Whether the node has said its head or failed to by now. */
  readonly hasSettled: boolean
  /** Why the node counts as silent; undefined while it answers. */
  readonly silence: string | undefined
  readonly isResting: boolean
  /** The header as it came, if it is one of the last few. */
  headerOf(position: Position): RawJson | undefined
  /** Begins to follow, or goes on after a rest. */
  wake(): void
  /** Asks before the next poll is due, but not more than eight times as often: the node may have another head. */
  hint(): void
  /** Notes that the connection to the node broke. */
  disconnected(): void
  /** Resolves when the questions under way have settled. */
  asked(): Promise<unknown>
  close(): void
}

/** Times in ms. */
const soonest = 250
const slowestRetry = 2_000
const longOutage = 60_000
const outageRetry = 10_000
const longestRetryAfter = 60_000
const soonestWatchdog = 1_000
const soonestTag = 5_000
/** Intervals of polling after which pushes count as stopped, and between questions for the slow tags. */
const watchdogPolls = 3
const tagPolls = 8
/** A single failure is no silence; a timeout counts as two. */
const silentAfter = 2
const keptHeaders = 4

export function createFollower(options: FollowerOptions): Follower {
  const { endpoints, reader, asker, clock, onNews } = options
  const [endpoint] = endpoints
  const pushing = endpoints.find(({ carriesSubscriptions }) => carriesSubscriptions)
  const question = createChainQuestion({ endpoint, reader, asker, clock })
  const blocks = createKnownBlocks()
  const tags: Record<SettledTag, KnownBlocks> = { safe: createKnownBlocks(), finalized: createKnownBlocks() }
  const tagDueAt: Record<SettledTag, number> = { safe: Number.NEGATIVE_INFINITY, finalized: Number.NEGATIVE_INFINITY }
  const headers: { readonly hash: string; readonly raw: RawJson }[] = []
  let feed: HeadFeed | undefined
  let isResting = true
  let isClosed = false
  let saidAt = Number.NEGATIVE_INFINITY
  let movedAt = Number.NEGATIVE_INFINITY
  let pushedAt = Number.NEGATIVE_INFINITY
  let askedAt = Number.NEGATIVE_INFINITY
  let failures = 0
  let failingSince = 0
  let failedAt = 0
  let retryAfterMs = 0
  let silence: string | undefined
  /** Polls since the last new head. */
  let idlePolls = 0
  let asking: Promise<void> | undefined
  /** The time at which it is asked before the next poll is due, in ms. */
  let hintedAt = Number.POSITIVE_INFINITY
  let timer: { readonly at: number; readonly stop: () => void } | undefined

  function heard(header: Header, raw: RawJson | undefined): void {
    const now = clock.now()
    saidAt = now
    failures = retryAfterMs = 0
    silence = undefined
    if (blocks.head?.hash === header.hash) idlePolls++
    else {
      idlePolls = 0
      movedAt = now
      blocks.learn(header)
      if (raw !== undefined) headers.unshift({ hash: header.hash, raw })
      headers.length = Math.min(headers.length, keptHeaders)
    }
    onNews()
  }

  function failed(thrown: unknown): void {
    const why = toRpcError(thrown, 'unavailable', 'the head could not be read')
    if (isClosed) return
    failedAt = clock.now()
    if (failures === 0) failingSince = failedAt
    failures += why.code === 'timeout' ? silentAfter : 1
    retryAfterMs = Math.min(why.retryAfterMs ?? 0, longestRetryAfter)
    if (failures >= silentAfter) silence = why.code === 'rpc' ? why.message : why.code
    if (silence !== undefined || isBroken(why)) question.doubt()
    onNews()
  }

  async function askHead(): Promise<void> {
    try {
      const request = reader.head('latest')
      if (request === undefined) throw new RpcError('unavailable', 'this family of nodes has no latest block')
      const response = await asker.ask(endpoint, 'latest', request)
      const header = reader.positionOf(response)
      if (header === undefined) throw noHead(response.error?.code)
      heard(header, response.result === undefined || isStream(response.result) ? undefined : response.result)
    } catch (thrown) {
      failed(thrown)
    }
    asking = undefined
    plan()
  }

  async function askTag(tag: SettledTag): Promise<void> {
    const request = reader.head(tag)
    tagDueAt[tag] = Number.POSITIVE_INFINITY
    try {
      const header = request && reader.positionOf(await asker.ask(endpoint, tag, request))
      if (header !== undefined) tags[tag].learn(header)
    } catch {
      // The head tells whether the node is there.
    }
    tagDueAt[tag] = clock.now() + Math.max(tagPolls * options.pollMs(), soonestTag)
    if (!isClosed) onNews()
  }

  function askChain(): Promise<void> {
    return question.ask().then(() => {
      if (isClosed) return
      if (question.state === 'wrong') closeFeed()
      else if (!isResting) feed ??= openFeed()
      onNews()
      plan()
    })
  }

  /** Asks all that is due. */
  function round(): void {
    timer = undefined
    if (isClosed) return
    if (!options.isWanted()) return rest()
    const now = clock.now()
    if (now >= question.dueAt) void askChain()
    // A timer may run a little early.
    if (asking === undefined && now >= nextHeadAt() - 1) {
      hintedAt = Number.POSITIVE_INFINITY
      askedAt = now
      asking = askHead()
    }
    for (const tag of ['safe', 'finalized'] as const) {
      if (now >= tagDueAt[tag] && question.state !== 'wrong' && options.isTagWanted(tag)) void askTag(tag)
    }
    plan()
  }

  function rest(): void {
    isResting = true
    timer?.stop()
    timer = undefined
    closeFeed()
  }

  function closeFeed(): void {
    feed?.stop()
    feed = undefined
  }

  function plan(): void {
    if (isClosed || isResting || asking !== undefined) return
    const at = Math.max(Math.min(nextHeadAt(), question.dueAt), askedAt + soonest)
    if (timer !== undefined && timer.at <= at) return
    timer?.stop()
    timer = { at, stop: clock.after(Math.max(0, at - clock.now()), round) }
  }

  function nextHeadAt(): number {
    // A node of another chain is asked only for its chain.
    return question.state === 'wrong' ? Number.POSITIVE_INFINITY : Math.min(hintedAt, nextPollAt())
  }

  function nextPollAt(): number {
    if (failures > 0) {
      const isLong = failedAt - failingSince > longOutage
      const retry = isLong ? outageRetry : Math.min(soonest * 2 ** (failures - 1), slowestRetry)
      return failedAt + Math.max(retry, retryAfterMs)
    }
    const poll = options.pollMs()
    const quiet = Math.max(watchdogPolls * poll, soonestWatchdog)
    if (feed?.isOpen === true && clock.now() - pushedAt < quiet) return saidAt + quiet
    // The next block is expected one interval after the last; if it is late, it is asked for more and more rarely.
    if (idlePolls === 0) return Math.max(movedAt + (poll * 7) / 8, askedAt + poll / 4)
    return askedAt + Math.min((poll / 4) * 2 ** Math.min(idlePolls - 1, 2), poll)
  }

  function hint(at: number): void {
    if (asking !== undefined || at >= hintedAt) return
    hintedAt = at
    plan()
  }

  function disconnected(): void {
    question.doubt()
    hint(askedAt)
  }

  function openFeed(): HeadFeed | undefined {
    if (pushing === undefined) return undefined
    return openHeadFeed({
      endpoint: pushing,
      reader,
      asker,
      clock,
      onHeader(header, raw) {
        pushedAt = clock.now()
        heard(header, raw)
      },
      onLoss(hasEnded) {
        pushedAt = Number.NEGATIVE_INFINITY
        if (hasEnded) disconnected()
        else hint(askedAt)
      },
    })
  }

  return {
    question,
    blocks,
    safe: tags.safe,
    finalized: tags.finalized,
    get saidAt() {
      return saidAt
    },
    get movedAt() {
      return movedAt
    },
    get hasSettled() {
      return blocks.head !== undefined || silence !== undefined
    },
    get silence() {
      return silence
    },
    get isResting() {
      return isResting
    },
    headerOf: ({ hash }) => headers.find((header) => header.hash === hash)?.raw,
    wake() {
      if (!isResting || isClosed) return
      isResting = false
      // Nobody watched the connection meanwhile.
      if (saidAt > Number.NEGATIVE_INFINITY) question.doubt()
      feed = openFeed()
      round()
    },
    hint: () => hint(askedAt + options.pollMs() / 8),
    disconnected,
    asked: () => Promise.all([question.state === 'unknown' ? askChain() : undefined, asking]),
    close() {
      isClosed = true
      rest()
    },
  }
}

/** Whether the node at the other end may be another one after a failure. */
export function isBroken({ code }: RpcError): boolean {
  return code === 'connect' || code === 'disconnected'
}

function noHead(code: number | undefined): RpcError {
  const told = code === undefined ? 'no head in the answer' : `error ${code} instead of a head`
  return new RpcError('rpc', told)
}
