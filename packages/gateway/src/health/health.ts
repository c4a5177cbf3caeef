import type { Clock } from '@wayleave/jsonrpc-core'
import { type HttpAnswer, plainAnswer } from '@wayleave/http-server'
import type { EndpointState } from '@wayleave/network'
import type { UsageKeeper } from '../metering/usage-keeper.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import { canServe, type Look, type Probed } from './probe.ts'
import type { StoreWatch } from '../telemetry/store-watch.ts'
import { isDoneWithin } from '../waits.ts'

/** The life of a gateway, as whoever sends it traffic sees it. */
export type Phase = 'starting' | 'running' | 'draining'

/** Answers whether a gateway is to get traffic, and what is wrong with it. */
export interface Health {
  /** `/readyz`: 503 while starting or draining, and where nothing can be served. Endpoints are named to an operator only. */
  readiness(toOperator: boolean): Promise<HttpAnswer>
  /** `/status`: what is degraded, of the whole gateway or of one network; 404 where that is unknown. */
  status(network: string | undefined): Promise<HttpAnswer>
  /**
   * Brings the gauges `wayleave_degraded` up to date. A scrape asks no node: the gauges of networks and of IPFS tell what the last look
   * of the two above found, and nothing if that was over a minute ago.
   */
  measure(): void
}

export interface HealthOptions {
  /** Read anew for each look. */
  readonly networks: readonly Probed[]
  /** Read likewise. */
  readonly ipfs: Probed | undefined
  readonly store: Pick<StoreWatch, 'kind' | 'fault' | 'takesCalls'> | undefined
  /** Whether the accounts of the store are as it has them; undefined where none are followed. */
  readonly accounts?: Pick<StoreWatch, 'fault'> | undefined
  /** Whether replicas share state; undefined where they do not. */
  readonly redis?: Pick<StoreWatch, 'fault'> | undefined
  /** Whether the Redis behind the cache can be used; undefined where there is none. */
  readonly cache?: Pick<StoreWatch, 'fault'> | undefined
  /** The limits that replicas share; undefined where they do not. */
  readonly limits?: (Pick<StoreWatch, 'fault'> & { readonly replicas: number }) | undefined
  /** The usage on its way to the store; undefined: it is not counted. */
  readonly usage?: Pick<UsageKeeper, 'waitingRows' | 'droppedCalls' | 'unsafeCalls' | 'spoolFault'> | undefined
  /** The processes that serve in the place of this one; undefined: it does by itself. */
  readonly workers?: { readonly count: number; readonly serving: number; readonly restarts: number } | undefined
  readonly phase: () => Phase
  readonly metrics: Pick<Metrics, 'degraded'>
  readonly clock: Clock
}

/** How long `/readyz` waits for the slow, once something can be served, in ms: who asks may wait a second. */
const slowReadyMs = 250
/** How long the gauge of a part that nobody looks at keeps its value, in ms. */
const knownForMs = 60_000

