import type { Clock } from '@wayleave/jsonrpc-core'
import { GasFeesError, type GasFeesErrorCode } from '../error.ts'
import { createNewest } from '../newest.ts'
import type { SuggestedGasFees } from '../suggestion.ts'
import { checkedAnswer, suggestionSchema } from './answer-schemas.ts'
import { readEvents } from './event-stream.ts'
import type { GasHost } from './gas-host.ts'

export interface WatchOptions {
  readonly host: GasHost
  readonly path: string
  readonly clock: Clock
  readonly random: () => number
  readonly signal: AbortSignal | undefined
}

/** What passes by itself. */
const passing = new Set<GasFeesErrorCode>(['unavailable', 'timeout', 'connect'])
/** All in ms. A host sends a comment every 15 s. */
const longestSilence = 45_000
const longestWait = 30_000
const longestRetryAfter = 600_000
const usualPoll = 15_000
const shortestPoll = 1_000

/** The suggestions of a host, as `GasClient.watch` promises them. Nothing is asked before the first `next`. */
export function watchFees(options: WatchOptions): AsyncIterableIterator<SuggestedGasFees, undefined> {
  const { host, path, clock, random, signal } = options
  const newest = createNewest<SuggestedGasFees>()
  const ending = new AbortController()
  let failure: unknown
  let running: Promise<void> | undefined

  function end(why?: unknown): void {
    if (newest.ended) return
    failure = why
    newest.end()
    signal?.removeEventListener('abort', abort)
    ending.abort()
  }

  function abort(): void {
    end(new GasFeesError('aborted', 'the caller aborted the watch', { cause: signal?.reason }))
  }

  async function run(): Promise<void> {
    let follow = stream
    let failures = 0
    while (!newest.ended) {
      try {
        if (!(await follow(() => (failures = 0)))) follow = poll
        else if (follow === stream) await pause(backoff(failures++))
      } catch (thrown) {
        if (newest.ended) return
        if (!(thrown instanceof GasFeesError) || !passing.has(thrown.code)) return end(thrown)
        await pause(Math.max(Math.min(thrown.retryAfterMs ?? 0, longestRetryAfter), backoff(failures++)))
      }
    }
  }

  /** Follows one stream to its end; false where the host has none. */
  async function stream(onSuccess: () => void): Promise<boolean> {
    const attempt = new AbortController()
    const beganAt = clock.now()
    const stopAttempt = (): void => attempt.abort()
    ending.signal.addEventListener('abort', stopAttempt, { once: true })
    let stopTimer = (): void => {}
    const onLife = (): void => {
      stopTimer()
      stopTimer = clock.after(longestSilence, stopAttempt)
    }
    try {
      const body = await host.stream(`${path}/stream`, attempt.signal)
      if (body === undefined) return false
      onLife()
      const onEvent = ({ event, data }: { readonly event: string; readonly data: string }): void => {
        if (event !== 'suggestedGasFees') return
        // A host that ends each stream after one event is not asked again at once, however often.
        if (clock.now() - beganAt >= longestWait) onSuccess()
        newest.put(checkedAnswer(parse(data), suggestionSchema))
      }
      await readEvents(body, { onEvent, onLife }, attempt.signal).catch((thrown: unknown) => {
        if (thrown instanceof GasFeesError) throw thrown
        throw new GasFeesError('connect', 'the stream broke off')
      })
      return true
    } finally {
      stopTimer()
      ending.signal.removeEventListener('abort', stopAttempt)
    }
  }

  let last: string | undefined

  /** Asks once, tells what is new, and waits until it can have changed. */
  async function poll(onSuccess: () => void): Promise<boolean> {
    const { value, maxAgeMs = usualPoll } = await host.get(path, ending.signal)
    onSuccess()
    const text = JSON.stringify(value)
    if (text !== last) newest.put(checkedAnswer(value, suggestionSchema))
    last = text
    await pause(Math.min(Math.max(maxAgeMs, shortestPoll), usualPoll))
    return true
  }

  function backoff(failures: number): number {
    return random() * Math.min(longestWait, 500 * 2 ** failures)
  }

  function pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      if (newest.ended) return resolve()
      const stop = clock.after(ms, done)
      function done(): void {
        stop()
        ending.signal.removeEventListener('abort', done)
        resolve()
      }
      ending.signal.addEventListener('abort', done, { once: true })
    })
  }

  signal?.addEventListener('abort', abort, { once: true })
  if (signal?.aborted === true) abort()

  const fees: AsyncIterableIterator<SuggestedGasFees, undefined> = {
    async next() {
      running ??= run()
      const value = await newest.take()
      if (value !== undefined) return { done: false, value }
      const thrown = failure
      failure = undefined
      if (thrown !== undefined) throw thrown
      return { done: true, value: undefined }
    },
    async return() {
      end()
      return { done: true, value: undefined }
    },
    [Symbol.asyncIterator]: () => fees,
  }
  return fees
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new GasFeesError('invalid_response', 'expected JSON in the event')
  }
}
