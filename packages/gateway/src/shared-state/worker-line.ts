import type { Channel } from './channel.ts'

/** The line of a worker to its primary process. */
export interface WorkerLine {
  readonly channel: Channel
}

/** A process at one moment. */
export interface ProcessSample {
  /** Whether a thread of it runs, could run, or waits for a disk. */
  readonly isWaiting: boolean
  /** The CPU time that its main thread has used so far, in ms. */
  readonly cpuMs: number
}

export interface WorkerProcess {
  readonly pid: number | undefined
  readonly channel: Channel
  /** Resolves when it runs, and waits for its start. */
  readonly ready: Promise<void>
  /** Resolves when it has ended, with the reason in words. */
  readonly ended: Promise<string>
  /** Samples it; undefined where the system does not tell. */
  sample(): ProcessSample | undefined
  /** Ends it at once. */
  kill(): void
}

/** Starts the process of a worker. `onStalled`: it does not read what it is told. */
export type StartWorker = (onStalled: () => void) => WorkerProcess
