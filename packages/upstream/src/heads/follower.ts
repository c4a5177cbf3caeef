import { type Clock, isStream, type RawJson, RpcError, toRpcError } from '@wayleave/jsonrpc-core'
import type { Endpoint } from '../endpoint.ts'
import { type Asker, isBroken, noHead } from './ask.ts'
import { type BlockAge, createBlockAge } from './block-age.ts'
import { type ChainQuestion, createChainQuestion } from './chain-question.ts'
import { type HeadFeed, openHeadFeed } from './head-feed.ts'
import type { HeadReader, SettledTag } from './head-reader.ts'
import { createKnownBlocks, type KnownBlocks } from './known-blocks.ts'
import { createLaterQuestion } from './later-question.ts'
import { createPollTiming, type PollTiming, soonestPollMs } from './poll-timing.ts'
import type { Header, Position } from './position.ts'
import { createPushedHeads } from './pushed-heads.ts'

export interface FollowerOptions {
  /** The endpoints of one node: the first is asked, the first that can push is subscribed to. */
  readonly endpoints: readonly [Endpoint, ...Endpoint[]]
  readonly reader: HeadReader
  readonly asker: Asker
  readonly clock: Clock
  /** The time from poll to poll while blocks come, in ms. */
  readonly pollMs: () => number
  /** Whether it is asked as rarely as can be while callers do not need it. */
  readonly isOnDemand: boolean
  /** Whether callers are there; without them the follower rests. */
  readonly isWanted: () => boolean
  /** Whether a block besides the latest is of interest. */
  readonly isTagWanted: (tag: SettledTag) => boolean
  /** Called after each answer, push, failure and doubt. */
  readonly onNews: () => void
}

/** Follows the head of one node. */
export interface Follower {
  readonly question: ChainQuestion
  readonly timing: Pick<PollTiming, 'silence' | 'saidAt' | 'movedAt'>
  readonly blockAge: Pick<BlockAge, 'leastMs'>
  /** The chain that the node tells. */
  readonly blocks: KnownBlocks
  readonly safe: KnownBlocks
  readonly finalized: KnownBlocks
  readonly isResting: boolean
  /** Whether its connection broke, or nobody watched it, since it told its head: another node may have come in its place. */
  readonly isLost: boolean
  /** The time of that, in ms; negative infinity before the first. */
  readonly lostAt: number
  /** The header as it came, if it is one of the last few. */
  headerOf(position: Position): RawJson | undefined
  /** Begins to follow, or goes on after a rest. */
  wake(): void
  /** Asks before the next poll is due, but not more than eight times as often: the node may have another head. */
  hint(): void
  /** Notes that the connection to the node broke. */
  disconnected(): void
  /** Asks a node that nobody follows now, or that does not tell its head, for its chain, unless it was asked a moment ago. */
  look(): Promise<void> | undefined
  /** Asks for the head by a question that begins after this call, which others may share; undefined: it told none. Never rejects. */
  headAfter(): Promise<Header | undefined>
  /** Resolves when the questions under way have settled. */
  asked(): Promise<unknown>
  close(): void
}

/** The settled blocks are asked for once in so many polls, and so many ms. */
const tagPolls = 8
const soonestTagMs = 5_000
/** The most headers that are kept as they came. */
const keptHeaders = 4
/** Blocks that a head falls or jumps at once only where another node may stand behind the address. */
const oddFall = 8
const oddJump = 64
/** Polls may be hinted at so many times as often. */
const hintsPerPoll = 8
/** Time between two looks at a node that is not followed, in ms: at one on demand, at most 60 an hour. */
const lookMs = 1_000
const rareLookMs = 90_000

