import {
  type Clock,
  type RpcContext,
  type RpcMiddleware,
  type RpcRequest,
  type RpcResponse,
} from '@wayleave/jsonrpc-core'
import {
  type Candidate,
  type ChainView,
  createConsensus,
  type Endpoint,
  type Position,
  type PoolOptions,
  type Selection,
} from '@wayleave/upstream'
import { type Log } from '@wayleave/telemetry'
import { type ConsensusConfig, consensusRules } from '../config/consensus-config.ts'
import type { Comparison, NetworkKind } from '../kinds/network-kind.ts'
import type { UpstreamCounts } from '../upstreams/upstream-counts.ts'
import type { GroupsFor } from '../upstreams/project-upstreams.ts'
import { withHints } from '../hints/call-hints.ts'

export interface NetworkConsensusOptions {
  readonly network: string
  readonly config: ConsensusConfig
  readonly kind: Pick<NetworkKind, 'facts' | 'needs' | 'pin'>
  readonly comparison: Comparison
  readonly selection: Selection
  readonly view: Pick<ChainView, 'head' | 'of' | 'known'>
  /** Finds the block at which calls at the latest one are asked. */
  readonly headToPin: (context: RpcContext) => Promise<Position>
  readonly groupsFor: GroupsFor
  readonly classOf: (method: string) => string
  readonly verdictOf: NonNullable<PoolOptions['verdictOf']>
  /** Whether an answer is none, by what callers were told: null for a block that is known. */
  readonly isInvalid: (endpoint: Endpoint, request: RpcRequest, response: RpcResponse) => boolean
  /** Whether an answer was proven. */
  readonly isProven: (response: RpcResponse) => boolean
  /** Takes note of the answer that a caller gets. */
  readonly answered: (request: RpcRequest, response: RpcResponse, context: RpcContext) => void
  readonly clock: Clock
  readonly log: Log
  readonly metrics: Pick<UpstreamCounts, 'upstreamFailed' | 'compared'>
}

/** Blocks so deep below the head that no fork explains another answer. */
const settledDepth = 64

/** Has the calls of some methods answered by several upstreams of a network, all at one block. */
export function networkConsensus(options: NetworkConsensusOptions): RpcMiddleware<RpcContext> {
  const { network, config, kind, comparison, selection, view, headToPin, classOf, clock, log, metrics } = options
  const { facts, needs } = kind
  const methods = new Set(config.methods)
  const primary = selection.candidates.find(({ tier }) => tier === 'primary')!

  function tagOf(request: RpcRequest): string | undefined {
    const need = needs(request)
    return need !== undefined && 'tag' in need ? need.tag : undefined
  }

  /** Finds the served head; the first one is waited for, since the word of one upstream is none. */
  async function latest(context: RpcContext): Promise<Position> {
    if (view.head === undefined) await view.known(primary.endpoint, context)
    return headToPin(context)
  }

  /** Whether a result that differs from the agreed one must be false: its upstream has the block, and no fork explains it. */
  function mustAgree(request: RpcRequest, { endpoint }: Candidate): boolean {
    if (!comparison.isExact(request.method)) return false
    const need = needs(request)
    if (need === undefined || 'tag' in need) return false
    if ('hash' in need) return true
    const { head } = view
    return head !== undefined && need.atLeast <= head.number - settledDepth && view.of(endpoint).health === 'good'
  }

  const isSubject = (request: RpcRequest): boolean => methods.has(request.method) && tagOf(request) !== 'pending'
  return (pool) => {
    const ask = createConsensus({
      ...consensusRules(config, new Set(selection.candidates.map(({ node }) => node)).size),
      pool,
      clock,
      ...comparison,
      isSubject,
      pin(request, context) {
        // A transaction that is looked for by its hash is at no block that its caller names.
        if (kind.pin === undefined || facts[request.method]!.cache === 'result') return undefined
        if (tagOf(request) !== 'latest') return undefined
        return latest(context).then((head) => kind.pin!(request, head))
      },
      order: (request, { tenant }) =>
        selection.order({
          request,
          class: classOf(request.method),
          now: clock.now(),
          groups: options.groupsFor(tenant, request.method),
          opensSubscription: false,
          forSeveral: true,
        }),
      askOnly(request, { endpoint: { name } }, isExtra) {
        return withHints(request, { pinnedUpstream: name, compared: isExtra ? 'further' : 'first' })
      },
      classOf: ({ method }) => classOf(method),
      isRefusal(request, response, { endpoint }) {
        if (response.error !== undefined) return options.verdictOf(request, response.error) !== undefined
        return options.isInvalid(endpoint, request, response)
      },
      isVerified: options.isProven,
      hasHead: ({ endpoint }) => view.head !== undefined && view.of(endpoint).head?.hash === view.head.hash,
      onDiffers(candidate, request) {
        const { endpoint, health } = candidate
        const { name } = endpoint
        const { method } = request
        const fields = { network, endpoint: name, method }
        log.repeats.warn(
          ['differs', network, name, method],
          fields,
          'an upstream answers otherwise than those that agree',
        )
        if (!mustAgree(request, candidate)) return
        const now = clock.now()
        health.failed(health.begin(classOf(method), now), 'false_answer', now)
        metrics.upstreamFailed(name, 'false_answer')
      },
      onOutcome(outcome, { method }) {
        metrics.compared(outcome)
        if (outcome === 'agreed' || outcome === 'failed') return
        log.repeats.warn(['consensus', network, method, outcome], { network, method, outcome }, texts[outcome])
      },
    })
    return async (request, context) => {
      const response = await ask(request, context)
      if (isSubject(request)) options.answered(request, response, context)
      return response
    }
  }
}

const texts = {
  verified: 'upstreams disagree on an answer; a proven one was given',
  head: 'upstreams disagree on an answer; that of one with the served head was given',
  disputed: 'upstreams disagree on an answer; an error was given',
  too_few: 'too few upstreams answered to compare their answers; an error was given',
} as const
