import type { Duplex } from 'node:stream'
import type { RawJson } from '@wayleave/jsonrpc-core'
import type { ProjectAccount } from '@wayleave/http-server'
import { headLength, printHead } from './text-frame.ts'

/** A connection that is told events, and the events that it has not been sent. */
export interface EventReader {
  readonly socket: Duplex
  readonly account: Pick<ProjectAccount, 'take' | 'give'>
  /** Bytes that wait for the connection's turn; the account pays for them. */
  unwritten: number
  /** Whether it waits among those who come first. */
  isFirst: boolean
}

/**
 * Writes events to connections of WebSocket (RFC 6455), each connection once a turn, a few connections a turn of the event loop. Those who
 * are told what is urgent come first.
 */
export interface EventWriter {
  /** Prints `prefix`, `result` and `}}` as one text frame. False where the account cannot pay: nothing is written. */
  write(reader: EventReader, prefix: string, result: RawJson): boolean
  /** Writes what waits for a connection at once: before anything that must not wait for its turn. */
  flush(reader: EventReader): void
}

/** Connections that are written to in one turn of the event loop: two milliseconds or so. */
const readersPerTurn = 128
/** Bytes that may wait for the turn of a connection. */
const mostUnwritten = 65_536
/** Results from this length on, in bytes, are written apart, the same bytes for all; shorter ones are copied faster. */
const longResult = 4_096

const nothing = Buffer.alloc(0)

/**
 * Creates a writer. `nextTurn` calls back in the next turn of the event loop. `goesFirst` tells whether those who are told a result are
 * written to before those who wait for others.
 */
export function createEventWriter(
  nextTurn: (run: () => void) => void,
  goesFirst: (result: RawJson) => boolean,
): EventWriter {
  /** Those whose sockets are corked, and some that were flushed since. */
  const waiting: EventReader[] = []
  const first: EventReader[] = []
  let isGoing = false
  /** The result that was encoded last, with the end of its message: an event is told to one after the other. */
  let encoded: { readonly result: RawJson; readonly bytes: Buffer; readonly isUrgent: boolean } | undefined

  function goOn(): void {
    const some = first.splice(0, readersPerTurn)
    for (const reader of some) reader.isFirst = false
    some.push(...waiting.splice(0, readersPerTurn - some.length))
    for (const reader of some) flush(reader)
    isGoing = first.length + waiting.length > 0
    if (isGoing) nextTurn(goOn)
    else encoded = undefined
  }

  function flush(reader: EventReader): void {
    const { socket, account, unwritten } = reader
    if (unwritten === 0) return
    reader.unwritten = 0
    socket.uncork()
    // Most often the system has taken all of it.
    if (socket.destroyed || socket.writableLength === 0) account.give(unwritten)
    else socket.write(nothing, () => account.give(unwritten))
  }

  /** Charges a frame, and corks the socket for its turn. */
  function admit(reader: EventReader, length: number, isUrgent: boolean): boolean {
    if (!reader.account.take(length)) return false
    const isNew = reader.unwritten === 0
    if (isNew) reader.socket.cork()
    if (isUrgent && !reader.isFirst) {
      reader.isFirst = true
      first.push(reader)
    } else if (isNew) waiting.push(reader)
    reader.unwritten += length
    if (!isGoing) nextTurn(goOn)
    isGoing = true
    return true
  }

  return {
    write(reader, prefix, result) {
      if (encoded?.result !== result) {
        encoded = { result, bytes: Buffer.from(`${result.text()}}}`), isUrgent: goesFirst(result) }
      }
      const { bytes, isUrgent } = encoded
      const own = Buffer.byteLength(prefix)
      const length = own + bytes.byteLength
      const at = headLength(length)
      if (!admit(reader, at + length, isUrgent)) return false
      const isLong = bytes.byteLength >= longResult
      const frame = Buffer.allocUnsafe(at + (isLong ? own : length))
      printHead(frame, length)
      frame.write(prefix, at)
      if (!isLong) frame.set(bytes, at + own)
      reader.socket.write(frame)
      if (isLong) reader.socket.write(bytes)
      if (reader.unwritten > mostUnwritten) flush(reader)
      return true
    },
    flush,
  }
}
