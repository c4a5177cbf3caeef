import {
  type Clock,
  type RpcContext,
  RpcError,
  type RpcHandler,
  type RpcRequest,
  type RpcResponse,
  type RpcSubscription,
} from '@wayleave/jsonrpc-core'
import type {
  CallReason,
  Candidate,
  ChainView,
  Endpoint,
  HeadReader,
  Position,
  Selection,
  SelectionCall,
} from '@wayleave/upstream'
import { opensSubscription } from '../../networks/method-facts.ts'
import type { NetworkKind } from '../../networks/network-kind.ts'
import { type MovingHeads, movingHeads } from './moving-heads.ts'
import { createOwedHeads } from './owed-heads.ts'

export interface WatchSubscriptionsOptions {
  readonly kind: Pick<NetworkKind, 'facts' | 'headStream'>
  readonly pool: RpcHandler
  readonly selection: Selection
  readonly view: ChainView
  readonly reader: HeadReader
  /** The groups whose upstreams may be asked for calls of a lane; undefined: all may. */
  readonly groupsOf: (lane: string | undefined) => readonly string[] | undefined
  readonly clock: Clock
}

/** The subscriptions of a network's callers. */
export interface SubscriptionWatch {
  /** Asks the pool, and watches the subscriptions that it opens. */
  readonly handler: RpcHandler
  /** Why an upstream cannot take a call of the watch itself, or a new subscription. */
  excludes(candidate: Candidate, call: SelectionCall): CallReason | undefined
  close(): void
}

/** Time from look to look, in ms. */
const lookEveryMs = 250
/** Time without an announcement that is due, or with an upstream that is out, after which heads move, in ms. */
const momentMs = 1_000
/** Time for which an upstream has been out or mute after which all other subscriptions end, in ms. */
const patienceMs = 2_000
/** Most subscriptions that move at once. */
const mostMoving = 64
/** Positions that are kept once for all subscriptions. */
const mostRemembered = 128

/** Standings in which an upstream's announcements cannot be relied on. */
const out: ReadonlySet<string | undefined> = new Set(['cordoned', 'wrong_chain', 'behind', 'ahead', 'cooling_down'])

/** A subscription, with the upstream that serves it. */
type Watched = Pick<MovingHeads, 'endpoint' | 'request' | 'lane'>

/** A subscription that cannot go on elsewhere, since events could be lost or doubled. */
interface Bound extends Watched {
  end(why: RpcError): void
}

/**
 * Watches over subscriptions: where an upstream is out, or says nothing while the others go on, and another one can push, announcements of
 * heads move there, and all other subscriptions end as if the connection had broken. No timer runs while there are none.
 */
