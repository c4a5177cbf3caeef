import { createServer as createPlainServer } from 'node:http'
import { createAuthenticator, createMemoryKeyStore } from '@wayleave/auth'
import { createRpcServer, RpcError, type RpcHandler } from '@wayleave/jsonrpc-core'
import { createUndiciPort } from '@wayleave/upstream/node'
import { ConfigError, toProblem } from './config/check.ts'
import type { Config, NetworkConfig, ProjectConfig, TlsConfig } from './config/config.ts'
import { defaultListen } from './config/summary.ts'
import { readTls, type TlsMaterial } from './config/tls-files.ts'
import type { GatewayContext } from './context.ts'
import { realSurroundings, type Surroundings } from './defaults.ts'
import { createEndpoint, type OpenEndpoint } from './endpoints.ts'
import { describe } from './errors.ts'
import { createGasService } from './gas/gas-service.ts'
import type { GasNetwork } from './gas/gas-sources.ts'
import { openStore } from './gas/open-store.ts'
import { createAdminListener } from './listeners/admin-listener.ts'
import { createBufferRelief } from './listeners/buffer-relief.ts'
import { createCloser } from './listeners/closer.ts'
import { createServer } from './listeners/create-server.ts'
import { listen } from './listeners/listen.ts'
import { createRpcListener } from './listeners/rpc-listener.ts'
import { createStreams } from './listeners/streams.ts'
import { reloadTls } from './listeners/tls-reload.ts'
import { asksForWebSocket, attachWebSocketListener } from './listeners/websocket-listener.ts'
import { createLog, type Log, logRejection } from './log.ts'
import { marksOf } from './marks.ts'
import { createMetrics, type NetworkMetrics } from './metrics.ts'
import { createNetworkHandlers } from './network.ts'
import { networkKinds } from './networks/index.ts'
import { createProbe } from './probe.ts'
import { createHostReader } from './routes/host.ts'
import { parseRoute } from './routes/route.ts'
import type { ServedNetwork, Serving } from './serving.ts'

export interface GatewayOptions {
  /** Rollup nodes in this process, by network; they go before a configured URL. */
  readonly rollupNodes?: Readonly<Record<string, RpcHandler>>
  /** Default: warnings and errors, on stderr. */
  readonly log?: Log
  readonly surroundings?: Surroundings
}

