import { createAuthenticator, createTokenVerifier, parseAddressRange } from '@wayleave/auth'
import type { PinLedger } from '@wayleave/ipfs-http/server'
import type { RpcHandler } from '@wayleave/jsonrpc-core'
import { openAccounts } from './accounts/accounts.ts'
import { createAdmission } from './admission.ts'
import { createByteBudget } from './budget/byte-budget.ts'
import { createRelief } from './budget/relief.ts'
import { createTurns } from './budget/turns.ts'
import { namedProjects } from './config/accounts.ts'
import { ConfigError, toProblem } from './config/check.ts'
import type { Config } from './config/config.ts'
import { ipfsIssues } from './config/cross-checks.ts'
import { limitsOf } from './config/limits.ts'
import { defaultListen } from './config/summary.ts'
import { readTls } from './config/tls-files.ts'
import { realSurroundings, type Surroundings } from './defaults.ts'
import { createDenials } from './denial.ts'
import { createGasListener } from './gas/listener.ts'
import { createGasService, gasNetworksOf } from './gas/service.ts'
import { listenAll } from './http/listen-all.ts'
import type { OpenTls } from './http/listener.ts'
import { createBufferRelief } from './http/write.ts'
import type { OpenIpfsApi } from './ipfs/listener.ts'
import type { IpfsServiceOptions } from './ipfs/service.ts'
import type { ListenerOptions } from './listener-options.ts'
import { openMetering } from './metering/open-metering.ts'
import { openAdminListener } from './ops/admin.ts'
import { adminTokensOf } from './ops/admin-tokens.ts'
import { openOperatorApi } from './ops/operator-api.ts'
import { createCordons } from './ops/cordons.ts'
import { watchDescriptors } from './ops/descriptors.ts'
import { createHealth, type Phase } from './ops/health.ts'
import { createLog, type Log } from './ops/log.ts'
import { createMetrics } from './ops/metrics.ts'
import { lookAt } from './ops/probe.ts'
import { createRouteReader } from './routes/route.ts'
import { openFilterStores } from './rpc/filters/filter-stores.ts'
import { openRpcListener } from './rpc/listener.ts'
import { openNetworks } from './rpc/network.ts'
import { createTimeouts } from './rpc/timeouts.ts'
import { createSessions } from './sessions.ts'
import { openSharedState, perProcessState } from './shared-state.ts'
import { openStore } from './store.ts'

export interface GatewayOptions {
  /** Rollup nodes in this process, by network; they go before a configured URL. */
  readonly rollupNodes?: Readonly<Record<string, RpcHandler>>
  /** Why a network is missing that callers may ask for, by its name: they are told. */
  readonly absentNetworks?: Readonly<Record<string, string>>
  /** Default: warnings and errors, on stderr. One that is given stays open when the gateway closes. */
  readonly log?: Log
  readonly surroundings?: Surroundings
}

