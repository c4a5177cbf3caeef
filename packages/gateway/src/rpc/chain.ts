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
  /** Takes note of the head that an answer tells. */
  answered(endpoint: Endpoint, request: RpcRequest, response: RpcResponse): void
}

export interface ChainOptions {
  readonly network: string
  readonly kind: Pick<NetworkKind, 'needs' | 'headOf'>
  /** The endpoints as they are asked by the gateway itself: without verification or translation. */
  readonly endpoints: readonly Endpoint[]
  readonly isOnDemand: (endpoint: Endpoint) => boolean
  readonly reader: HeadReader
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
  const { network, kind, endpoints, reader, clock, log, metrics } = options
  const view = createChainView({
    endpoints,
    reader,
    clock,
    isOnDemand: options.isOnDemand,
    // A lone node is believed at once when its owner sets its chain back.
    ...(new Set(endpoints.map(({ name }) => name)).size < 2 && { holdMs: 0 }),
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

  /** The height that an upstream has to have for a call; undefined where any will do. */
  function heightFor(request: RpcRequest): number | undefined {
    if (request === lastRequest) return lastHeight
    const need = kind.needs(request)
    const served = view.head?.number
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
      const { head } = view.of(endpoint)
      return head !== undefined && head.number < height ? 'needs_block' : undefined
    },
    lagOf: ({ endpoint }) => view.of(endpoint).lag,
    ready: ({ endpoint }, context) => view.known(endpoint, context),
    answered(endpoint, request, response) {
      const number = kind.headOf(request, response)
      if (number !== undefined) view.observed(endpoint, { number })
    },
  }
}
