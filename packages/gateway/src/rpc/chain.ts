import type { Clock, RpcContext, RpcRequest, RpcResponse } from '@wayleave/jsonrpc-core'
import {
  type CallReason,
  type Candidate,
  type ChainView,
  createChainView,
  type Endpoint,
  type EndpointView,
  type HeadReader,
  type HostReason,
  type SelectionCall,
} from '@wayleave/upstream'
import type { NetworkKind } from '../networks/network-kind.ts'
import type { Log } from '../ops/log.ts'
import type { NetworkMetrics } from '../ops/metrics.ts'
import type { ViewStore } from './view-store.ts'

/** The view of a network's chain, as its pool and its operators need it. */
export interface Chain {
  readonly view: ChainView
  /** Why an upstream must be left alone; undefined where it need not. */
  standingOf(candidate: Candidate): HostReason | undefined
  /** Whether an upstream lacks the block that a call needs. */
  excludes(candidate: Candidate, call: SelectionCall): CallReason | undefined
  lagOf(candidate: Candidate): number
  /** Waits until the chain of an upstream is known. */
  ready(candidate: Candidate, context: RpcContext): Promise<void> | undefined
  /** Takes note of the head, or the nonce, that an answer tells. */
  answered(endpoint: Endpoint, request: RpcRequest, response: RpcResponse): void
  /** Takes note of a head that was pushed to a caller. */
  pushed(request: RpcRequest, event: RpcResponse): void
  /** Whether an answer takes back what callers were told. */
  goesBack(request: RpcRequest, response: RpcResponse): boolean
  /** The height that a call needs and no upstream that may serve it has; undefined where one has it. */
  missing(request: RpcRequest): number | undefined
  /** Has upstreams below a height asked for their heads soon. */
  hurry(height: number): void
}

export interface ChainOptions {
  readonly network: string
  readonly kind: Pick<NetworkKind, 'needs' | 'headOf' | 'latestOf' | 'pushedHeadOf' | 'nonceOf'>
  /** The endpoints as they are asked by the gateway itself: without verification or translation. */
  readonly endpoints: readonly Endpoint[]
  readonly isOnDemand: (endpoint: Endpoint) => boolean
  readonly reader: HeadReader
  readonly told: ViewStore
  readonly clock: Clock
  readonly log: Log
  readonly metrics: Pick<NetworkMetrics, 'upstreamStands' | 'asked'>
}

/** The host's reason for each standing of an upstream's head. One that does not tell its head may answer calls all the same. */
const reasons: Readonly<Partial<Record<EndpointView['standing'], HostReason>>> = {
  behind: 'behind',
  ahead: 'ahead',
  forked: 'ahead',
}