export function createHealth(options: HealthOptions): Health {
  const { store, accounts, redis, cache, limits, usage, phase, metrics, clock } = options
  const all = (): readonly Probed[] =>
    options.ipfs === undefined ? options.networks : [...options.networks, options.ipfs]

  /** When the parts were looked at, by the name of their gauge. */
  const lookedAt = new Map<string, number>()

  const gaugeOf = (part: Probed): string => (part === options.ipfs ? 'ipfs' : `network:${part.name}`)

  /** When a look first found that a network cannot serve, by its name; the date, in ms. */
  const downSince = new Map<string, number>()

  /** Looks at a part. */
  function look(part: Probed): Look {
    const what = gaugeOf(part)
    const found = part.probe()
    void found.all.then((states) => {
      // A network may be removed while it is looked at.
      if (!all().includes(part)) return
      lookedAt.set(what, clock.now())
      metrics.degraded(what).set(Number(states.some(isDegraded)))
      if (states.length === 0 || states.some(canServe)) downSince.delete(what)
      else if (!downSince.has(what)) downSince.set(what, clock.date())
    })
    return found
  }

  return {
    async readiness(toOperator) {
      if (phase() !== 'running') return plainAnswer(503, `${phase()}\n`)
      const parts = all().map((part) => follow(part, look(part)))
      const serving = parts.map(async ({ part, found }) => {
        // Every answer of the IPFS API is charged or pinned.
        return (await found.serves) && (part !== options.ipfs || store?.takesCalls() !== false)
      })
      const { workers } = options
      const isReady = (await anyOf(serving)) && workers?.serving !== 0
      const everything = Promise.all(parts.map(({ found }) => found.all))
      await (isReady ? isDoneWithin(slowReadyMs, everything, clock) : everything)
      const lines = parts.map(({ part, seen }) => `${part.name}: ${line(seen, toOperator)}\n`)
      if (store !== undefined) lines.push(`store: ${store.fault() ?? 'ok'}\n`)
      if (workers !== undefined) lines.push(`workers: ${workers.serving} of ${workers.count} serve\n`)
      return plainAnswer(isReady ? 200 : 503, lines.join(''))
    },

    async status(network) {
      const { networks } = options
      const chosen = network === undefined ? networks : networks.filter(({ name }) => name === network)
      if (network !== undefined && chosen.length === 0) return json(404, { error: 'no such network' })
      const states = await Promise.all(
        chosen.map(async (part) => {
          const upstreams = await look(part).all
          return [part.name, networkStatus(upstreams, downSince.get(gaugeOf(part)))] as const
        }),
      )
      const degraded = states.flatMap(([name, { state }]) => (state === 'ok' ? [] : [`network:${name}`]))
      if (network !== undefined) return json(200, { phase: phase(), degraded, networks: Object.fromEntries(states) })
      const ipfsStates = options.ipfs && (await look(options.ipfs).all)
      const fault = store?.fault()
      if (fault !== undefined) degraded.push('store')
      const stale = accounts?.fault()
      if (stale !== undefined) degraded.push('accounts')
      const redisFault = redis?.fault()
      if (redisFault !== undefined) degraded.push('redis')
      const cacheFault = cache?.fault()
      if (cacheFault !== undefined) degraded.push('cache')
      const apart = limits?.fault()
      if (apart !== undefined) degraded.push('limits')
      if (ipfsStates?.some(isDegraded) === true) degraded.push('ipfs')
      if (usage?.spoolFault() !== undefined) degraded.push('usage')
      const { workers } = options
      if (workers !== undefined && workers.serving < workers.count) degraded.push('workers')
      return json(200, {
        phase: phase(),
        degraded,
        networks: Object.fromEntries(states),
        store: store === undefined ? { kind: 'memory', state: 'ok' } : { kind: store.kind, ...stateOf(fault) },
        accounts: accounts && (stale === undefined ? { state: 'ok' } : { state: 'stale', reason: stale }),
        redis: redis && stateOf(redisFault),
        cache: cache && stateOf(cacheFault),
        limits: limits && {
          ...(apart === undefined ? { state: 'ok' } : { state: 'share', reason: apart }),
          replicas: limits.replicas,
        },
        usage: usage && {
          waitingRows: usage.waitingRows,
          droppedCalls: usage.droppedCalls,
          unsafeCalls: usage.unsafeCalls,
          spool: stateOf(usage.spoolFault()),
        },
        ipfs: ipfsStates && ipfsStatus(ipfsStates),
        workers: workers && workersStatus(workers),
      })
    },

    measure() {
      metrics.degraded('store').set(Number(store?.fault() !== undefined))
      for (const [what, part] of Object.entries({ accounts, redis, cache, limits })) {
        if (part !== undefined) metrics.degraded(what).set(Number(part.fault() !== undefined))
      }
      if (usage !== undefined) metrics.degraded('usage').set(Number(usage.spoolFault() !== undefined))
      const { workers } = options
      if (workers !== undefined) metrics.degraded('workers').set(Number(workers.serving < workers.count))
      const present = new Set(all().map(gaugeOf))
      for (const [what, at] of lookedAt) {
        if (!present.has(what)) [lookedAt, downSince].forEach((map) => map.delete(what))
        else if (clock.now() - at > knownForMs) metrics.degraded(what).set(Number.NaN)
      }
    },
  }
}

/** The part of a look that is known so far. */
interface Seen {
  serves?: boolean
  states?: readonly EndpointState[]
}

function follow(part: Probed, found: Look): { readonly part: Probed; readonly found: Look; readonly seen: Seen } {
  const seen: Seen = {}
  void found.serves.then((serves) => (seen.serves = serves))
  void found.all.then((states) => (seen.states = states))
  return { part, found, seen }
}

function line({ serves, states }: Seen, toOperator: boolean): string {
  if (serves === true) return states?.find(({ limit }) => limit !== undefined)?.limit ?? 'ok'
  if (states === undefined) return 'no answer yet'
  const reasons = states.map(({ endpoint, reason }) => (toOperator ? `${endpoint}: ${reason}` : reason))
  return [...new Set(reasons)].join('; ')
}

function isFailing(state: EndpointState): boolean {
  return !canServe(state)
}

function isDegraded(state: EndpointState): boolean {
  return isFailing(state) || state.limit !== undefined
}

function ipfsStatus(states: readonly EndpointState[]) {
  const found = states.find(isDegraded)
  return found?.limit === undefined
    ? stateOf(found?.reason)
    : { state: 'degraded', reason: found.limit, ...found.details }
}

function workersStatus({ serving, count, restarts }: NonNullable<HealthOptions['workers']>) {
  return { state: serving === count ? 'ok' : serving === 0 ? 'down' : 'degraded', serving, count, restarts }
}

function networkStatus(states: readonly EndpointState[], since: number | undefined) {
  const working = states.filter(canServe).length
  return {
    state: working === states.length ? 'ok' : working === 0 ? 'down' : 'degraded',
    since,
    upstreams: states.map(({ endpoint, reason, details }) => ({ name: endpoint, ...stateOf(reason), ...details })),
  }
}

function stateOf(reason: string | undefined) {
  return reason === undefined ? { state: 'ok' } : { state: 'down', reason }
}

function json(status: number, value: object): HttpAnswer {
  return { status, contentType: 'application/json', body: `${JSON.stringify(value)}\n`, headers: [] }
}

/** Resolves with true at the first that is true, else with false when all are known. */
async function anyOf(all: readonly Promise<boolean>[]): Promise<boolean> {
  return new Promise((resolve) => {
    for (const each of all) void each.then((found) => found && resolve(true))
    void Promise.all(all).then((found) => resolve(found.includes(true)))
  })
}
