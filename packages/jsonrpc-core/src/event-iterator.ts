import { parseResult } from './ask.ts'
import { RpcError } from './error.ts'
import type { RpcHandler } from './handler.ts'
import { askSubscription, type Gap, parseGap, type SubscribeOptions } from './subscribe.ts'
import type { RawJson } from './wire.ts'

export interface EventIteratorOptions extends SubscribeOptions {
  /** Most events that wait for the reader. Default 1,000. */
  readonly maxBuffered?: number
  /**
   * Called when events were lost, just before the reader gets the first one after them. With it, the oldest events make room
   * when too many wait. Without it, the iteration throws where events were lost, since the loss would go unnoticed.
   */
  readonly onGap?: (gap: Gap) => void
}

/** The events of one subscription, in order. Leaving the loop, `return` or disposal unsubscribes. */
export interface EventIterator<T> extends AsyncIterableIterator<T, undefined> {
  readonly id: string
  return(): Promise<IteratorResult<T, undefined>>
  [Symbol.asyncIterator](): EventIterator<T>
  [Symbol.asyncDispose](): Promise<void>
}

/** An event that waits for its reader; `lost` says why events before it may be missing. */
interface Waiting {
  readonly result: RawJson
  lost: string | undefined
}

/**
 * Opens a subscription whose events are read at the reader's own pace. The caller vouches that results are of type `T`.
 * Events that are buffered at its end are still read; then the iteration throws the error that ended it.
 * @throws RpcError as `subscribe` does; while iterating, `overloaded` where too many events wait.
 */
export async function iterateEvents<T = unknown>(
  handler: RpcHandler,
  method: string,
  params: unknown,
  options: EventIteratorOptions = {},
): Promise<EventIterator<T>> {
  const { maxBuffered = 1_000, onGap } = options
  const subscription = await askSubscription(handler, method, params, options)
  let waiting: Waiting[] = []
  let wake = (): void => {}
  /** The chain of reads: each waits for the one before. */
  let turn: Promise<unknown> = Promise.resolve()
  let lost: string | undefined
  let last: RawJson | undefined
  let ended = false
  let why: RpcError | undefined
  let leave = (): void => {}
  let hasRoom = (): void => {}
  let room: Promise<void> | undefined

  function end(reason?: RpcError): void {
    if (ended) return
    ended = true
    why = reason
    leave()
    wake()
    free()
  }

  function push(result: RawJson): void {
    waiting.push({ result, lost })
    lost = undefined
    if (waiting.length > maxBuffered) {
      const reason = `more than ${maxBuffered} events waited for their reader`
      if (onGap === undefined) {
        waiting.pop()
        return end(new RpcError('overloaded', reason))
      }
      waiting.shift()
      waiting[0]!.lost = reason
    }
    wake()
  }

  /** Tells the source that its events fit again. */
  function free(): void {
    room = undefined
    hasRoom()
  }

  function drained(): Promise<void> {
    if (ended || waiting.length < maxBuffered) return Promise.resolve()
    return (room ??= new Promise((resolve) => (hasRoom = resolve)))
  }

  function next(): Promise<IteratorResult<T, undefined>> {
    const taken = turn.then(take, take)
    turn = taken
    return taken
  }

  async function take(): Promise<IteratorResult<T, undefined>> {
    for (;;) {
      const event = waiting.shift()
      if (room !== undefined && waiting.length <= maxBuffered / 2) free()
      if (event !== undefined) return { done: false, value: read(event) as T }
      if (ended) break
      await new Promise<void>((resolve) => (wake = resolve))
    }
    const thrown = why
    why = undefined
    if (thrown !== undefined) throw thrown
    return { done: true, value: undefined }
  }

  function read({ result, lost: reason }: Waiting): unknown {
    try {
      const value = parseResult(result, method)
      if (reason !== undefined) onGap?.(parseGap({ reason, last, first: result }, method))
      last = result
      return value
    } catch (thrown) {
      drop()
      throw thrown
    }
  }

  /** Ends it when its reader leaves. */
  function drop(): void {
    end()
    waiting = []
    why = undefined
  }

  leave = subscription.open({
    event(_event, result) {
      if (!ended) push(result)
      return waiting.length < maxBuffered
    },
    drained,
    gap({ reason }) {
      if (onGap === undefined) end(new RpcError('disconnected', `events were lost: ${reason}`))
      else lost = reason
    },
    end,
  })
  if (ended) leave()

  const iterator: EventIterator<T> = {
    id: subscription.id,
    next,
    async return() {
      drop()
      return { done: true, value: undefined }
    },
    [Symbol.asyncIterator]: () => iterator,
    [Symbol.asyncDispose]: async () => drop(),
  }
  return iterator
}
