import type { Clock } from '@wayleave/jsonrpc-core'
import type { FeeAnswer } from '../source/fee-answer.ts'
import type { FeeSource } from '../source/fee-source.ts'
import { createNewest } from '../newest.ts'

export interface FeeEventsOptions {
  readonly source: FeeSource
  /** What is told first. */
  readonly first: FeeAnswer
  readonly clock: Clock
  readonly signal: AbortSignal | undefined
  /** Hears once that the stream is over. */
  readonly onEnd: () => void
}

const heartbeatMs = 15_000

/**
 * The answers of a source as server-sent events (HTML Living Standard §9.2). A reader who is slow gets the newest; leaving
 * the iteration ends it at once, also while a read waits.
 */
export function feeEvents(options: FeeEventsOptions): AsyncIterableIterator<string, undefined> {
  const { source, first, clock, signal, onEnd } = options
  const newest = createNewest<FeeAnswer>()
  const leave = source.watch((answer) => newest.put(answer))
  newest.put(first)
  signal?.addEventListener('abort', end, { once: true })
  if (signal?.aborted === true) end()

  function end(): void {
    if (newest.ended) return
    newest.end()
    leave()
    signal?.removeEventListener('abort', end)
    onEnd()
  }

  const events: AsyncIterableIterator<string, undefined> = {
    async next() {
      const stopHeartbeat = clock.after(heartbeatMs, () => newest.wake())
      const answer = await newest.take()
      stopHeartbeat()
      if (newest.ended) return { done: true, value: undefined }
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
