import { follow, type Registry, type SeriesMirror } from '@wayleave/telemetry'
import type { MetricFamilies } from './families.ts'

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

/** Prints the state of workers; one process alone prints none. */
export function createWorkerMetrics(registry: Registry, families: MetricFamilies): WorkerMetrics {
  let mirrors: WatchedWorkers['mirrors'] = () => []
  return {
    watch(watched) {
      mirrors = watched.mirrors
      registry.beforePrint(() => {
        for (const [state, count] of Object.entries(watched.states())) families.workers(state).set(count)
      })
      follow(registry, families.workerRestarts(), watched.restarts)
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
