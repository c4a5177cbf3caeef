import type { BreakerState } from '@wayleave/jsonrpc-core'
import type { SpentUnits, Exclusion } from '@wayleave/upstream'
import type { UpstreamGauges } from '@wayleave/network'
import type { Registry } from '@wayleave/telemetry'
import type { MetricFamilies } from './families.ts'

/** The values of an upstream's circuit breaker. */
const breakers: Readonly<Record<BreakerState, number>> = { closed: 0, half_open: 0.5, open: 1 }

type ReadGauges = () => readonly UpstreamGauges[]

interface Watched {
  readonly read: ReadGauges
  /** The upstreams that were printed last. */
  known: readonly string[]
}

/** Prints the states of upstreams: for each network, those that it is given are printed until it is given others; undefined: none. */
export function createUpstreamMetrics(
  registry: Registry,
  families: MetricFamilies,
): (network: string, read: ReadGauges | undefined) => void {
  const { upstreamUp, upstreamHead, upstreamLag, upstreamBreaker } = families
  const watched = new Map<string, Watched>()
  const exclusionsOf = new Map<string, Set<Exclusion>>()
  /** An upstream that is there no more. */
  function forget(network: string, endpoint: string): void {
    for (const gauge of [upstreamUp, upstreamBreaker, upstreamHead, upstreamLag])
      gauge(network, endpoint).set(Number.NaN)
    setUnits(network, endpoint, undefined, { day: undefined, month: undefined })
    setExclusion(network, endpoint, undefined)
  }

  /** Those that have or had a budget. What is not known any more is NaN, so that nothing compares it. */
  const [spentOnce, boundOnce] = [new Set<string>(), new Set<string>()]
  function setUnits(
    network: string,
    endpoint: string,
    spent: SpentUnits | undefined,
    budget: UpstreamGauges['budget'],
  ) {
    for (const period of ['day', 'month'] as const) {
      const key = `${network} ${endpoint} ${period}`
      const [used, bound] = [spent?.[period], budget[period]]
      if (used !== undefined) spentOnce.add(key)
      if (bound !== undefined) boundOnce.add(key)
      if (spentOnce.has(key)) families.upstreamUnitsSpent(network, endpoint, period).set(used ?? Number.NaN)
      if (boundOnce.has(key)) families.upstreamUnitsBudget(network, endpoint, period).set(bound ?? Number.NaN)
    }
  }

  function setExclusion(network: string, endpoint: string, exclusion: Exclusion | undefined): void {
    const key = `${network} ${endpoint}`
    const seen = exclusionsOf.get(key) ?? new Set()
    if (exclusion !== undefined) exclusionsOf.set(key, seen.add(exclusion))
    for (const each of seen) families.upstreamExclusion(network, endpoint, each).set(each === exclusion ? 1 : 0)
  }

  registry.beforePrint(() => {
    for (const [network, own] of watched) {
      const states = own.read()
      const names = states.map(({ endpoint }) => endpoint)
      for (const name of own.known) if (!names.includes(name)) forget(network, name)
      own.known = names
      for (const { endpoint, exclusion, head, lag, breaker, spent, budget } of states) {
        upstreamUp(network, endpoint).set(exclusion === undefined ? 1 : 0)
        setExclusion(network, endpoint, exclusion)
        upstreamBreaker(network, endpoint).set(breakers[breaker])
        setUnits(network, endpoint, spent, budget)
        if (head === undefined || lag === undefined) continue
        upstreamHead(network, endpoint).set(head)
        upstreamLag(network, endpoint).set(lag)
      }
    }
  })

  return (network, read) => {
    if (read === undefined) {
      for (const endpoint of watched.get(network)?.known ?? []) {
        exclusionsOf.delete(`${network} ${endpoint}`)
        for (const once of [spentOnce, boundOnce]) {
          for (const period of ['day', 'month']) once.delete(`${network} ${endpoint} ${period}`)
        }
      }
      watched.delete(network)
    } else watched.set(network, { read, known: watched.get(network)?.known ?? [] })
  }
}
