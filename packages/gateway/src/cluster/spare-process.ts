import type { Clock } from '@wayleave/jsonrpc-core'
import type { StartWorker } from '../shared-state/worker-line.ts'

/** A process that has loaded its code and waits to be a worker: to load it takes longer than anything else at a start. */
export interface SpareProcess {
  /** Starts a worker: the process that waits, or another one. */
  readonly start: StartWorker
  /** Has one wait, a second from now; so does each use of it. */
  prepare(): void
  close(): void
}

/** Time in which the workers that were just started have the machine for themselves, in ms. */
const laterMs = 1_000
/** The pause after one that ended while it waited, in ms. */
const endedMs = 10_000

export function createSpareProcess(start: StartWorker, clock: Clock): SpareProcess {
  let waiting: { readonly process: ReturnType<StartWorker>; onStalled: () => void } | undefined
  let stop = (): void => {}
  let isClosed = false

  function prepareIn(ms: number): void {
    stop()
    if (!isClosed) stop = clock.after(ms, begin)
  }

  function begin(): void {
    if (waiting !== undefined) return
    const process = start(() => own.onStalled())
    const own = { process, onStalled: () => process.kill() }
    waiting = own
    void process.ended.then(() => {
      if (waiting !== own) return
      waiting = undefined
      prepareIn(endedMs)
    })
  }

  return {
    start(onStalled) {
      const taken = waiting
      if (taken === undefined) return start(onStalled)
      waiting = undefined
      taken.onStalled = onStalled
      prepareIn(laterMs)
      return taken.process
    },
    prepare: () => prepareIn(laterMs),
    close() {
      isClosed = true
      stop()
      waiting?.process.kill()
      waiting = undefined
    },
  }
}
