import { type Clock, RpcError, systemClock } from '@wayleave/jsonrpc-core'

/** The pace of polls, and the end of them. */
export interface WatchOptions {
  /** The time between two polls in ms. Default 4,000. */
  readonly pollMs?: number
  readonly signal?: AbortSignal
}

/** The longest time without an answer, in ms, after which a poll fails as its last question did. */
const patienceMs = 30_000

/** Polls at a pace. `clock` is a parameter for tests. */
export interface Patience {
  /** Waits for the next poll. @throws RpcError `aborted` */
  pause(): Promise<void>
  /** Asks again while questions fail, for 30 s. @throws RpcError */
  ask<T>(question: () => Promise<T>): Promise<T>
}

export function createPatience({ pollMs = 4_000, signal }: WatchOptions, clock: Clock = systemClock): Patience {
  if (!(pollMs > 0)) throw new TypeError(`pollMs: expected ms above 0, got ${pollMs}`)
  const pause = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const abort = (): void => {
        cancel()
        reject(new RpcError('aborted', 'the caller aborted the watch', { cause: signal?.reason }))
      }
      const cancel = clock.after(pollMs, () => {
        signal?.removeEventListener('abort', abort)
        resolve()
      })
      if (signal?.aborted) abort()
      else signal?.addEventListener('abort', abort, { once: true })
    })
  return {
    pause,
    async ask(question) {
      const since = clock.now()
      for (;;) {
        try {
          return await question()
        } catch (thrown) {
          const isFinal = !(thrown instanceof RpcError) || /^(?:aborted|denied)$/.test(thrown.code)
          if (isFinal || clock.now() - since >= patienceMs) throw thrown
        }
        await pause()
      }
    },
  }
}
