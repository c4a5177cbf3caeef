import {
  type Clock,
  type RpcContext,
  RpcError,
  type RpcMiddleware,
  type RpcRequest,
  type RpcSubscription,
} from '@wayleave/jsonrpc-core'
import type { CallReason, Candidate, ChainView, Endpoint, Selection, SelectionCall } from '@wayleave/upstream'
import { endable } from './endable.ts'
import { createOverdueHeads } from './overdue-heads.ts'

export interface WatchSubscriptionsOptions {
  readonly selection: Selection
  readonly view: ChainView
  /** The groups whose upstreams may be asked for calls of a tenant; undefined: all may. */
  readonly groupsOf: (tenant: string | undefined) => readonly string[] | undefined
  readonly clock: Clock
}

/** The subscriptions of upstreams. */
export interface SubscriptionWatch {
  /** Watches the subscriptions that the calls of its methods open. */
  readonly stage: RpcMiddleware<RpcContext>
  /** Why an upstream cannot take a new subscription. */
  excludes(candidate: Candidate, call: SelectionCall): CallReason | undefined
  close(): void
}

/** Time from look to look, in ms. */
const lookEveryMs = 250
/** Time without anything from an upstream whose head is overdue, after which it is mute, in ms. */
const momentMs = 1_000
/** Time for which an upstream has been out or mute after which its subscriptions end, in ms. */
const patienceMs = 2_000

/** Exclusions in which an upstream's announcements cannot be relied on. */
const out: ReadonlySet<string | undefined> = new Set(['cordoned', 'wrong_chain', 'behind', 'ahead', 'cooling_down'])

/** A subscription, with the upstream that serves it. */
interface Watched {
  readonly endpoint: Endpoint
  readonly request: RpcRequest
  readonly tenant: string | undefined
  end(why: RpcError): void
}

/**
 * Watches over the subscriptions of upstreams: where one is out, or says nothing while the others go on, and another one can push, they end
 * as if the connection had broken. No timer runs while there are none.
 */
export function watchSubscriptions(options: WatchSubscriptionsOptions): SubscriptionWatch {
  const { selection, view, groupsOf, clock } = options
  const byName = new Map(selection.candidates.map(({ endpoint }) => [endpoint.name, endpoint]))
  const overdue = createOverdueHeads(view, [...byName.values()], clock)
  const pushing = selection.candidates.filter(({ endpoint }) => endpoint.carriesSubscriptions)
  const isAlone = new Set(pushing.map(({ endpoint }) => endpoint.name)).size < 2
  const open = new Set<Watched>()
  const troubledSince = new Map<string, number>()
  let stop: (() => void) | undefined
  let isClosed = false

  const isGood = (endpoint: Endpoint): boolean => view.of(endpoint).health === 'good'

  function look(): void {
    stop = undefined
    if (isClosed) return
    if (open.size === 0) return troubledSince.clear()
    const now = clock.now()
    view.wanted()
    overdue.look()
    for (const candidate of pushing) {
      const { endpoint } = candidate
      const isOut = out.has(selection.exclusion(candidate, now)) || view.of(endpoint).health === 'silent'
      if (!isOut && !overdue.isMute(endpoint, momentMs)) troubledSince.delete(endpoint.name)
      else if (!troubledSince.has(endpoint.name)) troubledSince.set(endpoint.name, now)
    }
    for (const each of open) {
      const troubledMs = now - (troubledSince.get(each.endpoint.name) ?? now)
      if (troubledMs < patienceMs || !hasElsewhere(each)) continue
      each.end(new RpcError('disconnected', 'the upstream of the subscription has fallen silent, or is left alone'))
    }
    plan()
  }

  function plan(): void {
    if (!isClosed) stop ??= clock.after(lookEveryMs, look)
  }

  /** Whether another upstream could serve a subscription. */
  function hasElsewhere({ endpoint, request, tenant }: Watched): boolean {
    const call = { request, class: 'read', now: clock.now(), opensSubscription: true, groups: groupsOf(tenant) }
    return pushing.some(
      (candidate) =>
        candidate.endpoint.name !== endpoint.name &&
        isSound(candidate) &&
        selection.reason(candidate, call) === undefined,
    )
  }

  function isSound({ endpoint }: Candidate): boolean {
    return isGood(endpoint) && !troubledSince.has(endpoint.name)
  }

  function watched(
    source: RpcSubscription,
    request: RpcRequest,
    endpoint: Endpoint,
    tenant: string | undefined,
  ): RpcSubscription {
    return endable(source, (end) => {
      const own: Watched = { endpoint, request, tenant, end }
      open.add(own)
      plan()
      return () => open.delete(own)
    })
  }

  return {
    stage: (next) => async (request, context) => {
      const response = await next(request, context)
      if (isAlone || response.error !== undefined || response.subscription === undefined) return response
      const endpoint = byName.get(response.meta!.endpoint!)!
      return { ...response, subscription: watched(response.subscription, request, endpoint, context.tenant) }
    },
    excludes({ endpoint }, call) {
      if (call.opensSubscription !== true) return undefined
      if (view.of(endpoint).health !== 'silent' && !troubledSince.has(endpoint.name)) return undefined
      const isUsable = (other: Candidate): boolean => isSound(other) && selection.reason(other, call) === undefined
      return pushing.some(isUsable) ? 'needs_block' : undefined
    },
    close() {
      isClosed = true
      stop?.()
    },
  }
}
