import { createServer as createPlainServer } from 'node:http'
import { createAuthenticator, createMemoryKeyStore } from '@wayleave/auth'
import type { RpcHandler } from '@wayleave/jsonrpc-core'
import { createUndiciPort } from '@wayleave/upstream/node'
import { ConfigError, toProblem } from './config/check.ts'
import type { Config, ProjectConfig, TlsConfig } from './config/config.ts'
import { faultsOfIpfs } from './config/meaning.ts'
import { defaultListen } from './config/summary.ts'
import { readTls, type TlsMaterial } from './config/tls-files.ts'
import { realSurroundings, type Surroundings } from './defaults.ts'
import type { OpenEndpoint } from './endpoints.ts'
import { createGasService } from './gas/gas-service.ts'
import type { GasNetwork } from './gas/gas-sources.ts'
import { type IpfsApi, openIpfsApi } from './ipfs/open-ipfs-api.ts'
import { createAdminListener } from './listeners/admin-listener.ts'
import { createBufferRelief } from './listeners/buffer-relief.ts'
import { createCloser } from './listeners/closer.ts'
import { createServer } from './listeners/create-server.ts'
import { listen } from './listeners/listen.ts'
import { createRpcListener } from './listeners/rpc-listener.ts'
import { createStreams } from './listeners/streams.ts'
import { reloadTls } from './listeners/tls-reload.ts'
import { asksForWebSocket, attachWebSocketListener } from './listeners/websocket-listener.ts'
import { createLog, type Log } from './log.ts'
import { createMetrics } from './metrics.ts'
import { loadNetworkKinds } from './networks/index.ts'
import { createHostReader } from './routes/host.ts'
import { parseRoute } from './routes/route.ts'
import { openStore } from './open-store.ts'
import { serveNetwork } from './serve-network.ts'
import type { Probed, ServedNetwork, Serving } from './serving.ts'

