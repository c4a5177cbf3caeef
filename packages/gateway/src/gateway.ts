import type { PinLedger } from '@wayleave/ipfs-http/server'
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
import { createBlocks } from './http/block-writer.ts'
import { createBufferRelief } from './http/write.ts'
import type { OpenIpfsApi } from './ipfs/listener.ts'
import type { IpfsServiceOptions } from './ipfs/service.ts'
import type { ListenerOptions } from './listener-options.ts'
import { openAdminListener } from './ops/admin.ts'
import { createHealth, type Phase } from './ops/health.ts'
import { createLog, type Log } from './ops/log.ts'
import { lookAt, type Probed } from './ops/probe.ts'
import { presentParts } from './present-parts.ts'
import { createReloads } from './reloads.ts'
import { openRpcListener } from './rpc/listener.ts'
import { perProcessState } from './shared-state.ts'
import { type NextSnapshot, openSnapshot, type Snapshot } from './snapshot.ts'

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
 * be used, and where no node tells the chain of a network that names none, for ten seconds. Nothing stays open then.
 */
export async function startGateway(config: Config, options: GatewayOptions = {}): Promise<RunningGateway> {
  const { surroundings = realSurroundings, log = createLog({ level: 'warn' }) } = options
  const { rollupNodes = {}, absentNetworks = {}, reread } = options
  const { clock, newTraceId, nextTurn, collectYoung, memoryBytes } = surroundings
  // Content that outlives its pins would be lost, so this is checked even where nobody checked the configuration.
  const issues = ipfsIssues({ ...config })
  if (issues.length > 0) throw new ConfigError(issues.map((issue) => toProblem(issue)))
  const addresses = { ...defaultListen, ...config.listen }

  // Closed in the opposite order: listeners, then services, then connections to nodes, then the store, then the log.
  await using opened = new AsyncDisposableStack()
  opened.defer(() => (options.log === undefined ? log.close() : log.repeats.flush()))
  const pinner = await openChainPinner({ dataDir: config.dataDir, clock, log })
  const chains = await pinner.pin(config, startPatienceMs)
  const host = await openHost(chains.config, opened, { surroundings, log, rollupNodes, absentNetworks })
  const { metrics, sessions, metering, budget, store, redis, accounts, networks } = host
  let phase: Phase = 'starting'
  let present: Snapshot
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
    phase: () => phase,
    metrics,
    clock,
  })
  const ending = new AbortController()
  // Whoever made the function may not have it before this one resolves.
  const rereadNow = (): Promise<ReloadReport> | undefined => (phase === 'running' ? reread?.() : undefined)
  let keeping = Promise.resolve()
  opened.defer(() => keeping)
  const open = async (next: Config, before?: Snapshot): Promise<NextSnapshot> => {
    const pinned = before === undefined ? chains : await pinner.pin(next, 0, ending.signal)
    const opening = { written: next, before, health, reread: reread && rereadNow, signal: ending.signal }
    const prepared = await openSnapshot(pinned, host, opening)
    function commit(): void {
      prepared.commit()
      keeping = keeping.then(pinned.keep)
    }
    return { ...prepared, commit }
  }
  const first = await open(config)
  first.commit()
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
  const ipfs = await openIpfs(config, present.projects, store.pins, { ...shared, address: addresses.ipfs })
  const ipfsPart: Probed | undefined = ipfs && { name: 'ipfs', probe: () => lookAt(ipfs.service.probe()) }
  opened.defer(() => ipfs?.service.close())
  metrics.watchAges(() => present.gas.sources)

  const gas = createGasListener({ ...shared, service })
  const onPassed = createBufferRelief(collectYoung)
  const rpc = openRpcListener({ ...shared, address: addresses.rpc, gas, health, blocks: createBlocks(), onPassed })
  const admin = openAdminListener({
    ...shared,
    address: addresses.admin,
    onRequest: (request, response) => present.onAdmin(request, response),
  })
  const listeners = [rpc, admin, ...(ipfs === undefined ? [] : [ipfs.listener])]
  const reloads = createReloads({
    present: () => present,
    isRunning: () => phase === 'running',
    open: (next) => open(next, present),
    take({ snapshot, tls: renewed, commit }) {
      commit()
      present = snapshot
      ipfs?.service.adopt(snapshot.projects)
      for (const listener of listeners) listener.adapt(renewed)
    },
    log,
  })
  opened.defer(() => reloads.settled())
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
    admin: `http://${adminAddress}`,
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