export function createFollower(options: FollowerOptions): Follower {
  const { endpoints, reader, asker, clock, onNews } = options
  const [endpoint] = endpoints
  const pushing = endpoints.find(({ carriesSubscriptions }) => carriesSubscriptions)
  const question = createChainQuestion({ endpoint, reader, asker, clock })
  const timing = createPollTiming()
  const blockAge = createBlockAge()
  const blocks = createKnownBlocks()
  const pushed = createPushedHeads(reader)
  const tags: Record<SettledTag, KnownBlocks> = { safe: createKnownBlocks(), finalized: createKnownBlocks() }
  const tagDueAt: Record<SettledTag, number> = { safe: Number.NEGATIVE_INFINITY, finalized: Number.NEGATIVE_INFINITY }
  const headers: { readonly hash: string; readonly raw: RawJson }[] = []
  let feed: HeadFeed | undefined
  let isResting = true
  let isClosed = false
  let lostAt = Number.NEGATIVE_INFINITY
  let isLost = false
  let askedAt = Number.NEGATIVE_INFINITY
  /** The time at which it is asked before the next poll is due, in ms. */
  let hintedAt = Number.POSITIVE_INFINITY
  let asking: Promise<Header | undefined> | undefined
  let timer: { readonly at: number; readonly stop: () => void } | undefined

  function heard(header: Header, raw: RawJson | undefined, isPush: boolean): void {
    if (isPush || askedAt >= lostAt) isLost = false
    const before = blocks.head
    const isMove = before?.hash !== header.hash
    timing.heard(isMove, isPush, clock.now())
    if (isMove) {
      blocks.learn(header)
      if (raw !== undefined) headers.unshift({ hash: header.hash, raw })
      headers.length = Math.min(headers.length, keptHeaders)
      const blocksOn = header.number - (before?.number ?? header.number)
      if (blocksOn > 0 && header.timestamp !== undefined) blockAge.note(header.timestamp, clock.date())
      if (blocksOn < -oddFall || blocksOn > oddJump) question.doubt()
    }
    onNews()
  }

  function failed(thrown: unknown): void {
    if (isClosed) return
    const why = toRpcError(thrown, 'unavailable', 'the head could not be read')
    timing.failed(why, clock.now())
    if (isBroken(why)) lost()
    if (timing.silence !== undefined || isBroken(why)) question.doubt()
    onNews()
  }

  function beginHead(): Promise<Header | undefined> {
    hintedAt = Number.POSITIVE_INFINITY
    askedAt = clock.now()
    return (asking = askHead())
  }

  async function askHead(): Promise<Header | undefined> {
    let header: Header | undefined
    try {
      const request = reader.head('latest')
      if (request === undefined) throw new RpcError('unavailable', 'this family of nodes has no latest block')
      const response = await asker.ask(endpoint, 'latest', request)
      header = reader.positionOf(response)
      if (header === undefined) throw noHead(response.error?.code)
      heard(header, response.result === undefined || isStream(response.result) ? undefined : response.result, false)
    } catch (thrown) {
      failed(thrown)
    }
    asking = undefined
    plan()
    return header
  }

  const later = createLaterQuestion({ ask: beginHead, underWay: () => asking, clock })

  async function askTag(tag: SettledTag): Promise<void> {
    const request = reader.head(tag)
    tagDueAt[tag] = Number.POSITIVE_INFINITY
    try {
      const header = request && reader.positionOf(await asker.ask(endpoint, tag, request))
      if (header !== undefined) tags[tag].learn(header)
    } catch {
      // The head tells whether the node is there.
    }
    tagDueAt[tag] = clock.now() + Math.max(tagPolls * options.pollMs(), soonestTagMs)
    if (!isClosed) onNews()
  }

  async function askChain(): Promise<void> {
    await question.ask()
    if (isClosed) return
    if (question.state === 'wrong') closeFeed()
    else if (!isResting) feed ??= openFeed()
    onNews()
    plan()
  }

  /** Asks all that is due. */
  function round(): void {
    timer = undefined
    if (isClosed) return
    if (!options.isWanted()) return rest()
    const now = clock.now()
    if (now >= question.dueAt) void askChain()
    // A timer may run a little early.
    if (asking === undefined && now >= nextHeadAt() - 1) void beginHead()
    for (const tag of ['safe', 'finalized'] as const) {
      if (now >= tagDueAt[tag] && question.state !== 'wrong' && options.isTagWanted(tag)) void askTag(tag)
    }
    plan()
  }

  function plan(): void {
    if (isClosed || isResting || asking !== undefined) return
    const at = Math.max(Math.min(nextHeadAt(), question.dueAt), askedAt + soonestPollMs)
    if (timer !== undefined && timer.at <= at) return
    timer?.stop()
    timer = { at, stop: clock.after(Math.max(0, at - clock.now()), round) }
  }

  /** A node of another chain is asked only for its chain. */
  function nextHeadAt(): number {
    if (question.state === 'wrong') return Number.POSITIVE_INFINITY
    return Math.min(hintedAt, timing.nextAt(askedAt, options.pollMs(), feed?.isOpen === true, clock.now()))
  }

  function hint(at: number): void {
    if (asking !== undefined || at >= hintedAt) return
    hintedAt = at
    plan()
  }

  function lost(): void {
    if (blocks.head === undefined) return
    isLost = true
    lostAt = clock.now()
  }

  function disconnected(): void {
    if (isClosed) return
    lost()
    question.doubt()
    // A question under way may have been answered before.
    hintedAt = Math.min(hintedAt, askedAt)
    plan()
    onNews()
  }

  function openFeed(): HeadFeed | undefined {
    return (
      pushing &&
      openHeadFeed({
        endpoint: pushing,
        reader,
        asker,
        clock,
        onHeader(header, raw) {
          const meaning = pushed(header, raw)
          if (meaning === 'head') return heard(header, raw, true)
          if (meaning === 'first') hint(askedAt)
        },
        onLoss(hasEnded) {
          timing.missed()
          if (hasEnded) disconnected()
          else hint(askedAt)
        },
      })
    )
  }

  function closeFeed(): void {
    feed?.stop()
    feed = undefined
  }

  function rest(): void {
    isResting = true
    timer?.stop()
    timer = undefined
    closeFeed()
  }

  return {
    question,
    timing,
    blockAge,
    blocks,
    safe: tags.safe,
    finalized: tags.finalized,
    get isResting() {
      return isResting
    },
    get isLost() {
      return isLost
    },
    get lostAt() {
      return lostAt
    },
    headerOf: ({ hash }) => headers.find((header) => header.hash === hash)?.raw,
    wake() {
      if (!isResting || isClosed) return
      isResting = false
      // Nobody watched the connection meanwhile.
      if (timing.saidAt > Number.NEGATIVE_INFINITY) question.doubt()
      lost()
      feed = openFeed()
      round()
      onNews()
    },
    hint: () => hint(askedAt + options.pollMs() / hintsPerPoll),
    disconnected,
    look() {
      const maxAgeMs = options.isOnDemand ? rareLookMs : lookMs
      const isFollowed = !isResting && !isLost && blocks.head !== undefined && timing.silence === undefined
      const isRecent = isFollowed || clock.now() - question.answeredAt < maxAgeMs
      return isClosed || (isRecent && question.state !== 'unknown') ? undefined : askChain()
    },
    headAfter: async () => (question.state === 'wrong' ? undefined : later.answer()),
    asked: () => Promise.all([question.state === 'unknown' ? askChain() : undefined, asking]),
    close() {
      isClosed = true
      later.close()
      rest()
    },
  }
}
