import type { ChainView, Endpoint, EndpointView } from '@wayleave/upstream'
import type { Log } from '@wayleave/telemetry'

/** The most by which the times of new blocks differ from this clock unreported, in ms: blocks take a while, and clocks are seldom ahead. */
const mostBehindMs = 30_000
const mostAheadMs = 15_000

/** By how much the times of an upstream's new blocks are behind this clock, in ms; below zero where they are ahead. Undefined: by little, or nobody knows. */
export function clockDifferenceOf({ health, blockAgeMs }: EndpointView): number | undefined {
  if (health !== 'good' || blockAgeMs === undefined) return undefined
  return blockAgeMs > mostBehindMs || blockAgeMs < -mostAheadMs ? blockAgeMs : undefined
}

/** Reports in the log once that the clock of those who make blocks differs, and that it no longer does. */
export function reportClockDifference(
  network: string,
  endpoints: readonly Endpoint[],
  view: ChainView,
  log: Pick<Log, 'warn' | 'info'>,
): void {
  let isReported = false
  view.watch(({ kind }) => {
    if (kind !== 'new') return
    const known = endpoints.map((endpoint) => view.of(endpoint)).filter(({ blockAgeMs }) => blockAgeMs !== undefined)
    const behindMs = known.map(clockDifferenceOf).find((each) => each !== undefined)
    if (known.length === 0 || (behindMs !== undefined) === isReported) return
    isReported = behindMs !== undefined
    if (isReported) log.warn({ network, behindMs }, 'the times of new blocks differ from this clock: set it by NTP')
    else log.info({ network }, 'the times of new blocks agree with this clock again')
  })
}
