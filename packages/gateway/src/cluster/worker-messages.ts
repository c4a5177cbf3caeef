import type { LogOptions } from '@wayleave/telemetry'
import type { ConfigProblem } from '../config/check.ts'
import type { PinnedConfig } from '../chains/pinned-config.ts'

/** All that a worker begins with. */
export interface WorkerStart {
  /** Its own part of the configuration, with chains that are known and an address whose port is not 0. */
  readonly config: PinnedConfig
  /** Its place among the workers, from 1 on. One that replaces another takes its place. */
  readonly slot: number
  /** The part of the memory that it may use, in bytes. */
  readonly memoryBytes: number
  readonly absentNetworks: Readonly<Record<string, string>>
  readonly logLevel: LogOptions['level']
}

/** The outcome of a start. */
export type WorkerStarted = { readonly ok: true } | { readonly ok: false; readonly failure: StartFailure }

/** A failure that crosses a process. */
export type StartFailure =
  | { readonly kind: 'config'; readonly problems: readonly ConfigProblem[] }
  | { readonly kind: 'listen' | 'other'; readonly message: string }

/** The outcome of `prepare`. */
export interface Prepared {
  /** None: it can be committed. */
  readonly problems: readonly ConfigProblem[]
}
