import { createBlocks, createBufferRelief, type CreateListener, listenAll } from '@wayleave/http-server'
import { createLog } from '@wayleave/telemetry'
import { openChainPinner } from './chains/pin-chains.ts'
import type { Config } from './config/config.ts'
import type { ReloadReport } from './config/config-diff.ts'
import { shutdownOf } from './config/shutdown-config.ts'
import { realSurroundings } from './defaults.ts'
import type { GatewayOptions } from './gateway-options.ts'
import { createGasListener } from './gas/listener.ts'
import { openHost } from './host.ts'
import { openIpfs, sharingOf } from './ipfs/open-ipfs.ts'
import type { ListenerOptions } from './listener-options.ts'
import { openAdminListener } from './admin/listener.ts'
import { createOperated } from './admin/operated.ts'
import { createHealth, type Phase } from './health/health.ts'
import { lookAt, type Probed } from './health/probe.ts'
import { createPresentParts } from './present-parts.ts'
import { createReloads } from './reloads.ts'
import { pause } from './waits.ts'
import { openRpcListener } from './rpc/listener.ts'
import { createExplainCalls } from './trace/explain-calls.ts'
import type { RunningGateway } from './running-gateway.ts'
import { perProcessState } from './shared-state/shared-state.ts'
import { type NextSnapshot, openSnapshot, type Snapshot } from './snapshot.ts'
import { primaryConfig } from './cluster/divide-config.ts'
import { startAddresses } from './start-addresses.ts'
import { servePrimary } from './cluster/serve-primary.ts'
import { createWorkers, type Workers } from './cluster/workers.ts'
import { type GatewayListener, workersListener } from './cluster/workers-listener.ts'

