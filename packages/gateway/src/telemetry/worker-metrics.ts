import type { Registry } from './registry.ts'
import type { SeriesMirror } from './series-mirror.ts'

/** The workers of a gateway, as they are printed. */
export interface WatchedWorkers {
  /** The series of each, and those of all that have ended. */
  readonly mirrors: () => readonly SeriesMirror[]
  readonly states: () => Readonly<Record<WorkerPhase, number>>
  /** Workers that were started in the place of others, so far. */
  readonly restarts: () => number
}

/** The life of a worker: its process starts, it serves, or it finishes what it has. */
export type WorkerPhase = 'starting' | 'serving' | 'draining'

export interface WorkerMetrics {
  /** Prints them from now on. */
  watch(watched: WatchedWorkers): void
  /** Drops what they have counted of a network. */
  forgetNetwork(name: string): void
}

/** Creates the metrics of workers; one process alone prints none. */
export function createWorkerMetrics(registry: Registry): WorkerMetrics {
  let mirrors: WatchedWorkers['mirrors'] = () => []
  const states = registry.gauge({
    name: 'wayleave_workers',
    help: 'Worker processes by state: starting, serving, draining; absent where one process serves alone',
    labels: ['state'],
  })
  const restartCounter = registry.counter({
    name: 'wayleave_worker_restarts_total',
    help: 'Worker processes that were started in the place of one that had ended; absent where one process serves alone',
  })
  return {
    watch(watched) {
      mirrors = watched.mirrors
      const restarts = restartCounter()
      let counted = 0
      registry.beforePrint(() => {
        for (const [state, count] of Object.entries(watched.states())) states(state).set(count)
        restarts.add(watched.restarts() - counted)
        counted = watched.restarts()
      })
      registry.watchOthers(watched.mirrors)
    },
    forgetNetwork(name) {
      for (const mirror of mirrors()) {
        mirror.forget('network', name)
        mirror.forget('what', `network:${name}`)
      }
    },
  }
}
