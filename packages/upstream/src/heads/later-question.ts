import type { Clock } from '@wayleave/jsonrpc-core'

export interface LaterQuestionOptions<T> {
  /** Asks; must not reject. */
  readonly ask: () => Promise<T>
  /** The question of the same kind that is under way, which began too early; must not reject. */
  readonly underWay: () => Promise<unknown> | undefined
  readonly clock: Clock
}

/** Answers those who need a question that begins after they came: all who come before it begins share it. */
export interface LaterQuestion<T> {
  /** Resolves with the answer; undefined after the end. Never rejects. */
  answer(): Promise<T | undefined>
  close(): void
}

/** Least time from question to question, in ms. */
const everyMs = 100

export function createLaterQuestion<T>({ ask, underWay, clock }: LaterQuestionOptions<T>): LaterQuestion<T> {
  let next: Promise<T | undefined> | undefined
  let askedAt = Number.NEGATIVE_INFINITY
  let endPause = (): void => {}
  let isClosed = false

  async function begin(): Promise<T | undefined> {
    for (let wait: Promise<unknown> | undefined; (wait = underWay() ?? pause()) !== undefined;) await wait
    next = undefined
    askedAt = clock.now()
    return isClosed ? undefined : ask()
  }

  function pause(): Promise<void> | undefined {
    const ms = askedAt + everyMs - clock.now()
    if (ms <= 0 || isClosed) return undefined
    return new Promise((resolve) => {
      const stop = clock.after(ms, resolve)
      endPause = () => {
        stop()
        resolve()
      }
    })
  }

  return {
    // Begins in a later turn: `next` is set by then.
    answer: () => (next ??= Promise.resolve().then(begin)),
    close() {
      isClosed = true
      endPause()
    },
  }
}
