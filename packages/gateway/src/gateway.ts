import type { RpcHandler } from '@wayleave/jsonrpc-core'
import { type ChainSource, openChainPinner } from './chains/pin-chains.ts'
import { ConfigError, toProblem } from './config/check.ts'
import type { Config } from './config/config.ts'
import type { ReloadReport } from './config/config-diff.ts'
import { ipfsIssues } from './config/cross-checks.ts'
import { limitsOf } from './config/limits.ts'
import { defaultListen } from './config/summary.ts'
import { realSurroundings, type Surroundings } from './defaults.ts'
import { createGasListener } from './gas/listener.ts'
import { openHost } from './host.ts'
import { listenAll } from './http/listen-all.ts'
import { createBufferRelief } from './http/write.ts'
import { openIpfs } from './ipfs/open-ipfs.ts'
import type { ListenerOptions } from './listener-options.ts'
import { openAdminListener } from './ops/admin.ts'
import { createHealth, type Phase } from './ops/health.ts'
import { createLog, type Log, type LogOptions } from './ops/log.ts'
import { lookAt, type Probed } from './ops/probe.ts'
import { presentParts } from './present-parts.ts'
import { createReloads } from './reloads.ts'
import { openRpcListener } from './rpc/listener.ts'
import { perProcessState } from './shared-state.ts'
import { type NextSnapshot, openSnapshot, type Snapshot } from './snapshot.ts'
import { primaryConfig } from './workers/divide-config.ts'
import { workerObstacle } from './workers/worker-obstacle.ts'
import { reserveAddress } from './workers/reserve-address.ts'
import { servePrimary } from './workers/serve-primary.ts'
import type { WorkerLine } from './workers/worker-line.ts'
import { createWorkers, type Workers } from './workers/workers.ts'
import { type GatewayListener, workersListener } from './workers/workers-listener.ts'

export interface GatewayOptions {
  /** Rollup nodes in this process, by network; they go before a configured URL. */
  readonly rollupNodes?: Readonly<Record<string, RpcHandler>>
  /** Why a network is missing that callers may ask for, by its name: they are told. */
  readonly absentNetworks?: Readonly<Record<string, string>>
  /** Reads the configuration again and has it served, for `POST /reload`. Default: it cannot be read again. */
  readonly reread?: () => Promise<ReloadReport>
  /** Default: warnings and errors, on stderr. One that is given stays open when the gateway closes. */
  readonly log?: Log
  readonly surroundings?: Surroundings
  /**
   * How long connections of JSON-RPC that are idle may still bring a call once the gateway closes, in ms, so that none is lost that is on
   * its way. Default 0; that of workers is 250.
   */
  readonly lingerMs?: number
  /** Processes that serve JSON-RPC, events and gas in the place of this one. Default: none. */
  readonly workers?: WorkersRequest
  /** The line to the primary process, where this one is a worker: it serves JSON-RPC, events and gas alone. Default: this process is none. */
  readonly worker?: WorkerLine
}

