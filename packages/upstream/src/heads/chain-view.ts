import type { RawJson, RpcContext, RpcError } from '@wayleave/jsonrpc-core'
import type { Endpoint } from '../endpoint.ts'
import { createAncestry } from './ancestry.ts'
import { createAsker, isBroken } from './ask.ts'
import type { ChainViewOptions } from './chain-view-options.ts'
import type { Voter } from './cluster.ts'
import { type EndpointView, isChange, viewOf } from './endpoint-view.ts'
import { endpointsByName } from './endpoints-by-name.ts'
import { createFollower, type Follower } from './follower.ts'
import type { SettledTag } from './head-reader.ts'
import type { HeadUpdate } from './head-update.ts'
import { createLosses } from './losses.ts'
import { createPace } from './pace.ts'
import type { Position } from './position.ts'
import { createServedHead, type HeadHealth } from './served-head.ts'
import { findStrangers } from './strangers.ts'
import { createServedTag } from './served-tag.ts'

/** One view of a chain over all of its upstreams. */
export interface ChainView {
  /** The served head: all upstreams that stand good have it, or had it a moment ago. Undefined until upstreams agree on one. */
  readonly head: Position | undefined
  /** The header of the served head, as a node told it; undefined where it is not kept, or heads are not followed now. */
  readonly header: RawJson | undefined
  /** The highest head that the chain can have reached by now. Undefined like `head`. */
  readonly plausible: number | undefined
  /** The blocks that a majority of the good upstreams calls safe, and finalized. */
  readonly safe: Position | undefined
  readonly finalized: Position | undefined
  /** The chain's pace, in ms a block. */
  readonly blockTimeMs: number
  /** Returns the view of one endpoint; endpoints of one name share it. @throws TypeError for a name that the view does not follow. */
  of(endpoint: Endpoint): EndpointView
  /** How often all endpoints that are followed were lost at once: those that come back may have another chain. */
  readonly losses: number
  /** Whether any endpoint may be of another chain. */
  readonly hasStrangers: boolean
  /** Calls `listener`, which must not throw, with each change of the served head. Numbers may be skipped. Returns a function that forgets it. */
  watch(listener: (update: HeadUpdate) => void): () => void
  /** Notes that an endpoint's answer to a caller named a head. It moves nothing by itself: the endpoint is asked. */
  observed(endpoint: Endpoint, position: { readonly number: number }): void
  /** Notes that a caller's attempt failed. A broken connection may end at another node next time: its chain is asked again. */
  failed(endpoint: Endpoint, why: RpcError): void
  /** Notes that a caller is there, and which block they are interested in. Nothing is asked before the first, nor after a while without. */
  wanted(tag?: SettledTag): void
  /** Notes that a caller needs an endpoint that is followed only on demand. */
  promoted(endpoint: Endpoint): void
  /**
   * Resolves once an endpoint has told, or failed to tell, its chain and its head, and a first head is served or all others have told or
   * failed to tell theirs, too: within the time of one question, or when the call is cancelled. Undefined: it is known. Never rejects.
   */
  known(endpoint: Endpoint, context: RpcContext): Promise<void> | undefined
  /**
   * Asks an endpoint for its chain where nothing was heard of it for a second, one that is followed on demand where nothing was for 90 s.
   * Nothing is followed for that. Resolves within the time of one question; undefined: there is no need to ask. Never rejects.
   */
  look(endpoint: Endpoint): Promise<void> | undefined
  /**
   * Asks an endpoint for its head by a question that begins after this call, at most ten a second: all calls meanwhile share one. Resolves
   * with the head, undefined where it told none. Never rejects.
   */
  headAfter(endpoint: Pick<Endpoint, 'name'>): Promise<Position | undefined>
  /** Cancels what is under way. Nothing is asked afterwards. */
  close(): Promise<void>
}

/** Bounds of the time from poll to poll, in ms. */
const soonestPollMs = 250
const latestPollMs = 12_000
/** Time for which the vote of an upstream that fell silent is missed, in ms. */
const missedMs = 10_000

interface Node {
  readonly endpoint: Endpoint
  readonly isOnDemand: boolean
  readonly follower: Follower
  readonly voter: Voter
  wantedUntil: number
  view: EndpointView
}

