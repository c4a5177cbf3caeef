import type { RequestListener } from 'node:http'
import { isDeepStrictEqual } from 'node:util'
import { parseAddressRange } from '@wayleave/auth'
import type { OpenTls } from '@wayleave/http-server'
import { type Admission, createAdmission } from './admission.ts'
import type { PinnedChains } from './chains/pin-chains.ts'
import { namedProjects, type NamedProject } from './config/accounts.ts'
import { ConfigError, toProblem } from './config/check.ts'
import { type Config, configDefaults } from './config/config.ts'
import { accessDefaults } from './config/telemetry-config.ts'
import { type Limits, limitsOf } from './config/limits.ts'
import { defaultListen, listenDefaults } from './config/listen-config.ts'
import { openConsole } from './console/open-console.ts'
import { deniedMethods } from './config/denied-methods.ts'
import { readTls } from './config/tls-files.ts'
import { wayIssues } from './config/way-issues.ts'
import { createGasService, type GasService, gasNetworksOf } from './gas/service.ts'
import type { GatewayHost } from './host.ts'
import { type AdminOptions, createAdminListener } from './admin/listener.ts'
import { adminTokensOf } from './admin/admin-tokens.ts'
import type { Operated } from './admin/operated.ts'
import type { Health } from './health/health.ts'
import type { ListenerOptions } from './listener-options.ts'
import { openOperatorApi } from './admin/operator-api.ts'
import { createRouteReader } from './routes/route.ts'
import { createTimeouts, type Timeouts } from './config/timeouts.ts'

/** All that a configuration decides, as it serves at one moment. It never changes: a reload puts another one in its place. */
export interface Snapshot {
  /** As it is written. */
  readonly config: Config
  readonly projects: readonly NamedProject[]
  readonly limits: Limits
  readonly timeouts: Timeouts
  readonly compression: ListenerOptions['compression']
  readonly admission: Admission
  readonly gas: GasService
  /** Chain ids by network. */
  readonly chainIds: Readonly<Record<string, number | string>>
  readonly chainSources: PinnedChains['sources']
  readonly onAdmin: RequestListener
  readonly hasConsole: boolean
}

/** A snapshot that is ready to serve. */
export interface NextSnapshot {
  readonly snapshot: Snapshot
  /** The certificate of new connections, where another one is configured than before. */
  readonly tls: OpenTls | undefined
  /**
   * Has the gateway's networks, accounts and meters go over to it; in the same turn, the gateway takes it for the present one. Resolves when
   * its workers have, too.
   */
  commit(): void | Promise<void>
  /** Closes what was opened for it. */
  abandon(): Promise<void>
}

interface SnapshotOptions {
  /** The configuration as it is written. */
  readonly written: Config
  /** The snapshot that serves; none at the start. */
  readonly before: Snapshot | undefined
  readonly health: Health
  readonly reread: AdminOptions['reread']
  readonly refresh: AdminOptions['refresh']
  readonly explain: AdminOptions['explain']
  readonly operated: Operated
  /** Ends the waits. */
  readonly signal: AbortSignal
}

/** Time that calls have beyond the longest wait for an answer, before the network that they are at is closed, in ms. */
const drainMs = 5_000

/**
 * Opens a configuration beside the one that serves. Nothing changes before `commit`.
 * @throws ConfigError where the certificate cannot be used; AuthError, MeteringError for keys, plans and prices of an unchecked
 * configuration. Nothing stays open then.
 */
