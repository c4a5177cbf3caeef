import type { Clock } from '@wayleave/jsonrpc-core'
import type { FeeAnswer } from '../source/fee-answer.ts'
import type { FeeSource } from '../source/fee-source.ts'
import { createLatestValue } from '../latest-value.ts'

export interface FeeEventsOptions {
  readonly source: FeeSource
  /** The first event. */
  readonly first: FeeAnswer
  readonly clock: Clock
  readonly signal: AbortSignal | undefined
  /** Called once, when the stream is over. */
  readonly onEnd: () => void
}

const heartbeatMs = 15_000

/**
 * Yields a source's answers as server-sent events (HTML Living Standard §9.2), until the source is closed. A slow reader gets the latest
 * one. Leaving the iteration ends it at once, even while a read waits.
 */
export function feeEvents(options: FeeEventsOptions): AsyncIterableIterator<string, undefined> {
  const { source, first, clock, signal, onEnd } = options
  const latest = createLatestValue<FeeAnswer>()
  let leave = (): void => {}
  leave = source.watch((answer) => latest.put(answer), end)
  latest.put(first)
  signal?.addEventListener('abort', end, { once: true })
  if (signal?.aborted === true) end()

  function end(): void {
    if (latest.ended) return
    latest.end()
    leave()
    signal?.removeEventListener('abort', end)
    onEnd()
  }

  const events: AsyncIterableIterator<string, undefined> = {
    async next() {
      const stopHeartbeat = clock.after(heartbeatMs, () => latest.wake())
      const answer = await latest.take()
      stopHeartbeat()
      if (latest.ended) return { done: true, value: undefined }
      return { done: false, value: answer === undefined ? ':\n\n' : printEvent(answer) }
    },
    async return() {
      end()
      return { done: true, value: undefined }
    },
    [Symbol.asyncIterator]: () => events,
  }
  return events
}

function printEvent(answer: FeeAnswer): string {
  const { body } = answer.print('suggestedGasFees')
  return `event: suggestedGasFees\nid: ${answer.blockNumber}\ndata: ${body}\n\n`
}
