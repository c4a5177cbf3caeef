import type { ServerResponse } from 'node:http'
import { type Clock, closeReasons, type RpcErrorObject, type RpcSession } from '@wayleave/jsonrpc-core'
import type { ProjectAccount } from '@wayleave/http-server'
import { type EventPrinter, printEvent } from '../../events/event-printer.ts'

export interface EventSessionOptions {
  readonly response: ServerResponse
  readonly account: Pick<ProjectAccount, 'take' | 'give' | 'refusal'>
  readonly clock: Clock
  /** How long it may pass no event, in ms; looked at with each comment. */
  readonly idleMs: number
  /** The wait before a reader connects again, in ms. */
  readonly retryMs: number
  /** Completes the error with which it ends. */
  readonly completeError: (error: RpcErrorObject) => RpcErrorObject
}

/** A session of JSON-RPC that writes the events of its one subscription as server-sent events. */
export interface EventSession extends RpcSession {
  /** Writes from now on; the head of the answer was written. */
  begin(printer: EventPrinter): void
  /** Ends with an event that tells why. */
  end(error: RpcErrorObject): void
  /** Ends without a word, as its reader is gone, and gives back what it held; any number of times. */
  leave(): void
}

/** Time between two comments, in ms: proxies take a quiet connection for a dead one after a minute, some after 30 s. */
const beatMs = 15_000
/** Most bytes that its reader has not taken. */
const maxUnsent = 16 * 1024 * 1024
/** Unsent bytes past which the reader is slow. */
const slowBytes = 1024 * 1024
/** How long a reader may take to take the end, in ms. */
const endMs = 5_000

export function createEventSession(options: EventSessionOptions): EventSession {
  const { response, account, clock, idleMs, retryMs, completeError } = options
  const listeners = new Set<() => void>()
  let printer: EventPrinter | undefined
  /** The id that its reader was sent last. */
  let sentId: string | undefined
  let unsent = 0
  let activeAt = clock.now()
  let isOver = false
  let stopBeat = (): void => {}
  /** Those who wait for room. */
  const waiting = new Set<() => void>()

  /** Writes text that can be held; text that cannot ends the stream behind what was written. */
  function write(text: string): boolean {
    if (isOver) return false
    const bytes = Buffer.byteLength(text)
    if (unsent + bytes > maxUnsent) {
      endAt(sentId, { code: -32005, message: 'the events are not read fast enough' })
      return false
    }
    if (!account.take(bytes)) {
      endAt(sentId, account.refusal().rpc!)
      return false
    }
    unsent += bytes
    response.write(text, () => give(bytes))
    return unsent < slowBytes
  }

  function give(bytes: number): void {
    const given = Math.min(bytes, unsent)
    unsent -= given
    account.give(given)
    if (unsent < slowBytes) free()
  }

  function free(): void {
    for (const resolve of waiting) resolve()
    waiting.clear()
  }

  function writeEvents(text: string): boolean {
    if (text === '') return !isOver
    const isTaken = write(text)
    sentId = printer!.id
    activeAt = clock.now()
    return isTaken
  }

  function writeId(): void {
    const { id } = printer!
    if (id === undefined || id === sentId) return
    // Without data it is no event, and moves the place all the same.
    write(`id: ${id}\n\n`)
    sentId = id
  }

  function beat(): void {
    stopBeat = clock.after(beatMs, beat)
    if (clock.now() - activeAt >= idleMs) return end({ code: -32603, message: 'nothing was sent for too long' })
    if (printer!.id === sentId) write(':\n\n')
    else writeId()
  }

  /** `id`: the place up to which all was written. */
  function endAt(id: string | undefined, error: RpcErrorObject): void {
    if (isOver) return
    finish()
    response.end(printEnd(completeError(error), id))
    const stop = clock.after(endMs, () => response.destroy())
    response.on('close', stop)
  }

  function finish(): void {
    isOver = true
    stopBeat()
    free()
    const reported = [...listeners]
    listeners.clear()
    for (const listener of reported) listener()
  }

  function end(error: RpcErrorObject): void {
    endAt(printer?.id, error)
  }

  return {
    subscriptions: new Map(),
    sendEvent: (_method, _subscription, result) => !isOver && writeEvents(printer!.print(result)),
    drained: async () => {
      if (!isOver && unsent >= slowBytes) await new Promise<void>((resolve) => waiting.add(resolve))
    },
    reached(_, { hash, height }) {
      if (isOver || hash === undefined) return
      writeEvents(printer!.reached(hash, height))
      if (sentId === undefined) writeId()
    },
    onClose(listener) {
      if (isOver) listener()
      else listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    close: (reason, text = closeReasons[reason].text) =>
      end({ code: reason === 'quota' ? -32005 : -32603, message: text }),
    begin(made) {
      printer = made
      sentId = made.id
      write(`retry: ${retryMs}\n${sentId === undefined ? '' : `id: ${sentId}\n`}\n`)
      stopBeat = clock.after(beatMs, beat)
    },
    end,
    leave() {
      if (!isOver) finish()
      give(unsent)
    },
  }
}

/** Prints the event that tells why a stream ends, and from where to go on. A browser takes one named `error` for its own. */
export function printEnd(error: RpcErrorObject, id: string | undefined): string {
  return printEvent('end', id, JSON.stringify({ error, lastEventId: id }))
}
