import type { SharedState } from '../shared-state.ts'
import type { OpenStore } from '../store.ts'
import type { Channel } from './channel.ts'

/** The state that the primary keeps for its workers, as a worker uses it. */
export interface WorkerState {
  /** In the place of the Redis that replicas share; undefined: this worker asks Redis itself, where it is configured. */
  readonly shared: SharedState | undefined
  /** In the place of the store; undefined: this worker opens the store itself. */
  readonly store: OpenStore | undefined
  close(): Promise<void>
}

/** The line of a worker to its primary process. */
export interface WorkerLine {
  readonly channel: Channel
  /** Opens the state that workers share. Default: each has its own. */
  readonly openState?: () => Promise<WorkerState>
}
