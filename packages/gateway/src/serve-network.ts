import { createRpcServer, RpcError, type Clock, type HttpPort, type RpcHandler } from '@wayleave/jsonrpc-core'
import type { Config, NetworkConfig } from './config/config.ts'
import type { GatewayContext } from './context.ts'
import { createEndpoint, type OpenEndpoint } from './endpoints.ts'
import { describe } from './errors.ts'
import { type Log, logRejection } from './log.ts'
import { marksOf } from './marks.ts'
import type { Metrics, NetworkMetrics } from './metrics.ts'
import { createNetworkHandlers, type NetworkOptions } from './network.ts'
import type { NetworkKind } from './networks/network-kind.ts'
import { createProbe } from './probe.ts'
import type { ServedNetwork } from './serving.ts'

export interface ServeNetworkOptions {
  readonly config: Config
  readonly kind: NetworkKind
  /** A rollup node in this process; it goes before a configured URL. */
  readonly rollupNode: RpcHandler | undefined
  readonly verify: NetworkOptions['verify']
  readonly http: HttpPort
  readonly metrics: Metrics
  readonly clock: Clock
  readonly log: Log
}

/** A network with what it holds open. */
export interface OpenNetwork extends ServedNetwork {
  readonly endpoints: readonly OpenEndpoint[]
  /** What the gateway asks for itself. */
  readonly nodes: RpcHandler
}

/** Methods that reach into a node; served only where an operator says so. */
const defaultDeny: readonly string[] = ['admin_*', 'personal_*', 'debug_setHead', 'engine_*']

/** Makes one configured network; nothing is opened before its first call. */
export function serveNetwork(name: string, network: NetworkConfig, options: ServeNetworkOptions): OpenNetwork {
  const { config, kind, http, clock, log } = options
  const { limits } = config
  const evm = network.kind === 'starknet' ? undefined : network
  const maxResponseBytes = limits?.maxUpstreamBytes ?? 64 * 1024 * 1024
  const endpoints = network.upstreams.map((upstream, i) =>
    createEndpoint(upstream, i, { http, facts: kind.facts, maxResponseBytes, verify: evm?.verify, clock }),
  )
  const configuredRollupNode =
    evm?.rollupNode === undefined
      ? undefined
      : createEndpoint(evm.rollupNode, 0, { http, facts: {}, maxResponseBytes: 1024 * 1024, clock }).handler
  const metrics = options.metrics.network(name)
  const { calls, nodes } = createNetworkHandlers({
    name,
    kind,
    dialect: network.kind === 'starknet' ? network.specVersion : undefined,
    endpoints,
    verify: network.kind === 'starknet' ? undefined : options.verify,
    rollupNode: options.rollupNode ?? configuredRollupNode,
    rollupMode: evm?.rollupMode,
    denyMethods: config.methods?.deny ?? defaultDeny,
    maxSubscriptions: limits?.maxSubscriptions ?? 1_000,
    maxSharedBytes: maxResponseBytes,
    clock,
    log,
    metrics,
  })
  const server = createRpcServer<GatewayContext>(watchBatches(calls, name, log, metrics), {
    describe,
    maxBodyBytes: limits?.maxBodyBytes ?? 5 * 1024 * 1024,
    maxBatch: limits?.maxBatch ?? 1_000,
    extraMembers: (meta, { caller }) => {
      const marks = caller.inlineMarks === true ? marksOf(meta) : undefined
      return marks && { wayleave: marks }
    },
    onInternalError: (err, { caller }) =>
      log.error({ traceId: caller.traceId, network: name, err }, 'a call failed inside the gateway'),
  })
  const probe = createProbe(endpoints, network, clock)
  return { name, server, metrics, probe, dialects: kind.dialects, endpoints, nodes }
}

/** Tells of the calls of batches that no upstream answered; those of single calls are told by the listeners. */
function watchBatches(
  handler: RpcHandler<GatewayContext>,
  network: string,
  log: Log,
  metrics: NetworkMetrics,
): RpcHandler<GatewayContext> {
  return (request, context) => {
    const answer = handler(request, context)
    if (context.batch === undefined) return answer
    return answer.catch((thrown: unknown) => {
      if (thrown instanceof RpcError) {
        metrics.rejected(thrown.code)
        logRejection(log, { traceId: context.caller.traceId, network }, thrown)
      }
      throw thrown
    })
  }
}
