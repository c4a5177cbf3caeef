import type { Census, Evidence, Invariant } from './evidence.ts'

/** Timers that a call may have, and an upstream. */
const timersOfCall = 16
const timersOfUpstream = 12
/** Those of the gateway itself, and of reads that it asks again. */
const timersOfNetwork = 60

/** The gateway never holds more than its limits and its calls explain. */
export const memoryBounded: Invariant = ({ plan, censuses }) => {
  const caps = (census: Census): Partial<Census> => capsOf(plan, census)
  return censuses.flatMap((census) =>
    Object.entries(caps(census)).flatMap(([name, cap]) => {
      const held = census[name as keyof Census]
      return held > cap ? [{ at: census.at, text: `${held} ${name} are held; ${cap} are explained` }] : []
    }),
  )
}

function capsOf({ upstreams, limits = {} }: Evidence['plan'], { calls }: Census): Partial<Census> {
  const perUpstream = limits['maxUpstreamCalls'] ?? 160
  return {
    timers: timersOfNetwork + calls * timersOfCall + upstreams.length * timersOfUpstream,
    exchanges: upstreams.length * perUpstream * 4,
    sockets: upstreams.length * 4,
    heldBytes: limits['maxHeldBytes'] ?? 192 * 1024 * 1024,
  }
}
