import type { Channel } from './channel.ts'

/** The line of a worker to its primary process. */
export interface WorkerLine {
  readonly channel: Channel
}