/** A gateway that is listening. */
export interface RunningGateway {
  /** `http://host:port` of JSON-RPC; `https:` with TLS. */
  readonly rpc: string
  /** `ws://host:port` of the same listener; `wss:` with TLS. */
  readonly ws: string
  /** `http://host:port` of health and metrics. */
  readonly admin: string
  /** Chain ids by network. */
  readonly networks: Readonly<Record<string, number>>
  /**
   * Takes no more connections, lets calls in flight finish for up to `graceMs` (default 10,000), then ends them. Where it
   * is called again, the grace that ends first holds.
   */
  close(graceMs?: number): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/** The longest that a timer can wait. */
const longestTimerMs = 2 ** 31 - 1
/** What a connection holds before its writer waits, in bytes: a few reads of a large answer. */
const socketBuffer = 262_144

/**
 * Opens the listeners of a checked configuration. What an operator changes later needs a new gateway.
 * @throws ListenError where an address cannot be listened on, ConfigError for files of `listen.tls` or a `store` that cannot be used;
 * nothing stays open then.
 */
export async function startGateway(config: Config, options: GatewayOptions = {}): Promise<RunningGateway> {
  const { surroundings = realSurroundings, log = createLog({ level: 'warn' }) } = options
  const { clock, sha256, newTraceId, collectYoung } = surroundings
  const slowestRequestMs = config.limits?.readTimeoutMs ?? 30_000
  const tlsConfig = config.listen?.tls
  const tls = tlsConfig === undefined ? undefined : await openTls(tlsConfig)
  const authenticate = createAuthenticator({
    keys: createMemoryKeyStore(projectsOf(config.projects ?? []), sha256),
    sha256,
  })
  // The curves of signatures take a while to load.
  const verify = verifiesAny(config) ? (await import('./verification.ts')).verifyEndpoints : undefined
  const store = await openStore(config)
  const metrics = createMetrics()
  const { http, close: closePort } = createUndiciPort()
  const endpoints: OpenEndpoint[] = []
  const names = Object.keys(config.networks)

  const gasNetworks: GasNetwork[] = []
  const networks = new Map(names.map((name) => [name, serveNetwork(name, config.networks[name]!)]))
  const maxConnections = config.limits?.maxConnections ?? 20_000
  const gas = createGasService({ networks: gasNetworks, store: store.fees, clock, log, maxStreams: maxConnections })
  metrics.watchAges(gas.sources)
  const serving: Serving = {
    networks,
    defaultNetwork: config.defaultNetwork ?? (names.length === 1 ? names[0] : undefined),
    authenticate,
    route: routeReader(names, config.bareHosts ?? []),
    onlyLocal: config.onlyLocal ?? false,
    clock,
    newTraceId,
    onPassed: createBufferRelief(collectYoung),
    refused: metrics.refused,
    gas,
    gasAnswered: metrics.gasAnswered,
    streams: createStreams(),
    log,
    limits: {
      requestTimeoutMs: config.limits?.requestTimeoutMs ?? 30_000,
      maxBodyBytes: config.limits?.maxBodyBytes ?? 5 * 1024 * 1024,
      maxInFlight: config.limits?.maxInFlight ?? 200,
      webSocketPingMs: config.limits?.webSocketPingMs ?? 30_000,
      webSocketIdleMs: config.limits?.webSocketIdleMs ?? 3_600_000,
    },
  }
  const rpcServer = createServer(
    {
      requestTimeout: slowestRequestMs,
      headersTimeout: slowestRequestMs,
      connectionsCheckingInterval: Math.min(5_000, slowestRequestMs / 4),
      keepAliveTimeout: 65_000,
      highWaterMark: socketBuffer,
      shouldUpgradeCallback: asksForWebSocket,
    },
    tls,
    createRpcListener(serving),
  )
  rpcServer.maxConnections = maxConnections
  rpcServer.on('drop', metrics.dropped)
  // A caller who takes nothing of his answer for this long is cut; no call lasts longer without a byte of its answer.
  rpcServer.setTimeout(Math.min(Math.max(2 * serving.limits.requestTimeoutMs, slowestRequestMs), longestTimerMs))
  const sockets = attachWebSocketListener(rpcServer, serving)
  const adminServer = createPlainServer(
    { requestTimeout: slowestRequestMs },
    createAdminListener(metrics, [...networks.values()]),
  )
  const closeRpc = createCloser(rpcServer)
  const closeAdmin = createCloser(adminServer)
  const stopReloading =
    tlsConfig === undefined || tls === undefined ? () => {} : reloadTls(rpcServer, tlsConfig, tls, clock, log)

  function serveNetwork(name: string, network: NetworkConfig): ServedNetwork {
    const { facts } = networkKinds[network.kind]
    const maxResponseBytes = config.limits?.maxUpstreamBytes ?? 64 * 1024 * 1024
    const own = network.upstreams.map((upstream, i) =>
      createEndpoint(upstream, i, { http, facts, maxResponseBytes, verify: network.verify, clock }),
    )
    endpoints.push(...own)
    const counts = metrics.network(name)
    const { calls, nodes } = createNetworkHandlers({
      name,
      kind: network.kind,
      endpoints: own,
      verify,
      rollupNode: options.rollupNodes?.[name] ?? rollupNodeOf(network),
      rollupMode: network.rollupMode,
      denyMethods: config.methods?.deny ?? defaultDeny,
      maxSubscriptions: config.limits?.maxSubscriptions ?? 1_000,
      maxSharedBytes: maxResponseBytes,
      clock,
      log,
      metrics: counts,
    })
    if (network.gas !== false) gasNetworks.push({ name, chainId: network.chainId, gas: network.gas ?? {}, nodes })
    const server = createRpcServer<GatewayContext>(watchBatches(calls, name, log, counts), {
      describe,
      maxBodyBytes: config.limits?.maxBodyBytes ?? 5 * 1024 * 1024,
      maxBatch: config.limits?.maxBatch ?? 1_000,
      marks: (meta, { caller }) => (caller.inlineMarks === true ? marksOf(meta) : undefined),
      onInternalError: (err, { caller }) =>
        log.error({ traceId: caller.traceId, network: name, err }, 'a call failed inside the gateway'),
    })
    return { name, server, metrics: counts, probe: createProbe(own, network.chainId, clock) }
  }

  function rollupNodeOf({ rollupNode }: NetworkConfig): RpcHandler | undefined {
    return rollupNode === undefined
      ? undefined
      : createEndpoint(rollupNode, 0, { http, facts: {}, maxResponseBytes: 1024 * 1024, clock }).handler
  }

  function onListenerError(err: Error): void {
    log.error({ err }, 'a connection could not be accepted')
  }

  async function drain(): Promise<void> {
    stopReloading()
    serving.streams.end()
    await Promise.all([closeRpc(), closeAdmin(), sockets.close()])
    await gas.close()
    const closeStore = store.close().catch((err: unknown) => log.warn({ err }, 'the store could not be closed'))
    await Promise.all([closeStore, closePort(), ...endpoints.map((endpoint) => endpoint.close())])
  }

  let drained: Promise<void> | undefined

  async function close(graceMs = 10_000): Promise<void> {
    drained ??= drain()
    const stop = clock.after(graceMs, () => {
      rpcServer.closeAllConnections()
      adminServer.closeAllConnections()
      sockets.terminate()
    })
    await drained.finally(stop)
  }

  try {
    const rpcAddress = await listen(rpcServer, config.listen?.rpc ?? defaultListen.rpc, 'JSON-RPC', onListenerError)
    const adminAddress = await listen(
      adminServer,
      config.listen?.admin ?? defaultListen.admin,
      'The admin listener',
      onListenerError,
    )
    const s = tls === undefined ? '' : 's'
    return {
      rpc: `http${s}://${rpcAddress}`,
      ws: `ws${s}://${rpcAddress}`,
      admin: `http://${adminAddress}`,
      networks: Object.fromEntries(names.map((name) => [name, config.networks[name]!.chainId])),
      close,
      [Symbol.asyncDispose]: close,
    }
  } catch (thrown) {
    await close(0)
    throw thrown
  }
}

async function openTls(config: TlsConfig): Promise<TlsMaterial> {
  const tls = await readTls(config)
  if ('faults' in tls) throw new ConfigError(tls.faults.map((fault) => toProblem(fault)))
  return tls
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

function verifiesAny({ networks }: Config): boolean {
  return Object.values(networks).some(({ upstreams, verify = 'off' }) =>
    upstreams.some((upstream) => ((typeof upstream === 'string' ? undefined : upstream.verify) ?? verify) !== 'off'),
  )
}

/** Methods that reach into a node; served only where an operator says so. */
const defaultDeny: readonly string[] = ['admin_*', 'personal_*', 'debug_setHead', 'engine_*']

function projectsOf(projects: readonly ProjectConfig[]): Parameters<typeof createMemoryKeyStore>[0] {
  return projects.map((project) => ({ id: project.name, ...project }))
}

function routeReader(names: readonly string[], bareHosts: readonly string[]): Serving['route'] {
  const networkOfHost = createHostReader(new Set(names), bareHosts)
  return (url, host) => parseRoute(url, host, networkOfHost)
}
