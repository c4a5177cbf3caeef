import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { setPriority } from 'node:os'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'

interface Reply {
  readonly seq: number
  readonly value: unknown
  readonly failure?: string
}

/** Longest wait for an answer, in ms: a family takes less in all. */
const answerWithinMs = 180_000

/** A process of the harness that answers questions. It ends with its parent. */
export class Child implements AsyncDisposable {
  readonly #process: ChildProcess
  readonly #waiting = new Map<number, PromiseWithResolvers<unknown>>()
  #seq = 0

  /** Starts `program`; `nice` from 0 to 19. */
  constructor(program: URL, nice = 0) {
    const file = fileURLToPath(program)
    this.#process = fork(file, [], { execArgv: [], serialization: 'advanced' })
    if (nice > 0) setPriority(this.pid, nice)
    this.#process.on('message', ({ seq, value, failure }: Reply) => {
      const waiting = this.#waiting.get(seq)
      this.#waiting.delete(seq)
      if (failure === undefined) waiting?.resolve(value)
      else waiting?.reject(new Error(`${basename(file)}: ${failure}`))
    })
    this.#process.on('exit', (code, signal) => {
      for (const { reject } of this.#waiting.values())
        reject(new Error(`${basename(file)} ended with ${code ?? signal}`))
      this.#waiting.clear()
    })
  }

  get pid(): number {
    return this.#process.pid!
  }

  /** Asks what {@link answerParent} answers in the child. */
  ask<T>(question: string, value?: unknown): Promise<T> {
    const waiting = Promise.withResolvers<unknown>()
    const seq = this.#seq++
    this.#waiting.set(seq, waiting)
    this.#process.send({ seq, question, value }, (error) => error && waiting.reject(error))
    const late = setTimeout(() => waiting.reject(new Error(`no answer to ${question}`)), answerWithinMs)
    waiting.promise.catch(() => {}).finally(() => clearTimeout(late))
    return waiting.promise as Promise<T>
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return
    const exited = once(this.#process, 'exit')
    this.#process.kill('SIGKILL')
    await exited
  }
}

/** In a child: answers its parent's questions by name, and ends with it. */
export function answerParent(answers: Readonly<Record<string, (value: never) => unknown>>): void {
  process.on('disconnect', () => process.exit())
  process.on('message', ({ seq, question, value }: { seq: number; question: string; value: unknown }) => {
    void (async () => {
      try {
        process.send!({ seq, value: await answers[question]!(value as never) })
      } catch (thrown) {
        process.send!({ seq, failure: String(thrown) })
      }
    })()
  })
}