/** Creates the view of a chain. It asks nothing before `wanted`, `promoted` or `known` is called. */
export function createChainView(options: ChainViewOptions): ChainView {
  const { reader, clock, holdMs = 60_000, askTimeoutMs = 2_000, idleMs = 60_000 } = options
  const asker = createAsker({ clock, timeoutMs: askTimeoutMs, onAsk: options.onAsk })
  const pace = createPace(options.blockTimeMs ?? 2_000)
  const rule = createServedHead({ toleratedLag: options.toleratedLag, holdMs })
  const listeners = new Set<(update: HeadUpdate) => void>()
  const tags = { safe: createServedTag(), finalized: createServedTag() }
  const tagWantedUntil: Record<SettledTag, number> = {
    safe: Number.NEGATIVE_INFINITY,
    finalized: Number.NEGATIVE_INFINITY,
  }
  let wantedUntil = Number.NEGATIVE_INFINITY
  let reference = 0
  /** Whether no endpoint can be judged yet, as the others may stand elsewhere; and those who wait for that to end. */
  let isUndecided = true
  const undecided = new Set<() => void>()
  let isClosed = false
  const nodes = new Map<string, Node>()
  for (const [name, endpoints] of endpointsByName(options.endpoints)) nodes.set(name, createNode(endpoints))
  const followers = [...nodes.values()].map(({ follower }) => follower)
  const losses = createLosses(followers)
  let strangers = findStrangers(followers)

  function createNode(endpoints: readonly [Endpoint, ...Endpoint[]]): Node {
    const [endpoint] = endpoints
    const isOnDemand = options.isOnDemand?.(endpoint) ?? false
    const follower = createFollower({
      endpoints,
      reader,
      asker,
      clock,
      pollMs: () => Math.min(Math.max(pace.blockTimeMs, soonestPollMs), latestPollMs),
      isOnDemand,
      isWanted: () => clock.now() < (isOnDemand ? node.wantedUntil : wantedUntil),
      isTagWanted: (tag) => clock.now() < tagWantedUntil[tag],
      onNews: judge,
    })
    const { blocks } = follower
    const { hasParent, linkTo } = createAncestry({ endpoint, reader, asker, clock, blocks, onNews: judge })
    const voter: Voter = {
      name: endpoint.name,
      blocks,
      get movedAt() {
        return follower.timing.movedAt
      },
      hasParent,
      linkTo,
    }
    const node: Node = {
      endpoint,
      isOnDemand,
      follower,
      voter,
      wantedUntil: Number.NEGATIVE_INFINITY,
      view: viewOf(follower, 'unknown', 0, reader.expectedChain),
    }
    return node
  }

  /** Looks at all nodes again. */
  function judge(): void {
    if (isClosed) return
    const now = clock.now()
    let electorate = 0
    const voters: Voter[] = []
    let pending = 0
    let silent = 0
    strangers = findStrangers(followers)
    for (const node of nodes.values()) {
      const { question, timing, blocks, isResting, isLost } = node.follower
      if (isResting || question.state === 'wrong' || strangers.has(node.follower)) continue
      const isSilent = timing.silence !== undefined
      const isPending = question.state === 'unknown' || ((isLost || blocks.head === undefined) && !isSilent)
      if (isPending) pending++
      else if (isSilent) silent++
      else voters.push(node.voter)
      if (isPending || now - timing.saidAt < missedMs || !isSilent) electorate++
    }
    losses.note()
    const before = rule.head
    const { blockTimeMs } = pace
    const verdict = rule.judge({ voters, electorate, pending, silent, blockTimeMs, now })
    reference = verdict.reference
    if (verdict.advance !== undefined) pace.advanced(verdict.advance.blocks, verdict.advance.ms)
    for (const node of nodes.values()) updateView(node, verdict.healthByName.get(node.endpoint.name))
    if (rule.head !== undefined) judgeTags(rule.head, now)
    isUndecided = rule.head === undefined && (pending > 0 || rule.isDisputed || rule.isApart)
    // Only one in reserve may decide.
    if (rule.isDisputed) for (const node of nodes.values()) if (node.isOnDemand) promote(node.endpoint)
    if (!isUndecided) {
      for (const resolve of undecided) resolve()
      undecided.clear()
    }
    const updates: HeadUpdate[] = verdict.dropped.map((at) => ({ kind: 'dropped', at }))
    if (rule.head !== undefined && rule.head !== before)
      updates.push({ kind: 'new', at: rule.head, header: headerOf(rule.head) })
    for (const update of updates) for (const listener of listeners) listener(update)
    options.onJudged?.()
  }

  function judgeTags(head: Position, now: number): void {
    const good = [...nodes.values()].filter(({ view }) => view.health === 'good')
    for (const tag of ['safe', 'finalized'] as const) {
      const reported = good.map(({ follower }) => follower[tag]).filter((blocks) => blocks.head !== undefined)
      tags[tag].judge(reported, head, now)
    }
  }

  function updateView(node: Node, judged: HeadHealth | undefined): void {
    const { endpoint, follower, view: before } = node
    const health = follower.timing.silence === undefined ? (judged ?? 'unknown') : 'silent'
    node.view = viewOf(follower, health, reference, reader.expectedChain, strangers.has(follower))
    if (isChange(before, node.view)) options.onChange?.(endpoint, node.view, before)
    // The others may have gone on as well, since they were asked.
    if (health === 'ahead' && before.health !== 'ahead') for (const each of followers) each.hint()
  }

  const headerOf = (at: Position): RawJson | undefined =>
    followers.map((follower) => follower.headerOf(at)).find((header) => header !== undefined)

  function nodeOf({ name }: Pick<Endpoint, 'name'>): Node {
    const node = nodes.get(name)
    if (node === undefined)
      throw new TypeError(`expected an endpoint of the view, got ${name}: pass it to createChainView`)
    return node
  }

  function want(now = clock.now()): void {
    const isLate = now >= wantedUntil
    wantedUntil = now + idleMs
    if (!isLate || isClosed) return
    for (const { follower, isOnDemand } of nodes.values()) if (!isOnDemand) follower.wake()
  }

  function promote(endpoint: Pick<Endpoint, 'name'>): Node {
    const node = nodeOf(endpoint)
    want()
    node.wantedUntil = wantedUntil
    node.follower.wake()
    return node
  }

  return {
    get head() {
      return rule.head
    },
    get header() {
      return rule.head === undefined || clock.now() >= wantedUntil ? undefined : headerOf(rule.head)
    },
    get plausible() {
      return rule.plausibleAt(clock.now(), pace.blockTimeMs)
    },
    get safe() {
      return tags.safe.at
    },
    get finalized() {
      return tags.finalized.at
    },
    get blockTimeMs() {
      return pace.blockTimeMs
    },
    of: (endpoint) => nodeOf(endpoint).view,
    get losses() {
      return losses.count
    },
    get hasStrangers() {
      return strangers.size > 0
    },
    watch(listener) {
      const own = (update: HeadUpdate): void => listener(update)
      listeners.add(own)
      return () => listeners.delete(own)
    },
    observed(endpoint, { number }) {
      const { follower } = nodeOf(endpoint)
      const reported = follower.blocks.head?.number ?? -1
      if (number > reported || number < reported - 1) follower.hint()
    },
    failed(endpoint, why) {
      if (isBroken(why)) nodeOf(endpoint).follower.disconnected()
    },
    wanted(tag) {
      const now = clock.now()
      if (tag !== undefined) tagWantedUntil[tag] = now + idleMs
      want(now)
    },
    promoted: (endpoint) => void promote(endpoint),
    known(endpoint, context) {
      const { follower } = nodeOf(endpoint)
      const isAsked = follower.question.state !== 'unknown' && !follower.isResting && !follower.isLost
      if (isClosed || (isAsked && !isUndecided)) return undefined
      promote(endpoint)
      return new Promise((resolve) => {
        let forget = (): void => {}
        const end = (): void => {
          forget()
          undecided.delete(end)
          resolve()
        }
        forget = context.onCancel(end)
        void follower.asked().then(() => {
          if (isUndecided) undecided.add(end)
          else end()
        })
      })
    },
    look: (endpoint) => nodeOf(endpoint).follower.look(),
    headAfter: (endpoint) => promote(endpoint).follower.headAfter(),
    async close() {
      isClosed = true
      listeners.clear()
      isUndecided = false
      for (const resolve of undecided) resolve()
      for (const { follower } of nodes.values()) follower.close()
      asker.close()
    },
  }
}
