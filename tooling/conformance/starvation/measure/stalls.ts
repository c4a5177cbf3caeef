import { percentile } from './percentile.ts'

const tickMs = 5
/** Shorter delays of a tick are what timers do. */
const leastMs = 15

/** The times in which this process did not run although it had to: no fault of the gateway. */
export interface Stalls {
  /** The part of a span in which this process stood still, in ms. */
  within(from: number, to: number): number
  /** Forgets what was, and returns the p99 and the longest of the ticks' delays in ms. */
  take(): { readonly p99: number; readonly max: number }
}

/** Watches the event loop of this process by a tick of 5 ms. `onTick` runs in each. */
export function watchStalls(onTick: (now: number) => void = () => {}): Stalls {
  let last = performance.now()
  let delays: number[] = []
  const stalls: { readonly from: number; readonly to: number }[] = []
  setInterval(() => {
    const now = performance.now()
    const delay = now - last - tickMs
    delays.push(Math.max(0, delay))
    if (delay > leastMs) stalls.push({ from: last + tickMs, to: now })
    last = now
    onTick(now)
  }, tickMs)
  return {
    within(from, to) {
      let sum = 0
      for (let i = stalls.length - 1; i >= 0; i--) {
        const stall = stalls[i]!
        if (stall.to <= from) break
        sum += Math.max(0, Math.min(to, stall.to) - Math.max(from, stall.from))
      }
      return sum
    },
    take() {
      const taken = { p99: percentile(delays, 99), max: delays.reduce((a, b) => Math.max(a, b), 0) }
      delays = []
      return taken
    },
  }
}