/** A gateway that is listening. */
export interface RunningGateway {
  /** `http://host:port` of JSON-RPC; `https:` with TLS. */
  readonly rpc: string
  /** `ws://host:port` of the same listener; `wss:` with TLS. */
  readonly ws: string
  /** The same as `rpc`, where it serves the gas API; undefined where no network has one. */
  readonly gas: string | undefined
  /** `http://host:port` of the IPFS API, `https:` with TLS; undefined where it is not served. */
  readonly ipfs: string | undefined
  /** `http://host:port` of health, status and metrics. */
  readonly admin: string
  /** Chain ids by network, as they are configured: texts for Starknet. */
  readonly networks: Readonly<Record<string, number | string>>
  /** The state that other replicas of the gateway do not know, in words. */
  readonly perProcess: readonly string[]
  /**
   * Takes no more connections, lets calls in flight finish for up to `graceMs` (default 10,000), then ends them. If it is called again,
   * the grace that ends first holds.
   */
  close(graceMs?: number): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/**
 * Opens the listeners of a checked configuration. A change of the configuration needs a new gateway.
 * @throws ListenError where an address cannot be listened on; ConfigError where the files of `listen.tls`, the `store` or `ipfs` cannot
 * be used. Nothing stays open then.
 */
export async function startGateway(config: Config, options: GatewayOptions = {}): Promise<RunningGateway> {
  const { surroundings = realSurroundings, log = createLog({ level: 'warn' }), rollupNodes = {} } = options
  const {
    clock,
    random,
    sha256,
    newTraceId,
    nextTurn,
    collectYoung,
    collectAll,
    shrink,
    heapBytes,
    busyPart,
    memoryBytes,
  } = surroundings
  // Content that outlives its pins would be lost, so this is checked even where nobody checked the configuration.
  const issues = ipfsIssues({ ...config })
  if (issues.length > 0) throw new ConfigError(issues.map((issue) => toProblem(issue)))
  const limits = limitsOf(config, memoryBytes)
  const addresses = { ...defaultListen, ...config.listen }
  const tls = await openTls(config)
  const projects = namedProjects(config)
  const now = (): number => clock.date()
  const sessions = createSessions(clock)
  const metrics = createMetrics()
  const noteDenial = createDenials({ log, metrics })
  const relief = createRelief({ collectYoung, collectAll, shrink, heapBytes, busyPart, clock })
  const turns = createTurns({ nextTurn })
  const budget = createByteBudget({
    relief,
    turns,
    capacity: limits.maxHeldBytes,
    onRefused: (project) => metrics.budgetRefused('maxHeldBytes', project),
  })
  metrics.watchLog(log)

  // Closed in the opposite order: listeners, then services, then connections to nodes, then the store, then the log.
  await using opened = new AsyncDisposableStack()
  opened.defer(() => (options.log === undefined ? log.close() : log.repeats.flush()))
  opened.defer(watchDescriptors({ clock, log }))
  opened.defer(() => relief.close())
  const store = await openStore(config, { clock, log })
  opened.defer(() => store.close().catch((err: unknown) => log.warn({ err }, 'the store could not be closed')))
  const accounts = await openAccounts({ projects, store: store.accounts, sha256, clock, log })
  opened.defer(() => accounts.close())
  opened.defer(accounts.onEvent((event) => sessions.revoke(event)))
  const tokens = createTokenVerifier({ audience: usualAudience, sha256, now })
  const authenticate = createAuthenticator({ keys: accounts.keys, tokens, sha256, now })
  const redis = await openSharedState(config, { newId: surroundings.newFilterId, clock, log })
  opened.defer(() => redis?.close())
  const metering = await openMetering(config, {
    projects,
    accounts: accounts.configured,
    stored: accounts,
    store: store.usage,
    shared: redis?.limits,
    newId: surroundings.newFilterId,
    clock,
    log,
    metrics,
  })
  opened.defer(() => metering.close())
  opened.defer(accounts.onEvent((event) => metering.forget(event)))
  const filterStores = openFilterStores({ redis, store, limits, clock, log })
  opened.defer(() => filterStores.close())
  const networks = await openNetworks(config, {
    shared: redis,
    filterStores,
    limits,
    budget,
    turns,
    rollupNodes,
    startThread: surroundings.startThread,
    metrics,
    clock,
    nextTurn,
    random,
    newFilterId: surroundings.newFilterId,
    noteDenial,
    metering,
    log,
  })
  opened.defer(() => closeAll(networks))
  const cordons = createCordons({ networks, shared: redis?.cordons, clock })
  opened.defer(() => cordons.close())
  const names = networks.map(({ name }) => name)
  const admission = createAdmission({
    networks: new Map(networks.map((network) => [network.name, network])),
    defaultNetwork: config.defaultNetwork ?? (names.length === 1 ? names[0] : undefined),
    absentNetworks: new Map(Object.entries(options.absentNetworks ?? {})),
    authenticate,
    route: createRouteReader(names, config.bareHosts ?? []),
    onlyLocal: config.onlyLocal ?? false,
    trustedProxies: (config.trustedProxies ?? []).flatMap((text) => parseAddressRange(text) ?? []),
    noteDenial,
    noteRefusal: metrics.notAdmitted,
  })
  const timeouts = createTimeouts(config, limits)
  const shared: ListenerOptions = {
    admission,
    sessions,
    metering,
    limits,
    timeouts,
    budget,
    tls,
    clock,
    newTraceId,
    nextTurn,
    log,
    metrics,
  }
  const ipfs = await openIpfs(config, projects, store.pins, { ...shared, address: addresses.ipfs })
  const gasNetworks = gasNetworksOf(networks)
  const maxStreams = limits.maxConnections
  const gasService = createGasService({ networks: gasNetworks, store: store.fees, clock, log, maxStreams })
  opened.defer(() => closeAll([gasService, ...(ipfs === undefined ? [] : [ipfs.service])]))
  metrics.watchAges(gasService.sources)

  let phase: Phase = 'starting'
  const health = createHealth({
    networks,
    ipfs: ipfs && { name: 'ipfs', probe: () => lookAt(ipfs.service.probe()) },
    store: store.watch,
    accounts: accounts.watch,
    redis,
    limits: metering.sharedLimits,
    usage: metering.usage,
    phase: () => phase,
    metrics,
    clock,
  })
  const gas = createGasListener({ ...shared, service: gasService })
  const onPassed = createBufferRelief(collectYoung)
  const rpc = openRpcListener({ ...shared, address: addresses.rpc, gas, health, onPassed })
  const adminTokens = adminTokensOf(config.admin, sha256)
  const operatorApi = await openOperatorApi({
    tokens: adminTokens,
    projects,
    store: store.operated,
    networks,
    cordons,
    sha256,
    clock,
    log,
  })
  const admin = openAdminListener({
    ...shared,
    address: addresses.admin,
    health,
    tokens: adminTokens,
    hosts: config.admin?.hosts ?? [],
    sha256,
    cordons,
    operatorApi,
  })
  const listeners = [rpc, admin, ...(ipfs === undefined ? [] : [ipfs.listener])]
  const terminate = (): void => listeners.forEach((listener) => listener.terminate())
  opened.defer(async () => {
    // A start that fails waits for no caller.
    if (phase === 'starting') terminate()
    phase = 'draining'
    // Health is told to the end.
    await closeAll(listeners.filter((listener) => listener !== admin))
    await admin.close()
  })
  const [rpcAddress, adminAddress, ipfsAddress] = await listenAll(listeners)
  phase = 'running'

  const running = opened.move()
  let closed: Promise<void> | undefined
  async function close(graceMs = 10_000): Promise<void> {
    closed ??= running.disposeAsync()
    await closed.finally(clock.after(graceMs, terminate))
  }
  const s = tls === undefined ? '' : 's'
  return {
    rpc: `http${s}://${rpcAddress}`,
    ws: `ws${s}://${rpcAddress}`,
    gas: gasNetworks.length === 0 ? undefined : `http${s}://${rpcAddress}`,
    ipfs: ipfsAddress && `http${s}://${ipfsAddress}`,
    admin: `http://${adminAddress}`,
    networks: Object.fromEntries(names.map((name) => [name, config.networks[name]!.chainId])),
    perProcess: perProcessState(redis, config),
    close,
    [Symbol.asyncDispose]: close,
  }
}

/** The audience of JWTs of projects that name none. */
const usualAudience = 'wayleave'

async function openTls({ listen }: Config): Promise<OpenTls | undefined> {
  if (listen?.tls === undefined) return undefined
  const material = await readTls(listen.tls)
  if ('issues' in material) throw new ConfigError(material.issues.map((issue) => toProblem(issue)))
  return { config: listen.tls, material }
}

/** Opens the IPFS API, if it is configured; its code loads only here. */
async function openIpfs(
  { ipfs: config, dataDir }: Config,
  projects: IpfsServiceOptions['projects'],
  ledger: PinLedger | undefined,
  options: ListenerOptions & { readonly address: string },
): Promise<OpenIpfsApi | undefined> {
  // A store without pins beside it was refused above.
  if (config === undefined || ledger === undefined) return undefined
  const { openIpfsApi } = await import('./ipfs/listener.ts')
  const { guardPinLedger } = await import('./ipfs/guard-pin-ledger.ts')
  return openIpfsApi({ ...options, config, dataDir, projects, ledger: guardPinLedger(ledger) })
}

async function closeAll(all: readonly { close(): Promise<unknown> }[]): Promise<void> {
  await Promise.all(all.map((each) => each.close()))
}