/** The processes that are to serve. */
export interface WorkersRequest {
  /** 1: this process serves by itself. More than one need Linux or FreeBSD, and a configuration without functions. */
  readonly count: number
  /** The level of their log, which goes to stderr. Default `warn`. */
  readonly logLevel?: LogOptions['level']
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
  /** `http://host:port` of health, status and metrics; empty in a worker, which serves none of these. */
  readonly admin: string
  /** Chain ids by network, as they are configured at the moment: texts for Starknet. */
  readonly networks: Readonly<Record<string, number | string>>
  /** The networks whose configuration names no chain id: whether their nodes told it at the last start or reload, or at an earlier one. */
  readonly chainSources: Readonly<Record<string, ChainSource>>
  /** The state that other replicas of the gateway do not know, in words. */
  readonly perProcess: readonly string[]
  /**
   * Puts another checked configuration into force, as a whole, or tells why not: nothing has changed then. Networks that are the same go
   * on; calls in flight at the others end where they are, and what callers have open goes on over the new ones. Configurations that come
   * while one is under way wait their turn. Never rejects.
   */
  reload(config: Config): Promise<ReloadReport>
  /**
   * Takes no more connections, lets calls in flight finish for up to `graceMs` (default 10,000), then ends them. If it is called again,
   * the grace that ends first holds.
   */
  close(graceMs?: number): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/**
 * Opens the listeners of a checked configuration.
 * @throws ListenError where an address cannot be listened on; ConfigError where the files of `listen.tls`, the `store` or `ipfs` cannot
 * be used, where workers cannot serve it, and where no node tells the chain of a network that names none, for ten seconds. Nothing stays
 * open then.
 */
export async function startGateway(config: Config, options: GatewayOptions = {}): Promise<RunningGateway> {
  const { surroundings = realSurroundings, log = createLog({ level: 'warn' }) } = options
  const { rollupNodes = {}, absentNetworks = {}, reread, worker } = options
  const workerCount = options.workers?.count ?? 1
  const { clock, newTraceId, nextTurn, collectYoung, memoryBytes } = surroundings
  // Content that outlives its pins would be lost, so this is checked even where nobody checked the configuration.
  const issues = ipfsIssues({ ...config })
  if (issues.length > 0) throw new ConfigError(issues.map((issue) => toProblem(issue)))
  const obstacle = workerCount > 1 ? workerObstacle(config) : undefined
  if (obstacle !== undefined) throw new ConfigError([obstacle])
  const configured = { ...defaultListen, ...config.listen }
  const addresses = workerCount > 1 ? { ...configured, rpc: await reserveAddress(configured.rpc) } : configured

  // Closed in the opposite order: listeners, then services, then connections to nodes, then the store, then the log.
  await using opened = new AsyncDisposableStack()
  opened.defer(() => (options.log === undefined ? log.close() : log.repeats.flush()))
  const pinner = await openChainPinner({ dataDir: worker ? undefined : config.dataDir, clock, log })
  const chains = await pinner.pin(config, startPatienceMs)
  const hosted = workerCount > 1 ? primaryConfig(chains.config) : chains.config
  const host = await openHost(hosted, opened, { surroundings, log, rollupNodes, absentNetworks, worker })
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
  const refresh = (): Promise<void> | undefined => workers?.refresh()
  let keeping = Promise.resolve()
  opened.defer(() => keeping)
  const open = async (next: Config, before?: Snapshot): Promise<NextSnapshot> => {
    const pinned = before === undefined ? chains : await pinner.pin(next, 0, ending.signal)
    const opening = { written: next, before, health, reread: reread && rereadNow, refresh, signal: ending.signal }
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
  const { gas: service, ...parts } = presentParts(() => present, limitsOf(config, memoryBytes))
  const shared: ListenerOptions = {
    ...parts,
    sessions,
    metering,
    budget,
    tls,
    clock,
    newTraceId,
    nextTurn,
    log,
    metrics,
  }
  opened.defer(() => present.gas.close())
  const ipfs = worker
    ? undefined
    : await openIpfs(config, present.projects, store.pins, { ...shared, address: addresses.ipfs })
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
      metrics,
      clock,
      log,
    })
  }
  const rpc =
    workers === undefined
      ? openRpcListener({
          ...shared,
          address: addresses.rpc,
          isShared: worker !== undefined,
          lingerMs: options.lingerMs ?? 0,
          gas,
          health,
          onPassed,
        })
      : workersListener(workers, addresses.rpc)
  const admin = openAdminListener({
    ...shared,
    address: addresses.admin,
    onRequest: (request, response) => present.onAdmin(request, response),
  })
  const listeners: readonly GatewayListener[] =
    worker === undefined ? [rpc, admin, ...(ipfs === undefined ? [] : [ipfs.listener])] : [rpc]
  const take = ({ snapshot, tls: renewed, commit }: NextSnapshot): void | Promise<void> => {
    const taken = commit()
    present = snapshot
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
    const follow = { channel: worker.channel, open: (next: Config) => open(next, present), take, metrics, clock, log }
    opened.defer(servePrimary(follow))
  }
  const terminate = (): void => listeners.forEach((listener) => listener.terminate())
  opened.defer(async () => {
    // A start that fails waits for no caller.
    if (phase === 'starting') terminate()
    phase = 'draining'
    ending.abort()
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
    get gas() {
      return present.gas.sources.length === 0 ? undefined : `http${s}://${rpcAddress}`
    },
    ipfs: ipfsAddress && `http${s}://${ipfsAddress}`,
    admin: adminAddress === undefined ? '' : `http://${adminAddress}`,
    get networks() {
      return present.chainIds
    },
    get chainSources() {
      return present.chainSources
    },
    perProcess: perProcessState(redis, config),
    reload: reloads.reload,
    close,
    [Symbol.asyncDispose]: close,
  }
}

/** How long a start waits for nodes whose chain has to be asked, in ms: they may be starting, too. */
const startPatienceMs = 10_000

async function closeAll(all: readonly { close(): Promise<unknown> }[]): Promise<void> {
  await Promise.all(all.map((each) => each.close()))
}
