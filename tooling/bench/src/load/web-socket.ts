import { connect, type Socket } from 'node:net'
import { createFrameReader, opcodes, pong, printUpgrade } from './frames.ts'

/** The ends of a WebSocket of the load. */
export interface WebSocketEvents {
  /** Called with the payload of each text, valid until the call returns. */
  text(payload: Buffer): void
  /** Called once, when the connection was lost or said goodbye. */
  failed(message: string): void
}

/** Opens a WebSocket that answers pings. Rejects where there is none to be had. */
export async function openWebSocket(port: number, path: string, events: WebSocketEvents): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  let isOpen = false
  const read = createFrameReader((opcode, payload) => {
    if (opcode === opcodes.ping) socket.write(pong)
    else if (opcode === opcodes.close) socket.destroy(new Error(`closed: ${payload.toString('utf8', 2)}`))
    else events.text(payload)
  })
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', () => socket.write(printUpgrade(path)))
    socket.once('data', (answer: Buffer) => {
      const end = answer.indexOf('\r\n\r\n') + 4
      if (answer.toString('latin1', 9, 12) !== '101') return reject(new Error(answer.toString('latin1', 0, end)))
      isOpen = true
      socket.on('data', read)
      if (answer.length > end) read(answer.subarray(end))
      resolve()
    })
    socket.on('error', (error) => (isOpen ? events.failed(error.message) : reject(error)))
    socket.on('close', () => (isOpen ? events.failed('the connection was closed') : reject(new Error('it closed'))))
  })
  return socket
}
