import type { ConfigProblem } from '../config/check.ts'
import type { PinnedConfig } from '../chains/pinned-config.ts'
import type { LogOptions } from '../ops/log.ts'

/** The topics between a primary process and its workers. */
export const topics = {
  /** To the primary: the process runs, and waits for {@link WorkerStart}. */
  hello: 'worker.hello',
  /** To a worker: {@link WorkerStart}; answered with {@link WorkerStarted}. */
  start: 'worker.start',
  /** To a worker: a {@link PinnedConfig} to open beside the present one; answered with {@link Prepared}. */
  prepare: 'worker.prepare',
  /** To a worker: what it has prepared serves from now on. */
  commit: 'worker.commit',
  /** To a worker: what it has prepared is given up. */
  abandon: 'worker.abandon',
  /** To the primary, each second: `FamilyChange`s. */
  beat: 'worker.beat',
  /** To a worker: answered with `FamilyChange`s. */
  metrics: 'worker.metrics',
  /** To a worker: it takes no more connections, finishes what it has, and ends. */
  drain: 'worker.drain',
  /** To a worker: it cuts what is left of that. */
  terminate: 'worker.terminate',
} as const

/** All that a worker begins with. */
export interface WorkerStart {
  /** Its own part of the configuration, with chains that are known and an address whose port is not 0. */
  readonly config: PinnedConfig
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

/** How often a worker tells its counts, in ms. */
export const beatMs = 1_000
