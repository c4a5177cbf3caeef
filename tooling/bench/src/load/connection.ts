import { connect } from 'node:net'
import { type CallKind, firstId, printHeadOf, printRequest, tailOf } from '../calls.ts'
import { createResponseReader } from './response-reader.ts'

/** The place where a subject takes calls. */
export interface Target {
  readonly port: number
  readonly path: string
  /** The path of its WebSockets; empty where it has none. */
  readonly webSocketPath: string
}

/** One keep-alive connection with at most one call on it. */
export interface Connection {
  send(id: number): void
  close(): void
}

export interface ConnectionEvents {
  /** Called when the right answer came, all bytes of it. */
  answered(connection: Connection): void
  /** Called when anything else came, or the connection was lost. It is the last event. */
  failed(message: string): void
}

const readBytes = 131_072

/** Connects, and rejects if that fails. Each answer is compared with the one expected, byte by byte. */
export function openConnection(target: Target, kind: CallKind, events: ConnectionEvents): Promise<Connection> {
  const requestLength = printRequest(kind, firstId).length
  const head =
    `POST ${target.path} HTTP/1.1\r\nhost: 127.0.0.1:${target.port}\r\n` +
    `content-type: application/json\r\ncontent-length: ${requestLength}\r\n\r\n`
  const expectedHead = Buffer.from(printHeadOf(kind, firstId))
  // The ids of a batch are always the same.
  const idAt = kind.batch === undefined ? expectedHead.indexOf(String(firstId)) : -1
  const tail = tailOf(kind)
  const length = expectedHead.length + tail.length
  let waiting = false
  let over = false
  let position = 0

  function fail(message: string): void {
    if (over) return
    over = true
    socket.destroy()
    events.failed(message)
  }

  function compare(bytes: Buffer, from: number, to: number): void {
    for (let at = from; at < to && !over;) {
      const inHead = position < expectedHead.length
      const part = inHead ? expectedHead : tail
      const offset = inHead ? position : position - expectedHead.length
      const size = Math.min(to - at, part.length - offset)
      if (size === 0) fail(`an answer of ${length} bytes was expected, a longer one came`)
      else if (bytes.compare(part, offset, offset + size, at, at + size) !== 0) {
        fail(
          `another answer was expected, ${JSON.stringify(bytes.toString('latin1', at, Math.min(to, at + 200)))} came`,
        )
      }
      at += size
      position += size
    }
  }

  function end(status: number): void {
    if (over) return
    if (!waiting) fail('an answer came that no call had asked for')
    else if (status !== 200) fail(`status 200 was expected, ${status} came`)
    else if (position !== length) fail(`an answer of ${length} bytes was expected, ${position} came`)
    else {
      waiting = false
      events.answered(connection)
    }
  }

  const read = createResponseReader({ body: compare, end, fail })
  const socket = connect({
    port: target.port,
    host: '127.0.0.1',
    noDelay: true,
    onread: {
      buffer: Buffer.allocUnsafeSlow(readBytes),
      callback(count, buffer) {
        read((buffer as Buffer).subarray(0, count))
        return true
      },
    },
  })
  const connection: Connection = {
    send(id) {
      waiting = true
      position = 0
      if (idAt >= 0) expectedHead.write(String(id), idAt, 'latin1')
      socket.write(head + printRequest(kind, id), 'latin1')
    },
    close() {
      over = true
      socket.destroy()
    },
  }
  return new Promise((resolve, reject) => {
    socket.once('connect', () => resolve(connection))
    socket.once('error', reject)
    socket.on('error', (error) => fail(error.message))
    socket.on('close', () => fail('the connection was closed'))
  })
}
