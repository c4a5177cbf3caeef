import { type CallKind, firstId, printAnswerHead, printRequest } from '../calls.ts'
import type { Connection, ConnectionEvents, Target } from './connection.ts'
import { textFrame } from './frames.ts'
import { openWebSocket } from './web-socket.ts'

/** Opens a WebSocket with at most one call on it. Each answer is compared with the one expected, byte by byte. */
export async function openSocketConnection(
  target: Target,
  kind: CallKind,
  events: ConnectionEvents,
): Promise<Connection> {
  const expected = Buffer.concat([Buffer.from(printAnswerHead(firstId)), kind.tail])
  const idAt = expected.indexOf(String(firstId))
  let isWaiting = false
  let isOver = false
  const fail = (message: string): void => {
    if (isOver) return
    isOver = true
    socket.destroy()
    events.failed(message)
  }
  const socket = await openWebSocket(target.port, target.webSocketPath, {
    text(payload) {
      if (!isWaiting) return fail('an answer came that no call had asked for')
      if (!payload.equals(expected))
        return fail(`another answer was expected, ${JSON.stringify(payload.toString('latin1', 0, 200))} came`)
      isWaiting = false
      events.answered(connection)
    },
    failed: fail,
  })
  const connection: Connection = {
    send(id) {
      isWaiting = true
      expected.write(String(id), idAt, 'latin1')
      socket.write(textFrame(printRequest(kind, id)))
    },
    close() {
      isOver = true
      socket.destroy()
    },
  }
  return connection
}
