import type { Clock, RpcHandler } from '@wayleave/jsonrpc-core'
import {
  type CallSlots,
  createHedging,
  createPool,
  createProber,
  createRetries,
  createSelection,
  type FailureKind,
  type HeadReader,
  type Selection,
} from '@wayleave/upstream'
import type { NetworkConfig } from '../config/config.ts'
import { isRead, opensSubscription } from '../networks/method-facts.ts'
import type { NetworkKind } from '../networks/network-kind.ts'
import { type Log, told } from '../ops/log.ts'
import type { NetworkMetrics } from '../ops/metrics.ts'
import { createCandidates } from './candidates.ts'
import { createChain, isToldByChain } from './chain.ts'
import type { OpenEndpoint } from './endpoints.ts'
import { falseAnswerOf, isLie } from './false-answer.ts'
import { methodClassOf } from './method-class.ts'
import { oneView, type Reasons } from './one-view.ts'
import { verdictsOf } from './verdicts.ts'
import type { VerificationOptions, verifyEndpoints } from './verification.ts'
import { createViewStore } from './view-store.ts'

export interface NetworkPoolOptions {
  readonly network: string
  readonly kind: NetworkKind
  readonly config: Pick<NetworkConfig, 'upstreams'>
  /** The groups whose upstreams may be asked for calls of a lane; undefined: all may. */
  readonly groupsOf: (lane: string | undefined) => readonly string[] | undefined
  readonly endpoints: readonly OpenEndpoint[]
  /** Wraps endpoints in verification; undefined if no network verifies. */
  readonly verifyEndpoints: typeof verifyEndpoints | undefined
  readonly reader: HeadReader
  /** Whether the gateway follows the heads of its upstreams. */
  readonly followsHeads: boolean
  readonly slots: CallSlots
  /** Longest answer that is held to be verified or translated, in bytes. */
  readonly maxBytes: number
  readonly clock: Clock
  /** A number from 0 up to 1. */
  readonly random: () => number
  readonly log: Log
  readonly metrics: NetworkMetrics
}

/** The pool of a network's upstreams. */
export interface NetworkPool {
  readonly handler: RpcHandler
  readonly selection: Selection
  /** Why an upstream is left alone, for people; undefined where it is not. */
  reasonOf(endpoint: string): string | undefined
  /** Whether an upstream tells its head, so that it is of use even if it does not tell its chain. */
  tellsHead(endpoint: string): boolean
  close(): Promise<void>
}

/** Failures that say more of a call than of the upstream; they are counted, not logged. */
const aboutTheCall = new Set<FailureKind>(['lagging', 'pruned', 'range_too_large', 'method_missing'])