export function watchSubscriptions(options: WatchSubscriptionsOptions): SubscriptionWatch {
  const { kind, pool, selection, view, reader, groupsOf, clock } = options
  const { facts, headStream } = kind
  const byName = new Map(selection.candidates.map(({ endpoint }) => [endpoint.name, endpoint]))
  const owed = createOwedHeads(view, [...byName.values()], clock)
  const pushing = selection.candidates.filter(({ endpoint }) => endpoint.carriesSubscriptions)
  const isAlone = new Set(pushing.map(({ endpoint }) => endpoint.name)).size < 2
  const heads = new Set<MovingHeads>()
  const bound = new Set<Bound>()
  /** Those that are to move; and how many do. */
  const leaving = new Set<MovingHeads>()
  let moves = 0
  /** The upstreams that may be asked for calls of our own. */
  const limited = new Map<RpcRequest, (endpoint: Endpoint) => boolean>()
  const troubledSince = new Map<string, number>()
  const positions = new Map<string, Position>()
  let stop: (() => void) | undefined
  let isClosed = false

  const isGood = (endpoint: Endpoint): boolean => view.of(endpoint).standing === 'good'

  function look(): void {
    stop = undefined
    if (isClosed) return
    if (heads.size + bound.size === 0) return troubledSince.clear()
    const now = clock.now()
    view.wanted()
    owed.look()
    for (const candidate of pushing) {
      const { endpoint } = candidate
      const isOut = out.has(selection.standing(candidate, now)) || view.of(endpoint).standing === 'silent'
      if (!isOut && !owed.isMute(endpoint, momentMs)) troubledSince.delete(endpoint.name)
      else if (!troubledSince.has(endpoint.name)) troubledSince.set(endpoint.name, now)
    }
    for (const each of heads) {
      each.look()
      if (each.isLost || (isLate(each) && hasElsewhere(each))) leaving.add(each)
    }
    for (const each of bound) {
      if (troubledMs(each.endpoint) < patienceMs || !hasElsewhere(each)) continue
      each.end(new RpcError('disconnected', 'the upstream of the subscription has fallen silent, or is left alone'))
    }
    moveNext()
    plan()
  }

  function plan(): void {
    stop ??= clock.after(lookEveryMs, look)
  }

  const troubledMs = ({ name }: Endpoint): number => clock.now() - (troubledSince.get(name) ?? clock.now())

  function isLate({ endpoint, told }: MovingHeads): boolean {
    if (troubledMs(endpoint) >= momentMs) return true
    if (owed.owedMs(endpoint, told) < momentMs) return false
    // The upstream says nothing at all, or something else than its subscribers hear.
    return owed.isMute(endpoint, momentMs) || (view.of(endpoint).head?.number ?? -1) > told
  }

  /** Whether another upstream could serve a subscription. */
  function hasElsewhere({ endpoint, request, lane }: Watched): boolean {
    const call = { request, class: 'read', now: clock.now(), opensSubscription: true, groups: groupsOf(lane) }
    return pushing.some(
      (candidate) =>
        candidate.endpoint.name !== endpoint.name &&
        isGood(candidate.endpoint) &&
        !troubledSince.has(candidate.endpoint.name) &&
        selection.reason(candidate, call) === undefined,
    )
  }

  function moveNext(): void {
    for (const each of leaving) {
      if (moves >= mostMoving || isClosed) return
      leaving.delete(each)
      moves++
      void each.move().finally(() => {
        moves--
        moveNext()
      })
    }
  }

  async function ask(request: RpcRequest, context: RpcContext, may: (endpoint: Endpoint) => boolean) {
    const own = { ...request }
    limited.set(own, may)
    try {
      return await pool(own, context)
    } finally {
      limited.delete(own)
    }
  }

  function remember(head: Position): Position {
    const known = positions.get(head.hash)
    if (known !== undefined) return known
    if (positions.size >= mostRemembered) positions.delete(positions.keys().next().value!)
    const position = { number: head.number, hash: head.hash }
    positions.set(head.hash, position)
    return position
  }

  /** The head that a new subscriber is not owed any more. */
  function headAt(endpoint: Endpoint): Position | undefined {
    const { head } = view.of(endpoint)
    return view.head !== undefined && view.head.number > (head?.number ?? -1) ? view.head : head
  }

  function moving(first: RpcSubscription, request: RpcRequest, endpoint: Endpoint, lane: string | undefined) {
    return movingHeads({
      first,
      request,
      endpoint,
      base: headAt(endpoint),
      reader,
      stream: headStream!,
      event: facts[request.method]!.subscription!.event,
      lane,
      clock,
      ask,
      endpointOf,
      remember,
      isFit: (it, told) => isGood(it) && !troubledSince.has(it.name) && (view.of(it).head?.number ?? -1) >= told,
      onOpen(it) {
        heads.add(it)
        plan()
      },
      onLost(it) {
        leaving.add(it)
        moveNext()
      },
      onOver(it) {
        heads.delete(it)
        leaving.delete(it)
      },
    })
  }

  function ending(
    source: RpcSubscription,
    request: RpcRequest,
    endpoint: Endpoint,
    lane: string | undefined,
  ): RpcSubscription {
    return {
      ...source,
      open(sink) {
        let leaveSource = (): void => {}
        const own: Bound = {
          endpoint,
          request,
          lane,
          end(why) {
            bound.delete(own)
            leaveSource()
            sink.end(why)
          },
        }
        bound.add(own)
        plan()
        leaveSource = source.open({
          event: (method, item) => sink.event(method, item),
          gap: (gap) => sink.gap(gap),
          end(why) {
            bound.delete(own)
            sink.end(why)
          },
        })
        return () => {
          bound.delete(own)
          leaveSource()
        }
      },
    }
  }

  const endpointOf = ({ meta }: RpcResponse): Endpoint => byName.get(meta!.endpoint!)!

  async function open(request: RpcRequest, context: RpcContext): Promise<RpcResponse> {
    const response = await pool(request, context)
    if (response.error !== undefined || response.subscription === undefined) return response
    const endpoint = endpointOf(response)
    const wrap = headStream?.opens(request) === true ? moving : ending
    return { ...response, subscription: wrap(response.subscription, request, endpoint, context.lane) }
  }

  return {
    handler: (request, context) =>
      isAlone || !opensSubscription(facts, request.method) ? pool(request, context) : open(request, context),
    excludes({ endpoint }, call) {
      if (limited.size > 0 && limited.get(call.request)?.(endpoint) === false) return 'needs_block'
      if (call.opensSubscription !== true || view.of(endpoint).standing !== 'silent') return undefined
      const isUsable = (other: Candidate): boolean =>
        isGood(other.endpoint) && selection.reason(other, call) === undefined
      return pushing.some(isUsable) ? 'needs_block' : undefined
    },
    close() {
      isClosed = true
      stop?.()
    },
  }
}
