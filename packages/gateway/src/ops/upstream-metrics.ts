import type { BreakerState, SpentUnits } from '@wayleave/upstream'
import type { Registry } from './registry.ts'

/** The state of an upstream, as it is when the metrics are printed. */
export interface UpstreamGauges {
  readonly endpoint: string
  /** Whether it is asked like the others. */
  readonly isUp: boolean
  /** The height of its last head, and the blocks that it is behind; undefined where it has told none. */
  readonly head: number | undefined
  readonly lag: number | undefined
  readonly breaker: BreakerState
  /** Units that it has cost; undefined where it has no budget. */
  readonly spent: SpentUnits | undefined
}

/** The values of an upstream's circuit breaker. */
const breakers: Readonly<Record<BreakerState, number>> = { closed: 0, half_open: 0.5, open: 1 }

type ReadGauges = () => readonly UpstreamGauges[]

interface Watched {
  readonly read: ReadGauges
  /** The upstreams that were printed last. */
  known: readonly string[]
}

/** Creates the metrics of upstreams: for each network, those that it is given are printed until it is given others; undefined: none. */
export function createUpstreamMetrics(registry: Registry): (network: string, read: ReadGauges | undefined) => void {
  const watched = new Map<string, Watched>()
  const ups = registry.gauge({
    name: 'wayleave_upstream_up',
    help: 'Whether an upstream is asked like the others: 1, or 0',
    labels: ['network', 'endpoint'],
    across: 'min',
  })
  const heights = registry.gauge({
    name: 'wayleave_upstream_head',
    help: 'Height of the last head that an upstream told',
    labels: ['network', 'endpoint'],
    across: 'max',
  })
  const lags = registry.gauge({
    name: 'wayleave_upstream_lag_blocks',
    help: 'Blocks that an upstream is behind those that agree',
    labels: ['network', 'endpoint'],
    across: 'max',
  })
  const breakerStates = registry.gauge({
    name: 'wayleave_upstream_breaker',
    help: 'Circuit breaker of an upstream: 0 closed, 0.5 half open, 1 open',
    labels: ['network', 'endpoint'],
    across: 'max',
  })
  const units = registry.gauge({
    name: 'wayleave_upstream_units_spent',
    help: 'Units that an upstream with a budget has cost in this day or month, UTC',
    labels: ['network', 'endpoint', 'period'],
    across: 'max',
  })
  /** An upstream that is there no more. */
  function forget(network: string, endpoint: string): void {
    for (const gauge of [ups, breakerStates, heights, lags]) gauge(network, endpoint).set(Number.NaN)
  }

  registry.beforePrint(() => {
    for (const [network, own] of watched) {
      const states = own.read()
      const names = states.map(({ endpoint }) => endpoint)
      for (const name of own.known) if (!names.includes(name)) forget(network, name)
      own.known = names
      for (const { endpoint, isUp, head, lag, breaker, spent } of states) {
        ups(network, endpoint).set(isUp ? 1 : 0)
        breakerStates(network, endpoint).set(breakers[breaker])
        if (spent !== undefined) {
          units(network, endpoint, 'day').set(spent.day)
          units(network, endpoint, 'month').set(spent.month)
        }
        if (head === undefined || lag === undefined) continue
        heights(network, endpoint).set(head)
        lags(network, endpoint).set(lag)
      }
    }
  })

  return (network, read) => {
    if (read === undefined) watched.delete(network)
    else watched.set(network, { read, known: watched.get(network)?.known ?? [] })
  }
}
