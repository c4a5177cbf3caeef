import { Worker } from 'node:worker_threads'
import { type CallKind, firstId, lastId } from '../calls.ts'
import type { BenchClock } from '../defaults.ts'
import { BenchError } from '../error.ts'
import { type Connection, openConnection, type Target } from './connection.ts'
import { openSocketConnection } from './socket-connection.ts'

/** The result of a closed loop: every connection sends its next call when the last was answered. */
export interface ClosedLoop {
  readonly calls: number
  readonly elapsedMs: number
}

/** The result of calls at a fixed rate. */
export interface FixedRate {
  readonly calls: number
  /** Ms from when each call was due, whether or not it could be sent then, to the last byte of its answer. */
  readonly latencies: readonly number[]
  /** Ms by which the generator itself sent after that; part of the latencies. */
  readonly lateness: readonly number[]
}

export interface LoadOptions {
  /** Its name in failures. */
  readonly subject: string
  readonly target: Target
  readonly kind: CallKind
  readonly connections: number
  readonly clock: BenchClock
  /** Gives each call of the bench its own id. */
  readonly nextId: () => number
}

/** How long to wait for answers after the last call could have been sent, in ms. */
const patienceMs = 20_000
/** The ticker's thread has this long to start before the first call is due, in ms. */
const leadMs = 150

/** Makes ids for {@link LoadOptions}, each one once. @throws BenchError `usage` when they are used up. */
export function createIds(): () => number {
  let next = firstId
  return () => {
    if (next > lastId) throw new BenchError('usage', 'the run makes more calls than there are ids: make it shorter')
    return next++
  }
}

/** Puts load on one subject. Rejects with a {@link BenchError} on the first wrong answer. */
export class Load implements AsyncDisposable {
  readonly #options: LoadOptions
  #connections: readonly Connection[] = []
  #answered: (connection: Connection) => void = () => {}
  #failed: (error: BenchError) => void = () => {}
  #broken: BenchError | undefined

  private constructor(options: LoadOptions) {
    this.#options = options
  }

  /** Connects all connections. @throws BenchError `subject` if one is refused. */
  static async open(options: LoadOptions): Promise<Load> {
    const { subject, target, kind } = options
    const load = new Load(options)
    const open = kind.isOverWebSocket === true ? openSocketConnection : openConnection
    const events = {
      answered: (connection: Connection) => load.#answered(connection),
      failed: (message: string) =>
        load.#break(new BenchError('wrong_answer', `${subject}, ${kind.method}: ${message}`)),
    }
    try {
      load.#connections = await Promise.all(
        Array.from({ length: options.connections }, () => open(target, kind, events)),
      )
    } catch (cause) {
      throw new BenchError('subject', `${subject} does not accept connections on port ${target.port}`, { cause })
    }
    return load
  }

  /** Sends for `ms` milliseconds, and waits for the calls still in flight. */
  closedLoop(ms: number): Promise<ClosedLoop> {
    const { clock, nextId } = this.#options
    return this.#run<ClosedLoop>(ms, (done) => {
      const start = clock.now()
      let calls = 0
      let flying = this.#connections.length
      this.#answered = (connection) => {
        calls++
        const elapsedMs = clock.now() - start
        if (elapsedMs < ms) connection.send(nextId())
        else if (--flying === 0) done({ calls, elapsedMs })
      }
      for (const connection of this.#connections) connection.send(nextId())
    })
  }

  /** Sends `rate` calls a second for `ms` milliseconds, whether or not earlier ones were answered. */
  fixedRate(rate: number, ms: number): Promise<FixedRate> {
    const { clock, nextId } = this.#options
    const count = Math.max(1, Math.round((rate * ms) / 1000))
    const periodMs = 1000 / rate
    let ticker: Worker | undefined
    const run = this.#run<FixedRate>(ms, (done) => {
      const latencies: number[] = []
      const lateness: number[] = []
      const idle = [...this.#connections]
      // The call was due, but every connection was busy.
      const due: number[] = []
      const dueOf = new Map<Connection, number>()
      const start = clock.now() + leadMs
      const send = (connection: Connection, at: number): void => {
        dueOf.set(connection, at)
        connection.send(nextId())
      }
      this.#answered = (connection) => {
        latencies.push(clock.now() - dueOf.get(connection)!)
        if (latencies.length === count) done({ calls: count, latencies, lateness })
        const next = due.shift()
        if (next === undefined) idle.push(connection)
        else send(connection, next)
      }
      ticker = new Worker(new URL('ticker-worker.ts', import.meta.url), {
        workerData: { start, periodMs, count },
        execArgv: [],
      })
      ticker.on('error', (cause) => this.#break(new BenchError('subject', 'the ticker broke', { cause })))
      ticker.on('message', (i: number) => {
        const at = start + i * periodMs
        lateness.push(clock.now() - at)
        // The one that has waited longest: a server closes those that nobody uses.
        const connection = idle.shift()
        if (connection === undefined) due.push(at)
        else send(connection, at)
      })
    })
    return run.finally(() => ticker?.terminate())
  }

  #break(error: BenchError): void {
    this.#broken ??= error
    this.#failed(error)
  }

  #run<T>(ms: number, start: (done: (result: T) => void) => void): Promise<T> {
    const { clock, subject, kind } = this.#options
    return new Promise<T>((resolve, reject) => {
      const stop = clock.after(ms + patienceMs, () => {
        this.#break(new BenchError('wrong_answer', `${subject}, ${kind.method}: no answer within ${patienceMs} ms`))
      })
      this.#failed = (error) => {
        stop()
        reject(error)
      }
      if (this.#broken !== undefined) return this.#failed(this.#broken)
      start((result) => {
        stop()
        this.#failed = () => {}
        resolve(result)
      })
    })
  }

  close(): void {
    for (const connection of this.#connections) connection.close()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.close()
  }
}
