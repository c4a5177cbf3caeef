import type { BenchClock } from '../defaults.ts'
import type { Target } from '../load/connection.ts'

/** The calls that a subject is about to get; its settings may depend on them. */
export const suites = ['small', 'cached', 'batch', 'large', 'socket', 'subscribers', 'mix'] as const
export type Suite = (typeof suites)[number]

/** A running proxy. */
export interface Subject extends AsyncDisposable {
  readonly name: string
  /** The root of its process tree; undefined where nothing stands before the node. */
  readonly pid: number | undefined
  readonly target: Target
  /** Has it serve another configuration. @throws BenchError `subject` if it does not */
  reload?(): Promise<void>
}

export interface SubjectOptions {
  readonly upstreamPort: number
  readonly suite: Suite
  readonly clock: BenchClock
}

/** A proxy that can be measured. */
export interface SubjectKind {
  readonly name: string
  /** The suites it takes part in. Default: all. */
  readonly suites?: readonly Suite[]
  /** Why it takes part in no other. */
  readonly onlyThere?: string
  /** Whether it keeps answers. Default: no. */
  readonly caches?: boolean
  /** Why it cannot be measured on this machine; undefined if it can. */
  missing(): string | undefined
  /** Starts it. @throws BenchError `subject` if it does not start. */
  start(options: SubjectOptions): Promise<Subject>
}
