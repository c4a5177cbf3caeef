import type { Sample, Samples } from './parse-metrics.ts'

/** One look at a gateway. */
export interface Scrape {
  /** Monotonic, in ms. */
  readonly at: number
  readonly samples: Samples
  readonly status: Status | undefined
}

/** The answer of `/status`, as far as it is shown. */
export interface Status {
  readonly phase: string
  readonly degraded: readonly string[]
  readonly networks: Readonly<Record<string, { readonly state: string; readonly upstreams: readonly UpstreamStatus[] }>>
}

interface UpstreamStatus {
  readonly name: string
  readonly state: string
  readonly reason?: string
}

/** A gateway between two looks. Rates are per second, times in ms; undefined: nothing was there to measure. */
export interface Overview extends Traffic {
  readonly phase: string
  readonly degraded: readonly string[]
  /** The part of calls that the cache answered, of those that it may answer: 0 to 1. */
  readonly cacheHits: number | undefined
  readonly sockets: number
  readonly streams: number
  /** Resident memory of the process. */
  readonly memoryBytes: number | undefined
  readonly cacheBytes: number | undefined
  readonly networks: readonly NetworkOverview[]
}

export interface Traffic {
  readonly calls: number
  /** Calls that the gateway or its upstreams failed. */
  readonly errors: number
  readonly p50: number | undefined
  readonly p99: number | undefined
}

interface NetworkOverview extends Traffic {
  readonly name: string
  readonly state: string
  readonly upstreams: readonly UpstreamOverview[]
}

export interface UpstreamOverview extends Traffic {
  readonly name: string
  readonly state: string
  readonly reason: string | undefined
  readonly head: number | undefined
  readonly lag: number | undefined
}

type Labels = Readonly<Record<string, string>>
type Filter = (labels: Labels) => boolean

