import type { Socket } from 'node:net'
import type { Attack, AttackContext } from '../family.ts'
import { holdConnections } from './hold-connections.ts'

export const opcodes = { continuation: 0, text: 1, ping: 9 } as const

/** Prints a frame under the mask of zeros. */
export function frame(opcode: number, payload: string | Uint8Array, fin = true): Buffer {
  const bytes = Buffer.from(payload)
  const first = (fin ? 0x80 : 0) | opcode
  let head: Buffer
  if (bytes.length < 126) head = Buffer.from([first, 0x80 | bytes.length])
  else if (bytes.length < 65_536) head = Buffer.from([first, 0xfe, bytes.length >> 8, bytes.length & 0xff])
  else {
    head = Buffer.alloc(10)
    head[0] = first
    head[1] = 0xff
    head.writeBigUInt64BE(BigInt(bytes.length), 2)
  }
  return Buffer.concat([head, Buffer.alloc(4), bytes])
}

/** Prints the request for an upgrade. */
export function upgrade(path: string): string {
  const lines = [
    `GET ${path} HTTP/1.1`,
    'Host: localhost',
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
  ]
  return `${lines.join('\r\n')}\r\n\r\n`
}

export interface HoldWebSocketsOptions {
  readonly count: number
  /** Whether what comes after the upgrade is read. Default true. */
  readonly reads?: boolean
  /** Called when the upgrade is done. */
  readonly onOpen: (socket: Socket) => void
  /** Called with what comes later. */
  readonly onData?: (socket: Socket, bytes: Buffer) => void
}

/** Keeps WebSockets open, and replaces those that the gateway closes. */
export function holdWebSockets(context: AttackContext, options: HoldWebSocketsOptions): Attack {
  const { count, reads = true, onOpen, onData } = options
  return holdConnections(context, {
    count,
    perSecond: 100,
    onOpen(socket) {
      socket.write(upgrade(context.webSocketPath))
      socket.once('data', (head: Buffer) => {
        if (head.toString('latin1', 9, 12) !== '101') return
        if (!reads) socket.pause()
        onOpen(socket)
        if (onData !== undefined) socket.on('data', (bytes: Buffer) => onData(socket, bytes))
      })
    },
  })
}

/** Writes `chunk` again and again, as fast as it is taken. */
export function writeForever(context: AttackContext, socket: Socket, chunk: Uint8Array): void {
  const write = (): void => {
    while (!socket.destroyed) {
      context.tally('chunks')
      if (!socket.write(chunk)) return
    }
  }
  socket.on('drain', write)
  write()
}
