import type { Channel } from './channel.ts'

/** The line of a worker to its primary process. */
export interface WorkerLine {
  readonly channel: Channel
}

/** The process of a worker. */
export interface WorkerProcess {
  readonly pid: number | undefined
  readonly channel: Channel
  /** Resolves when it runs, and waits for its start. */
  readonly ready: Promise<void>
  /** Resolves when it has ended, with the reason in words. */
  readonly ended: Promise<string>
  /** Ends it at once. */
  kill(): void
}

/** Starts the process of a worker. `onStalled`: it does not read what it is told. */
export type StartWorker = (onStalled: () => void) => WorkerProcess
