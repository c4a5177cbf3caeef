import {
  type CallContext,
  type Clock,
  createContext,
  type RawJson,
  type RpcContext,
  RpcError,
  type RpcRequest,
  type RpcResponse,
  type RpcSink,
  type RpcSubscription,
  toRpcError,
} from '@wayleave/jsonrpc-core'
import type { Endpoint, Header, HeadReader, Position } from '@wayleave/upstream'
import type { HeadStream } from '../../networks/network-kind.ts'

/** Announcements of heads that can go on at another upstream, under the id that their caller knows. */
export interface MovingHeads extends RpcSubscription {
  readonly endpoint: Endpoint
  readonly request: RpcRequest
  readonly lane: string | undefined
  /** The height that was told last. */
  readonly told: number
  /** Whether its upstream has ended it. */
  readonly isLost: boolean
  /** Goes to another upstream, if one will do; else it stays. Never rejects. */
  move(): Promise<void>
  /** Ends it, if it was lost too long ago. */
  look(): void
}

export interface MovingHeadsOptions {
  readonly first: RpcSubscription
  readonly request: RpcRequest
  readonly endpoint: Endpoint
  /** The head at the beginning, which is not announced; undefined: unknown. */
  readonly base: Position | undefined
  readonly reader: HeadReader
  readonly stream: HeadStream
  /** The method of the notifications. */
  readonly event: string
  readonly lane: string | undefined
  readonly clock: Clock
  /** Asks one of the upstreams that may be asked. */
  readonly ask: (request: RpcRequest, context: RpcContext, may: (endpoint: Endpoint) => boolean) => Promise<RpcResponse>
  readonly endpointOf: (response: RpcResponse) => Endpoint
  /** Whether announcements can go on at an upstream after a height. */
  readonly isFit: (endpoint: Endpoint, told: number) => boolean
  /** Keeps a position once for all subscriptions. */
  readonly remember: (head: Position) => Position
  /** Called when it is opened, when its upstream has ended it, and when it is over. */
  readonly onOpen: (heads: MovingHeads) => void
  readonly onLost: (heads: MovingHeads) => void
  readonly onOver: (heads: MovingHeads) => void
}

/** Most heads that are announced late, and that are remembered, so that none is doubled. */
const mostMissed = 64
/** Time for one attempt to move, and for all after the upstream has ended the subscription, in ms. */
const attemptMs = 2_000

interface Announcement {
  readonly head: Header
  readonly item: RawJson
}

const nobody: RpcSink = { event: () => true, gap() {}, end() {} }

/**
 * Makes a subscription to new heads that outlives its upstream. It goes on after the head that was told last: heads that were missed are
 * asked for by the hashes of their children, so that blocks of another fork are told from the first one on that replaces an old one. Past
 * 64 of them a gap is told.
 */
