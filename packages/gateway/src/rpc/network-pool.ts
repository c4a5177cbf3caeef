import type { Clock, RpcHandler } from '@wayleave/jsonrpc-core'
import { type CallSlots, createPool } from '@wayleave/upstream'
import { isRead, opensSubscription } from '../networks/method-facts.ts'
import type { NetworkKind } from '../networks/network-kind.ts'
import { type Log, told } from '../ops/log.ts'
import type { NetworkMetrics } from '../ops/metrics.ts'
import type { OpenEndpoint } from './endpoints.ts'
import { falseAnswerOf, isLie } from './false-answer.ts'
import type { VerificationOptions, verifyEndpoints } from './verification.ts'

export interface NetworkPoolOptions {
  readonly network: string
  readonly kind: NetworkKind
  readonly endpoints: readonly OpenEndpoint[]
  /** Wraps endpoints in verification; undefined if no network verifies. */
  readonly verifyEndpoints: typeof verifyEndpoints | undefined
  readonly slots: CallSlots
  /** Longest answer that is held to be verified or translated, in bytes. */
  readonly maxBytes: number
  readonly clock: Clock
  readonly log: Log
  readonly metrics: NetworkMetrics
}

/** Creates the pool of a network's upstreams, with verification and translation per endpoint, and tells the log of what goes wrong. */
export function createNetworkPool(options: NetworkPoolOptions): RpcHandler {
  const { network, kind, endpoints, maxBytes, clock, log, metrics } = options
  const { facts, apiVersions } = kind

  const onAnswer: VerificationOptions['onAnswer'] = (endpoint, method, outcome, why) => {
    metrics.verified(endpoint, method, outcome)
    if (why === undefined) return
    const fields = { network, endpoint, method, field: told(why.field), reason: told(why.message) }
    log.repeats.warn(['unverified', network, endpoint, method], fields, 'an answer does not verify')
  }

  return createPool({
    endpoints,
    slots: options.slots,
    clock,
    ...options.verifyEndpoints?.(endpoints, { clock, maxBytes, onAnswer }),
    ...apiVersions?.translate(endpoints, {
      clock,
      maxBytes,
      onNewer: ({ name: endpoint }, version) =>
        log.warn({ network, endpoint, version }, 'an upstream speaks a version newer than all known ones'),
    }),
    isFalse: isLie,
    isRepeatable: ({ method }) => isRead(facts, method),
    opensSubscription: ({ method }) => opensSubscription(facts, method),
    onFailure({ name: endpoint }, why) {
      metrics.upstreamFailed(endpoint, why.code)
      // A false answer was told above, with its method.
      if (falseAnswerOf(why) !== undefined) return
      const fields = { network, endpoint, code: why.code, status: why.httpStatus }
      log.repeats.warn(['failed', network, endpoint, why.code], fields, told(why.message))
    },
  })
}