export interface GatewayOptions {
  /** Rollup nodes in this process, by network; they go before a configured URL. */
  readonly rollupNodes?: Readonly<Record<string, RpcHandler>>
  /** Why a network is not here that callers may ask for, by its name: they are told. */
  readonly absentNetworks?: Readonly<Record<string, string>>
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
  /** The same, where it serves the gas API; undefined where no network has one. */
  readonly gas: string | undefined
  /** `http://host:port` of the IPFS API, `https:` with TLS; undefined where it is not served. */
  readonly ipfs: string | undefined
  /** `http://host:port` of health and metrics. */
  readonly admin: string
  /** Chain ids by network, as they are configured: texts for Starknet. */
  readonly networks: Readonly<Record<string, number | string>>
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
 * @throws ListenError where an address cannot be listened on, ConfigError for files of `listen.tls`, a `store` or an `ipfs` that cannot be used;
 * nothing stays open then.
 */
export async function startGateway(config: Config, options: GatewayOptions = {}): Promise<RunningGateway> {
  const { surroundings = realSurroundings, log = createLog({ level: 'warn' }) } = options
  const { clock, sha256, newTraceId, collectYoung } = surroundings
  // Content that outlives its pins would be lost, so who did not check the configuration hears of it, too.
  const faults = faultsOfIpfs({ ...config })
  if (faults.length > 0) throw new ConfigError(faults.map((fault) => toProblem(fault)))
  const slowestRequestMs = config.limits?.readTimeoutMs ?? 30_000
  const tlsConfig = config.listen?.tls
  const tls = tlsConfig === undefined ? undefined : await openTls(tlsConfig)
  const authenticate = createAuthenticator({
    keys: createMemoryKeyStore(projectsOf(config.projects ?? []), sha256),
    sha256,
  })
  // The curves of signatures take a while to load.
  const verify = verifiesAny(config) ? await import('./verification.ts') : undefined
  const kindOf = await loadNetworkKinds(Object.values(config.networks))
  const store = await openStore(config)
  const metrics = createMetrics()
  const { http, close: closePort } = createUndiciPort()
  const endpoints: OpenEndpoint[] = []
  const names = Object.keys(config.networks)

  const gasNetworks: GasNetwork[] = []
  const networks = new Map<string, ServedNetwork>()
  for (const [name, network] of Object.entries(config.networks)) {
    const kind = kindOf(network.kind)
    const rollupNode = options.rollupNodes?.[name]
    const served = serveNetwork(name, network, { config, kind, rollupNode, verify, http, metrics, clock, log })
    endpoints.push(...served.endpoints)
    networks.set(name, served)
    if (network.kind === 'starknet' || network.gas === false) continue
    gasNetworks.push({ name, chainId: network.chainId, gas: network.gas ?? {}, nodes: served.nodes })
  }
  const maxConnections = config.limits?.maxConnections ?? 20_000
  const gas = createGasService({ networks: gasNetworks, store: store.fees, clock, log, maxStreams: maxConnections })
  metrics.watchAges(gas.sources)
  const probed: Probed[] = [...networks.values()]
  const serving: Serving = {
    networks,
    probed,
    defaultNetwork: config.defaultNetwork ?? (names.length === 1 ? names[0] : undefined),
    absentNetworks: new Map(Object.entries(options.absentNetworks ?? {})),
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
  const ipfs = await openIpfs()
  if (ipfs !== undefined) probed.push({ name: 'ipfs', probe: ipfs.probe })
  const adminServer = createPlainServer({ requestTimeout: slowestRequestMs }, createAdminListener(metrics, probed))
  const closeRpc = createCloser(rpcServer)
  const closeAdmin = createCloser(adminServer)
  const closeIpfs = ipfs && createCloser(ipfs.server)
  const secured = [rpcServer, ...(ipfs ? [ipfs.server] : [])]
  const stopReloading =
    tlsConfig === undefined || tls === undefined
      ? []
      : secured.map((server) => reloadTls(server, tlsConfig, tls, clock, log))

  async function openIpfs(): Promise<IpfsApi | undefined> {
    const { ipfs: ipfsConfig } = config
    // Where there are no pins, it was refused above.
    if (ipfsConfig === undefined || store.pins === undefined) return undefined
    try {
      return await openIpfsApi({
        config: { ...config, ipfs: ipfsConfig },
        ledger: store.pins,
        tls,
        headersTimeoutMs: slowestRequestMs,
        maxConnections,
        metrics,
        serving,
      })
    } catch (thrown) {
      await Promise.all([store.close(), gas.close(), closePort(), ...endpoints.map((endpoint) => endpoint.close())])
      throw thrown
    }
  }

  function onListenerError(err: Error): void {
    log.error({ err }, 'a connection could not be accepted')
  }

  async function drain(): Promise<void> {
    for (const stop of stopReloading) stop()
    serving.streams.end()
    await Promise.all([closeRpc(), closeAdmin(), closeIpfs?.(), sockets.close()])
    await Promise.all([gas.close(), ipfs?.close()])
    const closeStore = store.close().catch((err: unknown) => log.warn({ err }, 'the store could not be closed'))
    await Promise.all([closeStore, closePort(), ...endpoints.map((endpoint) => endpoint.close())])
  }

  let drained: Promise<void> | undefined

  async function close(graceMs = 10_000): Promise<void> {
    drained ??= drain()
    const stop = clock.after(graceMs, () => {
      rpcServer.closeAllConnections()
      adminServer.closeAllConnections()
      ipfs?.server.closeAllConnections()
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
    const ipfsAddress =
      ipfs && (await listen(ipfs.server, config.listen?.ipfs ?? defaultListen.ipfs, 'The IPFS API', onListenerError))
    const s = tls === undefined ? '' : 's'
    return {
      rpc: `http${s}://${rpcAddress}`,
      ws: `ws${s}://${rpcAddress}`,
      gas: gasNetworks.length === 0 ? undefined : `http${s}://${rpcAddress}`,
      ipfs: ipfsAddress && `http${s}://${ipfsAddress}`,
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

function verifiesAny({ networks }: Config): boolean {
  return Object.values(networks).some((network) => {
    if (network.kind === 'starknet') return false
    const { upstreams, verify = 'off' } = network
    return upstreams.some(
      (upstream) => ((typeof upstream === 'string' ? undefined : upstream.verify) ?? verify) !== 'off',
    )
  })
}

function projectsOf(projects: readonly ProjectConfig[]): Parameters<typeof createMemoryKeyStore>[0] {
  return projects.map((project) => ({ id: project.name, ...project }))
}

function routeReader(names: readonly string[], bareHosts: readonly string[]): Serving['route'] {
  const networkOfHost = createHostReader(new Set(names), bareHosts)
  return (url, host) => parseRoute(url, host, networkOfHost)
}
