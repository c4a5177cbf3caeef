import {
  coalesce,
  type RpcContext,
  type RpcHandler,
  type RpcMiddleware,
  type RpcRequest,
  type RpcResponse,
} from '@wayleave/jsonrpc-core'
import { createPool } from '@wayleave/upstream'
import type { GatewayContext } from './context.ts'
import type { OpenEndpoint } from './endpoints.ts'
import { isSomething } from './is-something.ts'
import type { Log } from './log.ts'
import type { NetworkMetrics } from './metrics.ts'
import { apiVersion } from './networks/api-version.ts'
import type { NetworkKind, NetworkSources, TranslateOptions } from './networks/network-kind.ts'
import { isLie, refusalOf } from './refusal.ts'
import { authorize } from './stages/authorize.ts'
import { sessions } from './stages/sessions.ts'
import { tellDialect } from './stages/tell-dialect.ts'
import type { isVerified, VerificationOptions, verifyEndpoints } from './verification.ts'

/** The code of verification, which loads only where a network asks for it. */
export interface Verifying {
  readonly verifyEndpoints: typeof verifyEndpoints
  readonly isVerified: typeof isVerified
}

export interface NetworkOptions extends NetworkSources {
  readonly name: string
  readonly kind: NetworkKind
  /** What callers speak whose path says nothing, where the kind has dialects. Default: its usual one. */
  readonly dialect?: string | undefined
  readonly endpoints: readonly OpenEndpoint[]
  /** Makes endpoints of those that verify their answers; undefined where none has to. */
  readonly verify: Verifying | undefined
  readonly denyMethods: readonly string[]
  readonly maxSubscriptions: number
  /** Longest answer that is held, as one that callers of the same share or that is verified or translated, in bytes. */
  readonly maxSharedBytes: number
  readonly log: Log
  readonly metrics: NetworkMetrics
}

export interface NetworkHandlers {
  /** What callers ask. */
  readonly calls: RpcHandler<GatewayContext>
  /** What the gateway asks for itself: below authorization and the rules for callers. */
  readonly nodes: RpcHandler
}

/** Of what a stranger sent, in a line of the log, in characters. */
const longestTold = 300

/** The way of a call below its decoding, as the list of stages that it passes. */
export function createNetworkHandlers(options: NetworkOptions): NetworkHandlers {
  const { name, clock, log, metrics, endpoints, denyMethods, maxSubscriptions, maxSharedBytes } = options
  const { facts, dialects, events, normalise } = options.kind
  const spec = ({ method }: RpcRequest) => (Object.hasOwn(facts, method) ? facts[method] : undefined)
  const isRead = (request: RpcRequest): boolean => spec(request)?.effect === 'read'

  const onAnswer: VerificationOptions['onAnswer'] = (endpoint, method, outcome, refusal) => {
    metrics.verified(endpoint, method, outcome)
    if (refusal === undefined) return
    const [field, reason] = [refusal.field, refusal.message].map((text) => text.slice(0, longestTold))
    log.warn({ network: name, endpoint, method, field, reason }, 'an answer does not verify')
  }

  const withheld = new WeakSet<RpcResponse>()
  const onNewer: TranslateOptions['onNewer'] = (endpoint, version) =>
    log.warn(
      { network: name, endpoint: endpoint.name, version },
      'an upstream speaks a version newer than all known ones',
    )
  const pool: RpcHandler = createPool({
    endpoints:
      options.verify?.verifyEndpoints(endpoints, { clock, maxBytes: maxSharedBytes, withheld, onAnswer }) ?? endpoints,
    clock,
    ...dialects?.translate(endpoints, { clock, maxBytes: maxSharedBytes, onNewer }),
    isFalse: isLie,
    ...(options.verify && {
      isVerified: options.verify.isVerified,
      isLastResort: (response, spare) => withheld.has(response) || (spare !== undefined && !isSomething(response)),
    }),
    isRepeatable: isRead,
    opensSubscription: (request) => spec(request)?.subscription !== undefined,
    onFailure(endpoint, why) {
      metrics.upstreamFailed(endpoint.name, why.code)
      // It is told above, with its method.
      if (refusalOf(why) !== undefined) return
      log.warn({ network: name, endpoint: endpoint.name, code: why.code, status: why.httpStatus }, why.message)
    },
  })
  const share = coalesce({ clock, maxSharedBytes, key: (request) => (isRead(request) ? shareKey(request) : undefined) })

  const nodes = share(pool)
  const rollupNode = options.rollupNode && share(options.rollupNode)

  const speak: RpcMiddleware<GatewayContext> =
    dialects === undefined ? (next) => next : tellDialect(options.dialect ?? dialects.usual)
  const calls = authorize({ denyMethods })(
    speak(
      sessions(facts, { maxSubscriptions })(
        events({ canPush: endpoints.some(({ carriesSubscriptions }) => carriesSubscriptions) })(
          normalise({ ...options, rollupNode })(
            nodes, //
          ),
        ),
      ) as RpcHandler<RpcContext>,
    ) as RpcHandler<RpcContext>,
  )
  return { calls, nodes }
}

function shareKey(request: RpcRequest): string {
  const { method, params } = request
  const dialect = apiVersion.of(request) ?? ''
  return params === undefined ? `${dialect} ${method}` : `${dialect} ${method} ${params.text()}`
}