export async function openSnapshot(
  { config, sources: chainSources }: Pick<PinnedChains, 'config' | 'sources'>,
  host: GatewayHost,
  { written, before, health, reread, refresh, explain, operated, signal }: SnapshotOptions,
): Promise<NextSnapshot> {
  const { accounts, metering, networks, cordons, sessions, operators, metrics, surroundings, store, clock, log } = host
  const { sha256 } = surroundings
  const projects = namedProjects(config)
  const limits = limitsOf(config, surroundings.memoryBytes, surroundings.fixedLimits)
  const timeouts = createTimeouts(config, limits)
  const tokens = adminTokensOf(config.admin, sha256)
  const tls = await openTls(config, before?.config)
  const astray = await wayIssues(config, process.env)
  if (astray.length > 0) throw new ConfigError(astray.map((issue) => toProblem(issue)))
  const nextAccounts = accounts.prepare(projects)
  const adoptPlans = await metering.prepare(config, projects, nextAccounts.configured, signal)
  const next = await networks.prepare(config, limits, signal)
  let sources: GasService | undefined

  async function abandon(): Promise<void> {
    await Promise.all([sources && closeSources(sources, before?.gas), next.abandon()])
  }

  try {
    const gas = createGasService({
      networks: gasNetworksOf(next.configured),
      denyMethods: deniedMethods(config),
      store: store.fees,
      clock,
      log,
      maxStreams: limits.maxConnections,
      totalTimeoutMs: limits.requestTimeoutMs,
      known: before?.gas.sources,
    })
    sources = gas
    const operatorApi = await openOperatorApi({
      hasOperators: tokens.length > 0 || operators.mayBeOpen,
      operators,
      tokens,
      ports: operated.ports,
      ipfs: operated.ipfs,
      newTraceId: surroundings.newTraceId,
      metrics,
      projects,
      plans: config.plans,
      store: store.operated,
      networks: next.networks,
      cordons,
      sha256,
      clock,
      log,
    })
    const trustedProxies = (config.trustedProxies ?? []).flatMap((text) => parseAddressRange(text) ?? [])
    const apis = {
      ipfs: config.ipfs !== undefined,
      gas: gas.sources.length > 0,
      replay: operated.ports.replay !== undefined,
    }
    const page = operatorApi && openConsole(host, { ...operated, config, apis, trustedProxies })
    const names = next.networks.map(({ name }) => name)
    const snapshot: Snapshot = {
      config: written,
      projects,
      limits,
      timeouts,
      compression: { isOn: config.listen?.compress ?? listenDefaults.compress },
      gas,
      chainIds: Object.fromEntries(names.map((name) => [name, config.networks[name]!.chainId])),
      chainSources,
      admission: createAdmission({
        networks: new Map(next.networks.map((network) => [network.name, network])),
        defaultNetwork: config.defaultNetwork ?? (names.length === 1 ? names[0] : undefined),
        absentNetworks: host.absentNetworks,
        authenticate: host.authenticate,
        route: createRouteReader(names, config.bareHosts ?? []),
        sha256,
        onlyLocal: config.onlyLocal ?? configDefaults.onlyLocal,
        trustedProxies,
        noteDenial: host.noteDenial,
        noteRefusal: host.noteRefusal,
      }),
      onAdmin: createAdminListener({
        address: { ...defaultListen, ...config.listen }.admin,
        metrics,
        health,
        operators,
        hosts: config.admin?.hosts ?? [],
        cordons,
        operatorApi,
        reread,
        refresh,
        explain,
        console: page,
      }),
      hasConsole: page !== undefined,
    }
    return {
      snapshot,
      tls,
      commit() {
        nextAccounts.commit()
        operators.adopt(tokens)
        metrics.listProjects(projects.map(({ id }) => id))
        log.adapt(config.log ?? {})
        host.access.adapt(config.log?.access?.sample ?? accessDefaults.sample)
        adoptPlans()
        for (const name of next.removed) {
          // Their sockets are told why, before their subscriptions end.
          sessions.withdraw(name)
          metrics.degraded(`network:${name}`).set(Number.NaN)
        }
        next.commit((before?.timeouts ?? timeouts).longestMs + drainMs)
        cordons.refresh()
        if (before === undefined || !isDeepStrictEqual(config.tracing, before.config.tracing)) {
          host.tracer.adopt(config.tracing)
        }
        for (const projectId of movedProjects(before?.projects ?? [], projects)) {
          sessions.revoke({ kind: 'changed', projectId, keyId: undefined })
        }
        if (before !== undefined) void closeSources(before.gas, gas)
      },
      abandon,
    }
  } catch (thrown) {
    await abandon()
    throw thrown
  }
}

async function openTls({ listen }: Config, before: Config | undefined): Promise<OpenTls | undefined> {
  if (listen?.tls === undefined || isDeepStrictEqual(listen.tls, before?.listen?.tls)) return undefined
  const material = await readTls(listen.tls)
  if ('issues' in material) throw new ConfigError(material.issues.map((issue) => toProblem(issue)))
  const { tls } = listen
  return { material, read: () => readTls(tls) }
}

/** Closes the sources of a gas service that another one does not have. */
async function closeSources({ sources }: GasService, other: GasService | undefined): Promise<void> {
  const gone = sources.filter((source) => other?.sources.includes(source) !== true)
  await Promise.all(gone.map(({ source }) => source.close()))
}

/** Names the projects whose calls go to other upstreams than before: what they have open is of the old ones. */
function movedProjects(before: readonly NamedProject[], after: readonly NamedProject[]): readonly string[] {
  return after.flatMap(({ id, upstreams, transactions }) => {
    const known = before.find((project) => project.id === id)
    const isSame =
      known === undefined || isDeepStrictEqual([known.upstreams, known.transactions], [upstreams, transactions])
    return isSame ? [] : [id]
  })
}