export function movingHeads(options: MovingHeadsOptions): MovingHeads {
  const { request, reader, stream, event, clock, ask } = options
  let { endpoint } = options
  const told: Position[] = options.base === undefined ? [] : [options.base]
  let sink = nobody
  let isOver = false
  let lost: { readonly why: RpcError; readonly until: number } | undefined
  /** The source that is listened to; events of others do not count. */
  let current = 0
  let leaveSource = (): void => {}
  let moving: CallContext | undefined

  const isTold = (hash: string | undefined): boolean => told.some((head) => head.hash === hash)
  /**
   * Whether a head was told, and no other fork since, or is older than all that was told: a node that was set back, or came back with an
   * old chain, announces it again.
   */
  const isRepeated = ({ number, hash }: Position): boolean =>
    told.length > 0 && (told.findLast((head) => head.number <= number)?.hash ?? hash) === hash

  function tell({ head, item }: Announcement): void {
    told.push(options.remember(head))
    if (told.length > mostMissed) told.shift()
    sink.event(event, item)
  }

  /** Tells the heads before one, the oldest first, unless they were told. */
  function tellMissed(missed: readonly Announcement[] | undefined, next: RawJson): void {
    if (missed === undefined) {
      const { number: height, hash } = told.at(-1)!
      sink.gap({ reason: `more than ${mostMissed} heads were missed`, after: { height, hash }, first: next })
    } else for (const each of missed) if (!isOver && !isTold(each.head.hash)) tell(each)
  }

  /** Finds the heads between the told ones and `head`, the oldest first; undefined: they are too many. @throws RpcError */
  async function missedBefore(head: Header, at: Endpoint, context: RpcContext) {
    const missed: Announcement[] = []
    if (told.length === 0) return missed
    for (let { parentHash, number } = head; !isTold(parentHash);) {
      const isTooFar = number - told.at(-1)!.number > mostMissed || number <= told[0]!.number
      if (parentHash === undefined || isTooFar || missed.length === mostMissed) return undefined
      const response = await ask(stream.blockAt(parentHash), context, ({ name }) => name === at.name)
      const block = reader.positionOf(response)
      if (block?.hash !== parentHash)
        throw new RpcError('unavailable', 'the upstream does not have a head that it told')
      missed.unshift({ head: block, item: stream.announced(response) })
      ;({ parentHash, number } = block)
    }
    return missed
  }

  async function within<T>(act: (context: CallContext) => Promise<T>): Promise<T> {
    const context = createContext({ clock, timeoutMs: attemptMs, lane: options.lane })
    try {
      return await act(context)
    } finally {
      context.release()
    }
  }

  /** Listens to a source. One that was joined later is linked to what was told before its own announcements are passed on. */
  function follow(source: RpcSubscription, isLinked: boolean): void {
    const own = ++current
    const waiting: Announcement[] = []
    let isLinking = false
    const isCurrent = (): boolean => own === current && !isOver

    async function link(): Promise<void> {
      isLinking = true
      for (let next = waiting[0]; next !== undefined && isCurrent(); next = waiting[0]) {
        if (isLinked || !isTold(next.head.hash)) {
          const { head, item } = next
          const missed = isLinked ? [] : await within((context) => missedBefore(head, endpoint, context))
          if (!isCurrent()) return
          tellMissed(missed, item)
          isLinked = true
          tell(next)
        }
        waiting.shift()
      }
      isLinking = false
    }

    leaveSource = (): void => {}
    const leaveOwn = source.open({
      event(method, item) {
        if (!isCurrent()) return true
        const head = reader.positionOfPush?.(item)
        if (head === undefined) return sink.event(method, item)
        if (isLinked && isRepeated(head)) return true
        if (isLinked && !isLinking) tell({ head, item })
        else {
          waiting.push({ head, item })
          if (!isLinking) link().catch((thrown: unknown) => isCurrent() && lose(toRpcError(thrown, 'unavailable', '')))
        }
        return true
      },
      gap(gap) {
        if (isCurrent()) sink.gap(gap)
      },
      end(why) {
        if (!isCurrent()) return
        if (why === undefined) finish(undefined)
        else lose(why)
      },
    })
    leaveSource = leaveOwn
    // Its caller may have left when it got an event.
    if (isOver) leaveOwn()
  }

  function lose(why: RpcError): void {
    lost ??= { why, until: clock.now() + attemptMs }
    options.onLost(heads)
  }

  function leave(): boolean {
    if (isOver) return false
    isOver = true
    options.onOver(heads)
    moving?.cancel(new RpcError('aborted', 'the subscription has ended'))
    leaveSource()
    return true
  }

  function finish(why: RpcError | undefined): void {
    if (leave()) sink.end(why)
  }

  async function join(context: CallContext): Promise<void> {
    const from = endpoint.name
    const fits = (it: Endpoint): boolean => (it.name !== from || lost !== undefined) && options.isFit(it, heads.told)
    const response = await ask(request, context, fits)
    const source = response.error === undefined ? response.subscription : undefined
    if (source === undefined) return
    let isFollowed = false
    try {
      const next = options.endpointOf(response)
      const latest = await ask(reader.head('latest')!, context, ({ name }) => name === next.name)
      const head = reader.positionOf(latest)
      if (head === undefined) return
      // One that is not higher was told, or is on its way to be replaced.
      const isKnown = head.number <= heads.told
      const missed = isKnown ? [] : await missedBefore(head, next, context)
      if (isOver) return
      leaveSource()
      endpoint = next
      lost = undefined
      const item = stream.announced(latest)
      tellMissed(missed, item)
      if (!isKnown && !isTold(head.hash)) tell({ head, item })
      // Its caller may have left meanwhile.
      isFollowed = !isOver
      if (isFollowed) follow(source, false)
    } finally {
      if (!isFollowed) source.open(nobody)()
    }
  }

  const heads: MovingHeads = {
    id: options.first.id,
    request,
    lane: options.lane,
    get endpoint() {
      return endpoint
    },
    get told() {
      return told.at(-1)?.number ?? -1
    },
    get isLost() {
      return lost !== undefined
    },
    async move() {
      if (isOver || moving !== undefined) return
      try {
        await within((context) => join((moving = context)))
      } catch {
        // It stays, and may try again.
      }
      moving = undefined
      heads.look()
    },
    look() {
      if (lost !== undefined && moving === undefined && clock.now() >= lost.until) finish(lost.why)
    },
    open(to) {
      sink = to
      options.onOpen(heads)
      follow(options.first, true)
      return () => void leave()
    },
  }
  return heads
}
