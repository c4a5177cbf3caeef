import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AdminEvents } from '@wayleave/admin-api'
import type { Clock } from '@wayleave/jsonrpc-core'
import { whenGone } from '@wayleave/http-server'

export interface EventStreamOptions {
  readonly events: AdminEvents
  /** Tells whether the reader may still be told; asked each second. */
  readonly mayStay: () => boolean
  readonly clock: Pick<Clock, 'after'>
}

/** Bytes that may wait for a reader; while they do, nothing more is sent. */
const mostUnsent = 262_144
const lookMs = 1_000
/** Looks between two comments, which keep proxies from ending a quiet stream. */
const looksToComment = 15
/** Looks after which a reader ends who takes nothing. */
const mostStalled = 60

/** Writes a stream of events as the answer, whose head was given, until its reader leaves or may not stay. */
export function serveEvents(
  request: IncomingMessage,
  response: ServerResponse,
  { events, mayStay, clock }: EventStreamOptions,
): void {
  let isOver = false
  let stopEvents = (): void => {}
  let stopLooking = (): void => {}
  let looks = 0
  let stalled = 0
  const hasRoom = (): boolean => response.writableLength < mostUnsent

  function leave(): void {
    if (isOver) return
    isOver = true
    stopLooking()
    stopEvents()
  }

  function end(): void {
    leave()
    response.end()
  }

  function look(): void {
    stalled = hasRoom() ? 0 : stalled + 1
    if (stalled > mostStalled) return void response.destroy()
    if (!mayStay()) return end()
    if (++looks % looksToComment === 0 && hasRoom()) response.write(':\n\n')
    stopLooking = clock.after(lookMs, look)
  }

  response.flushHeaders()
  whenGone(request, response, leave)
  if (isOver) return
  stopLooking = clock.after(lookMs, look)
  const stop = events({
    send(event, data) {
      if (isOver || !hasRoom()) return false
      response.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`)
      return true
    },
    end,
  })
  // It may have ended at once.
  if (isOver) stop()
  else stopEvents = stop
}
