import { hash, randomUUID } from 'node:crypto'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { type Clock, systemClock } from '@wayleave/jsonrpc-core'

/** Everything ambient that the gateway uses: time, randomness, hashes, the collector. Tests bring their own. */
export interface Surroundings {
  readonly clock: Clock
  readonly newTraceId: () => string
  /** Lower-case hex. */
  readonly sha256: (text: string) => string
  /** Calls back in the next turn of the event loop, after what has come in meanwhile. */
  readonly nextTurn: (run: () => void) => void
  /** Collects garbage of short life, at once. */
  readonly collectYoung: () => void
}

/** Node offers the collector only behind a flag, which may be set while it runs. */
function createYoungCollector(): () => void {
  let collect: ((options: { type: 'minor' }) => void) | undefined
  return () => {
    if (collect === undefined) {
      setFlagsFromString('--expose-gc')
      collect = runInNewContext('gc') as typeof collect
    }
    collect!({ type: 'minor' })
  }
}

/** The real clock, with timers that do not keep the process alive. */
export const backgroundClock: Clock = {
  ...systemClock,
  after(ms, run) {
    const timer = setTimeout(run, ms).unref()
    return () => clearTimeout(timer)
  },
}

/** The real surroundings. This file is the only place of the package that touches ambient time and randomness. */
export const realSurroundings: Surroundings = {
  clock: systemClock,
  newTraceId: randomUUID,
  sha256: (text) => hash('sha256', text, 'hex'),
  nextTurn: (run) => void setImmediate(run),
  collectYoung: createYoungCollector(),
}