/** Opens a gateway over the listeners that `listenerAt` creates for each of its places. */
export async function openGateway(
  config: Config,
  options: GatewayOptions,
  listenerAt: (place: 'rpc' | 'ipfs' | 'admin') => CreateListener,
): Promise<RunningGateway> {
  const { surroundings = realSurroundings, log = createLog({ level: 'warn' }) } = options
  const { rollupNodes = {}, absentNetworks = {}, sockets = {}, reread, about, worker } = options
  const workerCount = options.workers?.count ?? 1
  log.adapt(config.log ?? {})
  const { clock, newTraceId, nextTurn, collectYoung, memoryBytes, collectEveryMs } = surroundings
  const addresses = await startAddresses(config, options, workerCount)

  // Closed in the opposite order: listeners, then services, then connections to nodes, then the store, then the log.
  await using opened = new AsyncDisposableStack()
  opened.defer(() => (options.log === undefined ? log.close() : log.repeats.flush()))
  const pinner = await openChainPinner({ dataDir: worker ? undefined : config.dataDir, clock, log })
  const chains = await pinner.pin(config, startPatienceMs)
  const hosted = workerCount > 1 ? primaryConfig(chains.config) : chains.config
  const host = await openHost(hosted, opened, {
    surroundings,
    log,
    rollupNodes,
    absentNetworks,
    worker,
    hasWorkers: options.hasWorkers ?? workerCount > 1,
    isOpen: options.console?.isOpen,
  })
  const { metrics, sessions, metering, budget, store, redis, accounts, networks } = host
  let phase: Phase = 'starting'
  let present: Snapshot
  let workers: Workers | undefined
  const health = createHealth({
    get networks() {
      return networks.present
    },
    get ipfs() {
      return ipfsPart
    },
    store: store.watch,
    accounts: accounts.watch,
    redis,
    cache: host.cache?.shared,
    limits: metering.sharedLimits,
    usage: metering.usage,
    get workers() {
      return workers
    },
    phase: () => phase,
    metrics,
    clock,
  })
  const ending = new AbortController()
  // Whoever made the function may not have it before this one resolves.
  const rereadNow = (): Promise<ReloadReport> | undefined => (phase === 'running' ? reread?.() : undefined)
  // Not in `open`, whose closures hold the snapshot before.
  const refresh = (): Promise<void> | undefined => workers?.refresh()
  let rpcAddress = addresses.rpc
  const operated = createOperated(host, config, options, {
    rpc: () => rpcAddress,
    ipfs: () => ipfs?.service,
    workers: () => workers,
    present: () => present,
  })
  const explain = createExplainCalls(host.recorder, (question) => workers?.explain(question))
  let keeping = Promise.resolve()
  opened.defer(() => keeping)
  const open = async (next: Config, before?: Snapshot): Promise<NextSnapshot> => {
    const pinned = before === undefined ? chains : await pinner.pin(next, 0, ending.signal)
    const opening = {
      written: next,
      before,
      health,
      reread: reread && rereadNow,
      refresh,
      explain,
      operated,
      signal: ending.signal,
    }
    const prepared = await openSnapshot(pinned, host, opening)
    const theirs = await workers?.prepare(pinned.config).catch(async (thrown: unknown) => {
      await prepared.abandon()
      throw thrown
    })
    return {
      ...prepared,
      commit() {
        void prepared.commit()
        keeping = keeping.then(pinned.keep)
        return theirs?.commit()
      },
      abandon: async () => void (await Promise.all([prepared.abandon(), theirs?.abandon()])),
    }
  }
  const first = await open(config)
  void first.commit()
  present = first.snapshot
  await keeping
  const { tls } = first
  const current = createPresentParts(present)
  const { gas: service, ...parts } = current.parts
  const shared: ListenerOptions = {
    ...parts,
    sessions,
    metering,
    budget,
    tls,
    clock,
    newTraceId,
    nextTurn,
    recorder: host.recorder,
    tracer: host.tracer,
    log,
    metrics,
  }
  opened.defer(() => present.gas.close())
  const ipfs = worker
    ? undefined
    : await openIpfs(config, present.projects, store.pins, {
        ...shared,
        createListener: listenerAt('ipfs'),
        address: addresses.ipfs,
        socket: sockets.ipfs,
        collectEveryMs,
      })
  const ipfsPart: Probed | undefined = ipfs && { name: 'ipfs', probe: () => lookAt(ipfs.service.probe()) }
  opened.defer(() => ipfs?.service.close())
  metrics.watchAges(() => present.gas.sources)

  const gas = createGasListener({ ...shared, service })
  const onPassed = createBufferRelief(collectYoung)
  if (workerCount > 1) {
    workers = createWorkers({
      count: workerCount,
      start: surroundings.startWorker,
      rpc: addresses.rpc,
      config: chains.config,
      memoryBytes,
      absentNetworks,
      logLevel: options.workers?.logLevel ?? 'warn',
      serveState: host.serveWorker,
      metrics,
      clock,
      log,
    })
  }
  const rpc =
    workers === undefined
      ? openRpcListener({
          ...shared,
          createListener: listenerAt('rpc'),
          address: addresses.rpc,
          isShared: worker !== undefined,
          socket: sockets.rpc,
          lingerMs: options.lingerMs ?? 0,
          gas,
          health,
          blocks: createBlocks(),
          onPassed,
        })
      : workersListener(workers, addresses.rpc)
  const admin = openAdminListener({
    ...shared,
    createListener: listenerAt('admin'),
    address: addresses.admin,
    socket: sockets.admin,
    onRequest: (request, response) => present.onAdmin(request, response),
  })
  const listeners: readonly GatewayListener[] =
    worker === undefined ? [rpc, admin, ...(ipfs === undefined ? [] : [ipfs.listener])] : [rpc]
  const take = ({ snapshot, tls: renewed, commit }: NextSnapshot): void | Promise<void> => {
    const taken = commit()
    present = snapshot
    current.renew(snapshot)
    ipfs?.service.adopt(snapshot.projects)
    for (const listener of listeners) listener.adapt(renewed)
    return taken
  }
  const reloads = createReloads({
    present: () => present,
    isRunning: () => phase === 'running',
    open: (next) => open(next, present),
    take,
    log,
  })
  opened.defer(() => reloads.settled())
  if (worker !== undefined) {
    const follow = { ...host, ...worker, open: (next: Config) => open(next, present), take, present: () => present }
    opened.defer(servePrimary(follow))
  }
  const terminate = (): void => listeners.forEach((listener) => listener.terminate())
  opened.defer(async () => {
    // A start that fails waits for no caller.
    if (phase === 'starting') terminate()
    phase = 'draining'
    ending.abort()
    // Health is told to the end.
    await Promise.all(listeners.map((listener) => (listener === admin ? undefined : listener.close())))
    host.live.close()
    await admin.close()
  })
  const [boundRpc, adminAddress, ipfsAddress] = await listenAll(listeners)
  rpcAddress = boundRpc!
  if (worker === undefined && store.operated !== undefined) host.traffic.begin()
  phase = 'running'

  const running = opened.move()
  let drained: Promise<void> | undefined
  let closed: Promise<void> | undefined
  const closing = new AbortController()
  function drain(): Promise<void> {
    if (drained !== undefined) return drained
    phase = 'draining'
    for (const listener of listeners) if (listener !== admin) listener.release()
    const { delayMs } = shutdownOf(present.config)
    if (delayMs > 0) log.info({ delayMs }, 'not ready any more, and still serving for shutdown.delayMs')
    return (drained = pause(delayMs, clock, closing.signal))
  }
  async function close(graceMs = shutdownOf(present.config).graceMs): Promise<void> {
    closing.abort()
    closed ??= running.disposeAsync()
    await closed.finally(clock.after(graceMs, terminate))
  }
  const s = tls === undefined ? '' : 's'
  const started = {
    ...about,
    node: surroundings.nodeVersion,
    networks: present.chainIds,
    rpc: rpcAddress,
    admin: adminAddress,
    ipfs: ipfsAddress,
    ipfsBackend: config.ipfs && sharingOf[config.ipfs.backend],
    tls: tls !== undefined,
    store: store.watch?.kind ?? 'memory',
    redis: redis !== undefined,
    projects: present.projects.length,
  }
  log.info(started, 'the gateway serves')
  return {
    rpc: `http${s}://${rpcAddress}`,
    ws: `ws${s}://${rpcAddress}`,
    get gas() {
      return present.gas.sources.length === 0 ? undefined : `http${s}://${rpcAddress}`
    },
    ipfs: ipfsAddress && `http${s}://${ipfsAddress}`,
    admin: adminAddress === undefined ? '' : `http://${adminAddress}`,
    get console() {
      return present.hasConsole && adminAddress !== undefined ? `http://${adminAddress}/console/` : undefined
    },
    get networks() {
      return present.chainIds
    },
    get chainSources() {
      return present.chainSources
    },
    serveWorker: host.serveWorker,
    perProcess: perProcessState(redis, config),
    reload: reloads.reload,
    drain,
    close,
    [Symbol.asyncDispose]: close,
  }
}

/** How long a start waits for nodes whose chain has to be asked, in ms: they may be starting, too. */
const startPatienceMs = 10_000
