import { performance } from 'node:perf_hooks'

/** Returns the time in which the event loop of this thread has had nothing to do, in ms. */
export const idleMs = (): number => performance.nodeTiming.idleTime