/** Compares two looks, the later one first. A counter that fell began again at 0: the gateway was restarted. */
export function overviewOf(now: Scrape, before: Scrape): Overview {
  const seconds = Math.max((now.at - before.at) / 1_000, 0.001)
  const find = (name: string): readonly Sample[] => now.samples.get(name) ?? []
  const has = (name: string): boolean => now.samples.has(name)
  const sum = (name: string, filter: Filter = () => true): number =>
    total(find(name).filter(({ labels }) => filter(labels)))
  const earlier = new Map<string, ReadonlyMap<string, number>>()
  const grown = (name: string, filter: Filter): readonly Sample[] => {
    let old = earlier.get(name)
    if (old === undefined) {
      old = new Map((before.samples.get(name) ?? []).map(({ labels, value }) => [keyOf(labels), value]))
      earlier.set(name, old)
    }
    return find(name)
      .filter(({ labels }) => filter(labels))
      .map(({ labels, value }) => {
        const was = old.get(keyOf(labels)) ?? 0
        return { labels, value: value < was ? value : value - was }
      })
  }
  const rate = (name: string, filter: Filter): number => total(grown(name, filter)) / seconds
  const quantiles = (name: string, filter: Filter): Pick<Traffic, 'p50' | 'p99'> => {
    const buckets = grown(`${name}_bucket`, filter)
    return { p50: quantileOf(0.5, buckets), p99: quantileOf(0.99, buckets) }
  }

  // Calls, each of a batch as one, where the gateway counts them; else answers.
  const countsCalls = has('wayleave_calls_total')
  const callsName = countsCalls ? 'wayleave_calls_total' : 'wayleave_answers_total'
  const timesName = has('wayleave_call_seconds_bucket') ? 'wayleave_call_seconds' : 'wayleave_answer_seconds'
  const isError = countsCalls
    ? ({ outcome }: Labels) => outcome === 'upstream' || outcome === 'gateway'
    : ({ status }: Labels) => Number(status) >= 500
  const trafficOf = (filter: Filter): Traffic => ({
    calls: rate(callsName, filter),
    errors: rate(callsName, (labels) => filter(labels) && isError(labels)),
    ...quantiles(timesName, filter),
  })

  const upstreamOf = (network: string, name: string): UpstreamOverview => {
    const own: Filter = (labels) => labels['network'] === network && labels['endpoint'] === name
    const gauge = (family: string): number | undefined => find(family).find(({ labels }) => own(labels))?.value
    const reported = now.status?.networks[network]?.upstreams.find((each) => each.name === name)
    const up = gauge('wayleave_upstream_up')
    const breaker = gauge('wayleave_upstream_breaker') ?? 0
    return {
      name,
      state: reported?.state ?? (up === undefined ? '-' : up === 1 ? 'ok' : breaker === 1 ? 'open' : 'out'),
      reason: reported?.reason,
      head: gauge('wayleave_upstream_head'),
      lag: gauge('wayleave_upstream_lag_blocks'),
      calls: rate('wayleave_upstream_calls_total', own),
      errors: rate('wayleave_upstream_failures_total', own),
      ...quantiles('wayleave_upstream_seconds', own),
    }
  }
  const networkOf = (name: string): NetworkOverview => {
    const reported = now.status?.networks[name]
    const listed = reported?.upstreams.map((each) => each.name) ?? []
    const seen = find('wayleave_upstream_up').flatMap(({ labels }) =>
      labels['network'] === name ? [labels['endpoint']!] : [],
    )
    const upstreams = [...new Set([...listed, ...seen])]
    return {
      name,
      state: reported?.state ?? '-',
      ...trafficOf((labels) => labels['network'] === name),
      upstreams: upstreams.map((upstream) => upstreamOf(name, upstream)),
    }
  }

  const found = grown('wayleave_cache_answers_total', () => true)
  const asked = total(found)
  const hits = total(found.filter(({ labels }) => labels['outcome'] !== 'miss'))
  const names = new Set([
    ...Object.keys(now.status?.networks ?? {}),
    ...find('wayleave_upstream_up').map(({ labels }) => labels['network']!),
  ])
  return {
    phase: now.status?.phase ?? '-',
    degraded:
      now.status?.degraded ??
      find('wayleave_degraded').flatMap(({ labels, value }) => (value === 1 ? [labels['what']!] : [])),
    ...trafficOf(() => true),
    cacheHits: asked === 0 ? undefined : hits / asked,
    sockets: sum('wayleave_websocket_connections'),
    streams: sum('wayleave_event_streams'),
    memoryBytes: has('process_resident_memory_bytes') ? sum('process_resident_memory_bytes') : undefined,
    cacheBytes: has('wayleave_cache_bytes') ? sum('wayleave_cache_bytes') : undefined,
    networks: [...names].map(networkOf),
  }
}

function total(samples: readonly Sample[]): number {
  return samples.reduce((all, { value }) => all + value, 0)
}

function keyOf(labels: Labels): string {
  return JSON.stringify(Object.entries(labels).toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

/** Reads a quantile in ms from the growth of buckets, linear within one as Prometheus does; undefined: nothing was measured. */
function quantileOf(share: number, buckets: readonly Sample[]): number | undefined {
  const counts = new Map<number, number>()
  for (const { labels, value } of buckets) {
    const le = labels['le'] === '+Inf' ? Number.POSITIVE_INFINITY : Number(labels['le'])
    counts.set(le, (counts.get(le) ?? 0) + value)
  }
  const sorted = [...counts].toSorted(([a], [b]) => a - b)
  const rank = share * (sorted.at(-1)?.[1] ?? 0)
  if (rank === 0) return undefined
  let [below, under] = [0, 0]
  for (const [le, count] of sorted) {
    if (count >= rank)
      return (
        1_000 * (le === Number.POSITIVE_INFINITY ? below : below + ((le - below) * (rank - under)) / (count - under))
      )
    below = le
    under = count
  }
  return undefined
}