export function createChain(options: ChainOptions): Chain {
  const { network, kind, endpoints, reader, told, clock, log, metrics } = options
  const names = new Map(endpoints.map((endpoint) => [endpoint.name, endpoint]))
  /** Where one node is all there is, nobody else could have what it lacks. */
  const isAlone = names.size < 2
  /** The last head that each upstream has answered: it is known sooner than by a question of our own. */
  const answeredHeads = new Map<string, { readonly number: number; readonly at: number }>()
  let hasReorganized = false
  const view = createChainView({
    endpoints,
    reader,
    clock,
    isOnDemand: options.isOnDemand,
    // A lone node is believed at once when its owner sets its chain back.
    ...(isAlone && { holdMs: 0 }),
    onAsk: ({ name }, purpose) => metrics.asked(name, purpose),
    onChange({ name: endpoint }, now, before) {
      metrics.upstreamStands(endpoint, now)
      if (now.reason === before.reason) return
      const fields = { network, endpoint, chain: now.chain, standing: now.standing, block: now.head?.number }
      if (now.reason !== undefined) log.warn(fields, `an upstream ${now.reason}`)
      else if (before.reason !== undefined) log.info(fields, 'an upstream stands where the others are again')
    },
  })
  /** The last call that was looked at, since each candidate is asked about it. */
  let lastRequest: RpcRequest | undefined
  let lastHeight: number | undefined

  /** Heads beyond it are not believed: an upstream may lie. */
  const mostAhead = 8
  const tell = (number: number): void => {
    if (view.head !== undefined && number <= view.head.number + mostAhead) told.raise(number)
  }
  // Where the chain itself goes back, so does the view.
  view.watch(({ kind: what, at }) => {
    for (const endpoint of names.values()) metrics.upstreamStands(endpoint.name, view.of(endpoint))
    if (what === 'new' && hasReorganized && at.number < told.head) told.lower(at.number)
    hasReorganized = what === 'dropped'
  })

  /** The height of an upstream, as far as it is known. */
  function heightOf({ name }: Endpoint): number | undefined {
    const { head, saidAt } = view.of(names.get(name)!)
    const answered = answeredHeads.get(name)
    if (head === undefined || answered === undefined || answered.at < saidAt) return head?.number
    return Math.max(head.number, answered.number)
  }

  /** The height that an upstream has to have for a call; undefined where any will do. */
  function heightFor(request: RpcRequest): number | undefined {
    if (isAlone) return undefined
    if (request === lastRequest) return lastHeight
    const need = kind.needs(request)
    const served = view.head === undefined ? undefined : Math.max(view.head.number, told.head)
    lastRequest = request
    if (need === undefined || served === undefined || 'hash' in need) lastHeight = undefined
    else if ('tag' in need) lastHeight = need.tag === 'latest' || need.tag === 'pending' ? served : undefined
    // Beyond the served head nobody may have it: all are asked.
    else lastHeight = need.atLeast <= served ? need.atLeast : undefined
    return lastHeight
  }

  return {
    view,
    standingOf({ endpoint }) {
      const { chain, standing } = view.of(endpoint)
      return chain === 'wrong' ? 'wrong_chain' : reasons[standing]
    },
    excludes({ endpoint }, { request }) {
      const height = heightFor(request)
      if (height === undefined) return undefined
      const known = heightOf(endpoint)
      return known !== undefined && known < height ? 'needs_block' : undefined
    },
    lagOf: ({ endpoint }) => view.of(endpoint).lag,
    ready: ({ endpoint }, context) => view.known(endpoint, context),
    answered(endpoint, request, response) {
      const number = kind.headOf(request, response)
      if (number !== undefined) {
        answeredHeads.set(endpoint.name, { number, at: clock.now() })
        view.observed(endpoint, { number })
        tell(number)
        return
      }
      const nonce = kind.nonceOf?.(request, response)
      if (nonce !== undefined) told.raiseNonce(nonce.sender, nonce.nonce, clock.now())
    },
    pushed(request, event) {
      const number = kind.pushedHeadOf?.(request, event)
      if (number !== undefined) tell(number)
    },
    goesBack(request, response) {
      if (isAlone) return false
      const nonce = kind.nonceOf?.(request, response)
      if (nonce !== undefined) return nonce.nonce < told.nonceOf(nonce.sender, clock.now())
      const need = kind.needs(request)
      if (need === undefined || !('tag' in need) || need.tag !== 'latest') return false
      const number = kind.latestOf?.(request, response)
      return number !== undefined && number < told.head
    },
    missing(request) {
      lastRequest = undefined
      const height = heightFor(request)
      if (height === undefined) return undefined
      const can = endpoints.some((endpoint) => {
        const { chain, standing } = view.of(endpoint)
        return chain !== 'wrong' && reasons[standing] === undefined && (heightOf(endpoint) ?? height) >= height
      })
      return can ? undefined : height
    },
    hurry(height) {
      for (const endpoint of endpoints) {
        if ((heightOf(endpoint) ?? 0) < height) view.observed(endpoint, { number: height })
      }
    },
  }
}
