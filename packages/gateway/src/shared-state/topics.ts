/** The topics between a primary process and its workers. */
export const topics = {
  /** To the primary: the process runs, and waits for `WorkerStart`. */
  hello: 'worker.hello',
  /** To a worker: `WorkerStart`; answered with `WorkerStarted`. */
  start: 'worker.start',
  /** To a worker: a `PinnedConfig` to open beside the present one; answered with `Prepared`. */
  prepare: 'worker.prepare',
  /** To a worker: what it has prepared serves from now on. */
  commit: 'worker.commit',
  /** To a worker: what it has prepared is given up. */
  abandon: 'worker.abandon',
  /** To the primary, each 100 ms from its service to its end: the event loop turns. */
  alive: 'worker.alive',
  /** To the primary, each second: `FamilyChange`s. */
  beat: 'worker.beat',
  /** To a worker: answered with `FamilyChange`s. */
  metrics: 'worker.metrics',
  /** To a worker: an `ExplainQuestion`; answered with `Explanation`s. */
  explain: 'worker.explain',
  /** To a worker: answered with the `RecordedCall`s that it remembers. */
  records: 'worker.records',
  /** To the primary: the worker serves, and asks for the readers of the live tail. */
  followed: 'worker.followed',
  /** To a worker: a reader of the live tail whom it has to tell. */
  follow: 'worker.follow',
  /** To a worker: the number of a reader who has left. */
  unfollow: 'worker.unfollow',
  /** To the primary: an event for a reader; answered once it was taken. */
  calls: 'worker.calls',
  /** To a worker: a `GasQuestion`; answered with `ToldGas`. */
  gas: 'worker.gas',
  /** To a worker: it is not ready any more, and has each connection end with its next answer. */
  release: 'worker.release',
  /** To a worker: it takes no more connections, finishes what it has, and ends. */
  drain: 'worker.drain',
  /** To a worker: it cuts what is left of that. */
  terminate: 'worker.terminate',
} as const

/** How often a worker gives a sign of life, in ms. */
export const aliveMs = 100

/** How often a worker tells its counts, in ms. */
export const beatMs = 1_000
