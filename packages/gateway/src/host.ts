import { type Authenticate, createAuthenticator, createTokenVerifier } from '@wayleave/auth'
import type { Clock, RpcHandler } from '@wayleave/jsonrpc-core'
import { createCordons as createSharedCordons, createMemoryPort } from '@wayleave/stores/shared-state'
import { type ByteBudget, createByteBudget, createGcPacing } from '@wayleave/http-server'
import { createTurns } from '@wayleave/upstream'
import { type Cordons, createCordons, type OpenCache, openFilterStores } from '@wayleave/network'
import type { Log } from '@wayleave/telemetry'
import { type Accounts, openAccounts } from './accounts/accounts.ts'
import { refuseLate } from './accounts/refuse-late.ts'
import { namedProjects } from './config/accounts.ts'
import type { PinnedConfig } from './chains/pinned-config.ts'
import { limitsOf } from './config/limits.ts'
import type { Surroundings } from './surroundings.ts'
import { createDenials, type NoteDenial } from './denial.ts'
import { type OpenMetering, openMetering } from './metering/open-metering.ts'
import { type AccessLog, createAccessLog } from './telemetry/access-log.ts'
import { watchDescriptors } from './telemetry/descriptors.ts'
import { createMetrics, type Metrics } from './telemetry/metrics.ts'
import { createOperators, type Operators } from './console/operators.ts'
import { createProjectLabels } from './telemetry/project-label.ts'
import { createRefusalNotes, type NoteRefusal } from './telemetry/refusal-notes.ts'
import { openCache } from './answers/open-cache.ts'
import { createNetworks, type Networks } from './rpc/networks.ts'
import { createSessions, type Sessions } from './sessions.ts'
import { openSharedState, type SharedState } from './shared-state/shared-state.ts'
import { openStore, type OpenStore } from './store.ts'
import type { Channel } from './shared-state/channel.ts'
import { createNetworkQuestions } from './shared-state/network-questions.ts'
import { createPrimaryState, openAccountRelay, servePrimaryState } from './shared-state/primary-state.ts'
import { askLiveCalls } from './shared-state/relay-live-calls.ts'
import type { WorkerLine } from './shared-state/worker-line.ts'
import { workerLabels } from './shared-state/worker-labels.ts'
import { openWorkerState } from './shared-state/worker-state.ts'
import { createTraffic, type Traffic } from './telemetry/traffic.ts'
import { createLiveCalls, type LiveCalls } from './trace/live-calls.ts'
import { type CallRecorder, createCallRecorder } from './trace/recorder.ts'
import { createTracer, type Tracer } from './trace/tracer.ts'

/** The parts of a gateway that live as long as it does, whatever its configuration becomes. */
export interface GatewayHost {
  readonly surroundings: Surroundings
  readonly clock: Clock
  readonly log: Log
  readonly metrics: Metrics
  readonly access: AccessLog
  readonly noteDenial: NoteDenial
  readonly noteRefusal: NoteRefusal
  /** Why a network is missing that callers may ask for, by its name. */
  readonly absentNetworks: ReadonlyMap<string, string>
  readonly budget: ByteBudget
  readonly sessions: Sessions
  readonly store: OpenStore
  readonly redis: SharedState | undefined
  readonly cache: OpenCache | undefined
  readonly accounts: Accounts
  readonly authenticate: Authenticate
  readonly metering: OpenMetering
  readonly networks: Networks
  readonly cordons: Cordons
  readonly operators: Operators
  readonly traffic: Traffic
  readonly live: LiveCalls
  /** Serves a worker what must agree; undefined where this process has none. */
  readonly serveWorker: ServeWorker | undefined
  readonly recorder: CallRecorder
  readonly tracer: Tracer
}

/** Serves a worker at the other end of a channel; `slot`: its place among the workers. Returns a function that ends that. */
export type ServeWorker = (channel: Channel, slot?: number) => () => void

export interface HostOptions {
  readonly surroundings: Surroundings
  readonly log: Log
  readonly rollupNodes: Readonly<Record<string, RpcHandler>>
  readonly absentNetworks: Readonly<Record<string, string>>
  /** This process is a worker: what must agree comes over the channel to its primary. */
  readonly worker?: WorkerLine | undefined
  /** This process has workers. */
  readonly hasWorkers?: boolean | undefined
  /** The console needs no token while none is set. */
  readonly isOpen?: boolean | undefined
}

/**
 * Opens them one after the other, and has `opened` close them in the opposite order.
 * @throws ConfigError where the store, its accounts or the spool of usage cannot be used
 */