/** Creates the pool of a network's upstreams, with verification and translation per endpoint, and tells the log of what goes wrong. */
export function createNetworkPool(options: NetworkPoolOptions): NetworkPool {
  const { network, kind, endpoints, reader, maxBytes, clock, random, log, metrics, slots } = options
  const { facts, apiVersions } = kind

  const onAnswer: VerificationOptions['onAnswer'] = (endpoint, method, outcome, why) => {
    metrics.verified(endpoint, method, outcome)
    if (why === undefined) return
    const fields = { network, endpoint, method, field: told(why.field), reason: told(why.message) }
    log.repeats.warn(['unverified', network, endpoint, method], fields, 'an answer does not verify')
  }
  const verified = options.verifyEndpoints?.(endpoints, { clock, maxBytes, onAnswer })
  const translated = apiVersions?.translate(endpoints, {
    clock,
    maxBytes,
    onNewer: ({ name: endpoint }, version) =>
      log.warn({ network, endpoint, version }, 'an upstream speaks a version newer than all known ones'),
  })

  const prober = createProber({
    clock,
    probe: async (name, context) => {
      metrics.asked(name, 'probe')
      await endpoints.find((endpoint) => endpoint.name === name)!.handler(reader.chainId, context)
    },
  })
  const wrapped = translated?.endpoints ?? verified?.endpoints ?? endpoints
  const candidates = createCandidates(wrapped, options.config, {
    clock,
    slots: slots.perEndpoint,
    onProbeDue: prober.schedule,
  })
  const fallbacks = new Set(candidates.filter(({ tier }) => tier === 'fallback').map(({ endpoint }) => endpoint.name))
  const chain = options.followsHeads
    ? createChain({ ...options, told: createViewStore(), isOnDemand: ({ name }) => fallbacks.has(name) })
    : undefined
  const selection = createSelection({
    candidates,
    random,
    ...(translated && { prefers: ({ endpoint }, { request }) => translated.prefers(endpoint, request) }),
    ...(chain && { standingOf: chain.standingOf, excludes: chain.excludes, lagOf: chain.lagOf }),
    onStanding({ endpoint: { name: endpoint } }, standing, before) {
      if (isToldByChain(standing) || (standing === undefined && isToldByChain(before))) return
      const fields = { network, endpoint, standing: standing ?? 'up', before: before ?? 'up' }
      if (standing === undefined) log.info(fields, 'an upstream is asked again')
      else log.repeats.warn(['out', network, endpoint, standing], fields, 'an upstream is left alone')
    },
  })
  metrics.watchUpstreams(() =>
    candidates.map((candidate) => {
      const { endpoint } = candidate
      const seen = chain?.view.of(endpoint)
      const isUp = selection.standing(candidate, clock.now()) === undefined
      return { endpoint: endpoint.name, isUp, head: seen?.head?.number, lag: seen?.lag }
    }),
  )
  const classOf = methodClassOf(facts)
  const isWeak = translated?.isLastResort ?? verified?.isLastResort
  const pool = createPool({
    selection,
    slots,
    clock,
    hedging: createHedging(),
    retries: createRetries({ random }),
    ...(verified && { isVerified: verified.isVerified }),
    ...(translated && { isRefusal: translated.isRefusal }),
    isLastResort: (response, spare, request) =>
      isWeak?.(response, spare, request) === true || chain?.isOdd(request, response) === true,
    ...(chain && { ready: chain.ready, onAnswer: chain.answered }),
    onAttempt: ({ name }) => metrics.asked(name, 'caller'),
    verdictOf: verdictsOf(kind),
    isFalse: isLie,
    classOf: ({ method }) => classOf(method),
    groupsOf: ({ lane }) => options.groupsOf(lane),
    isRepeatable: ({ method }) => isRead(facts, method),
    opensSubscription: ({ method }) => opensSubscription(facts, method),
    ...(kind.signing && { isIdempotent: kind.signing.isIdempotent, doneOf: kind.signing.doneOf }),
    onFailure(endpoint, failure, why) {
      const { name } = endpoint
      metrics.upstreamFailed(name, failure)
      if (why instanceof Error) chain?.view.failed(endpoint, why)
      // A false answer was told above, with its method.
      if (why instanceof Error && falseAnswerOf(why) !== undefined) return
      if (aboutTheCall.has(failure)) return
      const status = why instanceof Error ? why.httpStatus : undefined
      const fields = { network, endpoint: name, failure, code: why.code, status }
      // A node's own words may repeat what its caller sent.
      const message = why instanceof Error ? told(why.message) : 'an upstream answered that it cannot serve'
      log.repeats.warn(['failed', network, name, failure], fields, message)
    },
  })
  const reasons: Reasons = (request, { lane }) => {
    const groups = options.groupsOf(lane)
    const call = { request, class: classOf(request.method), now: clock.now(), groups, opensSubscription: false }
    return selection.candidates.map((candidate) => selection.reason(candidate, call))
  }
  const view = chain && oneView(pool, chain, reasons, clock)
  return {
    handler:
      chain === undefined || view === undefined
        ? pool
        : (request, context) => {
            chain.view.wanted()
            return view(request, context)
          },
    selection,
    reasonOf(name) {
      const candidate = candidates.find(({ endpoint }) => endpoint.name === name)!
      const standing = selection.standing(candidate, clock.now())
      if (standing === undefined) return undefined
      return chain?.view.of(candidate.endpoint).reason ?? candidate.cordoned ?? standing.replaceAll('_', ' ')
    },
    tellsHead: (name) => {
      const candidate = candidates.find(({ endpoint }) => endpoint.name === name)!
      return chain?.view.of(candidate.endpoint).standing === 'good'
    },
    async close() {
      prober.close()
      await chain?.view.close()
    },
  }
}
