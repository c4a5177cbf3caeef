import type { Clock } from '@wayleave/jsonrpc-core'
import { afterOrAbort } from '../after-or-abort.ts'
import { GasFeesError, type GasFeesErrorCode } from '../error.ts'
import { createLatestValue } from '../latest-value.ts'
import type { SuggestedGasFees } from '../suggestion.ts'
import { checkedAnswer, parseJson, suggestionSchema } from './answer-schemas.ts'
import { readEvents } from './event-stream.ts'
import type { GasHost } from './gas-host.ts'

export interface WatchOptions {
  readonly host: GasHost
  readonly path: string
  readonly clock: Clock
  readonly random: () => number
  readonly signal: AbortSignal | undefined
}

/** Failures that pass by themselves. */
const passing = new Set<GasFeesErrorCode>(['unavailable', 'timeout', 'connect'])
/** Times in ms. A host sends a comment every 15 s. */
const longestSilence = 45_000
const longestWait = 30_000
const longestRetryAfter = 600_000
const usualPoll = 15_000
const shortestPoll = 1_000

/** Watches a host as `GasClient.watch` promises. Nothing is asked before the first `next`. */
export function watchFees(options: WatchOptions): AsyncIterableIterator<SuggestedGasFees, undefined> {
  const { host, path, clock, random, signal } = options
  const latest = createLatestValue<SuggestedGasFees>()
  const ending = new AbortController()
  let failure: unknown
  let running: Promise<void> | undefined

  function end(why?: unknown): void {
    if (latest.ended) return
    failure = why
    latest.end()
    signal?.removeEventListener('abort', abort)
    ending.abort()
  }

  function abort(): void {
    end(new GasFeesError('aborted', 'the caller aborted the watch', { cause: signal?.reason }))
  }

  async function run(): Promise<void> {
    let follow = stream
    let failures = 0
    while (!latest.ended) {
      try {
        if (!(await follow(() => (failures = 0)))) follow = poll
        else if (follow === stream) await pause(backoff(failures++))
      } catch (thrown) {
        if (latest.ended) return
        if (!(thrown instanceof GasFeesError) || !passing.has(thrown.code)) return end(thrown)
        await pause(Math.max(Math.min(thrown.retryAfterMs ?? 0, longestRetryAfter), backoff(failures++)))
      }
    }
  }

  /** Follows one stream to its end; false if the host has none. */
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
        // Only a stream that lasts counts as success, so that a host that ends each after one event is not asked at once again.
        if (clock.now() - beganAt >= longestWait) onSuccess()
        latest.put(checkedAnswer(parseJson(data, 'JSON in the event'), suggestionSchema))
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

  /** Asks once, passes on a new suggestion, and waits until it can have changed. */
  async function poll(onSuccess: () => void): Promise<boolean> {
    const { value, maxAgeMs = usualPoll } = await host.get(path, ending.signal)
    onSuccess()
    const text = JSON.stringify(value)
    if (text !== last) latest.put(checkedAnswer(value, suggestionSchema))
    last = text
    await pause(Math.min(Math.max(maxAgeMs, shortestPoll), usualPoll))
    return true
  }

  function backoff(failures: number): number {
    return random() * Math.min(longestWait, 500 * 2 ** failures)
  }

  function pause(ms: number): Promise<void> {
    return new Promise((resolve) => void afterOrAbort(clock, ms, ending.signal, () => resolve()))
  }

  signal?.addEventListener('abort', abort, { once: true })
  if (signal?.aborted === true) abort()

  const fees: AsyncIterableIterator<SuggestedGasFees, undefined> = {
    async next() {
      running ??= run()
      const value = await latest.take()
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