export async function openHost(
  config: PinnedConfig,
  opened: AsyncDisposableStack,
  options: HostOptions,
): Promise<GatewayHost> {
  const {
    surroundings,
    log,
    rollupNodes,
    absentNetworks,
    worker: workerOf,
    hasWorkers = false,
    isOpen = false,
  } = options
  const { clock, random, sha256, nextTurn, idleMs, memoryBytes, newSecret, processName } = surroundings
  const limits = limitsOf(config, memoryBytes, surroundings.fixedLimits)
  const projects = namedProjects(config)
  const now = (): number => clock.date()
  const watch = surroundings.watchProcess()
  opened.defer(() => watch.close())
  const { startSeconds, nodeVersion } = surroundings
  const labels = createProjectLabels(config.metrics?.maxProjects)
  const metrics = createMetrics({
    labels: workerOf === undefined ? labels : workerLabels(workerOf.channel),
    process: { watch, startSeconds, memoryBytes, nodeVersion },
  })
  metrics.watchLog(log)
  metrics.watchOpenCalls(clock)
  const access = createAccessLog({ log, random })
  const noteDenial = createDenials({ log, metrics })
  const sessions = createSessions(clock)
  const gcPacing = createGcPacing(surroundings)
  opened.defer(() => gcPacing.close())
  const turns = createTurns({ nextTurn })
  const budget = createByteBudget({
    gcPacing,
    turns,
    capacity: limits.maxHeldBytes,
    onRefused: (project) => metrics.budgetRefused('maxHeldBytes', project),
  })
  metrics.watchHeldBytes(budget)
  opened.defer(watchDescriptors({ clock, log }))
  function noteForgotten(): void {
    metrics.forgottenLimits('shared').add()
    log.repeats.warn(
      ['forgotten'],
      {},
      'there are more limits in use than the primary keeps: one unused for long was forgotten',
    )
  }

  const newId = surroundings.newFilterId
  const primary = hasWorkers ? createPrimaryState({ newId, clock, onForgotten: noteForgotten }) : undefined
  const worker = workerOf && (await openWorkerState(workerOf.channel, { newId, clock, log }))
  const store = worker?.store ?? (await openStore(config, { clock, log }))
  opened.defer(() => store.close().catch((err: unknown) => log.warn({ err }, 'the store could not be closed')))
  const accounts = await openAccounts({ projects, store: store.accounts, sha256, clock, log })
  opened.defer(() => accounts.close())
  opened.defer(accounts.onEvent((event) => sessions.revoke(event)))
  const tokens = createTokenVerifier({ audience: usualAudience, sha256, now })
  const known = createAuthenticator({ keys: accounts.keys, tokens, sha256, now })
  const authenticate = accounts.changes === undefined ? known : refuseLate(known, accounts.changes)
  const redis = await openSharedState(config, { newId, clock, log })
  opened.defer(() => redis?.close())
  // Redis goes before the primary in what it shares; the rest is the primary's.
  const shared = redis ?? worker?.shared ?? primary?.shared
  const metering = await openMetering(config, {
    projects,
    accounts: accounts.configured,
    stored: accounts,
    store: store.usage,
    shared: shared?.limits,
    usage: worker?.usage,
    newId,
    clock,
    log,
    metrics,
  })
  opened.defer(() => metering.close())
  opened.defer(accounts.onEvent((event) => metering.forget(event)))
  const relay = primary && openAccountRelay(store, clock)
  opened.defer(() => relay?.close())
  const filterStores = openFilterStores({ redis: redis ?? worker?.shared, store, limits, clock, log })
  opened.defer(() => filterStores.close())
  const recorder = createCallRecorder({ clock })
  const live = createLiveCalls({ recorder, process: processName, clock })
  const traffic = createTraffic({ metrics, clock })
  opened.defer(() => traffic.close())
  const { newTraceId } = surroundings
  const tracer = createTracer({
    random,
    newTraceId,
    clock,
    onDropped: (count) => metrics.droppedSpans().add(count),
    log,
  })
  opened.defer(() => tracer.close())
  const cache = await openCache(config, memoryBytes, { metrics, clock, log })
  opened.defer(() => cache?.close())
  const networks = createNetworks({
    shared,
    views: worker?.views ?? primary?.views,
    filterStores,
    cache,
    limits,
    budget,
    turns,
    rollupNodes,
    startThread: surroundings.startThread,
    metrics,
    clock,
    nextTurn,
    idleMs,
    random,
    newFilterId: surroundings.newFilterId,
    noteDenial,
    metering,
    tracing: { recorder, tracer },
    log,
    access,
  })
  opened.defer(() => networks.close())
  const questions = createNetworkQuestions({ networks: () => networks.present, clock })
  const cordons = createCordons({
    get networks() {
      return networks.present
    },
    shared: shared?.cordons ?? createSharedCordons(createMemoryPort(clock), clock),
  })
  opened.defer(() => cordons.close())
  return {
    surroundings,
    clock,
    log,
    metrics,
    access,
    noteDenial,
    noteRefusal: createRefusalNotes({ log, metrics }),
    absentNetworks: new Map(Object.entries(absentNetworks)),
    budget,
    sessions,
    store,
    redis,
    cache,
    accounts,
    authenticate,
    metering,
    networks,
    cordons,
    operators: createOperators({ mayBeOpen: isOpen, sha256, newSecret, clock }),
    traffic,
    live,
    serveWorker:
      primary &&
      ((channel, slot) => {
        const { usage } = metering
        const stopState = servePrimaryState(
          { state: primary, store, questions, usage, accounts: relay, labels },
          channel,
        )
        const stopLive = askLiveCalls(live, channel, [`${processName}/worker`, slot].join(' ').trimEnd())
        return () => {
          stopLive()
          stopState()
        }
      }),
    recorder,
    tracer,
  }
}

/** The audience of JWTs of projects that name none. */
const usualAudience = 'wayleave'
