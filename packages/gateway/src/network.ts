import { coalesce, type RpcContext, type RpcHandler, type RpcRequest } from '@wayleave/jsonrpc-core'
import { createPool, type Endpoint } from '@wayleave/upstream'
import type { GatewayContext } from './context.ts'
import type { Log } from './log.ts'
import type { NetworkMetrics } from './metrics.ts'
import { networkKinds } from './networks/index.ts'
import type { NetworkSources } from './networks/network-kind.ts'
import { authorize } from './stages/authorize.ts'
import { sessions } from './stages/sessions.ts'

export interface NetworkOptions extends NetworkSources {
  readonly name: string
  readonly kind: keyof typeof networkKinds
  readonly endpoints: readonly Endpoint[]
  readonly denyMethods: readonly string[]
  readonly maxSubscriptions: number
  /** Longest answer that callers of the same share, in bytes. */
  readonly maxSharedBytes: number
  readonly log: Log
  readonly metrics: NetworkMetrics
}

/** The way of a call below its decoding, as the list of stages that it passes. */
export function createNetworkHandler(options: NetworkOptions): RpcHandler<GatewayContext> {
  const { name, clock, log, metrics, endpoints, denyMethods, maxSubscriptions, maxSharedBytes } = options
  const { facts, events, normalise } = networkKinds[options.kind]
  const spec = ({ method }: RpcRequest) => (Object.hasOwn(facts, method) ? facts[method] : undefined)
  const isRead = (request: RpcRequest): boolean => spec(request)?.effect === 'read'

  const pool: RpcHandler = createPool({
    endpoints,
    clock,
    isRepeatable: isRead,
    opensSubscription: (request) => spec(request)?.subscription !== undefined,
    onFailure(endpoint, why) {
      metrics.upstreamFailed(endpoint.name, why.code)
      log.warn({ network: name, endpoint: endpoint.name, code: why.code, status: why.httpStatus }, why.message)
    },
  })
  const share = coalesce({ clock, maxSharedBytes, key: (request) => (isRead(request) ? shareKey(request) : undefined) })

  const rollupNode = options.rollupNode && share(options.rollupNode)

  return authorize({ denyMethods })(
    sessions(facts, { maxSubscriptions })(
      events()(
        normalise({ ...options, rollupNode })(
          share(pool), //
        ),
      ),
    ) as RpcHandler<RpcContext>,
  )
}

function shareKey({ method, params }: RpcRequest): string {
  return params === undefined ? method : `${method} ${params.text()}`
}
