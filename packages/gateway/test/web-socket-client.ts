import { WebSocket } from 'ws'
import { rawConnection, type RawConnection, until, untraced } from './support.ts'

/** A WebSocket client that keeps what comes. */
export interface TestSocket {
  readonly socket: WebSocket
  readonly messages: string[]
  /** Set once the connection has closed. */
  readonly closed: { readonly code: number; readonly reason: string } | undefined
  send(text: string | Buffer): void
  /** The next message that has not been taken. */
  next(): Promise<unknown>
  /** The same without the connection's trace id, which its errors must hold. */
  nextUntraced(): Promise<unknown>
  close(): Promise<number>
}

export async function openSocket(url: string, headers: Record<string, string> = {}): Promise<TestSocket> {
  const socket = new WebSocket(url, { headers })
  const messages: string[] = []
  let closed: TestSocket['closed']
  let traceId: unknown
  let taken = 0
  socket.on('upgrade', ({ headers: own }) => void (traceId = own['x-trace-id']))
  socket.on('message', (data: Buffer) => void messages.push(data.toString()))
  socket.on('close', (code, reason) => (closed = { code, reason: reason.toString() }))
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject))
  socket.on('error', () => {})
  async function next(): Promise<unknown> {
    await until(() => messages.length > taken || closed !== undefined)
    if (messages.length <= taken) throw new Error(`the connection closed: ${JSON.stringify(closed)}`)
    return JSON.parse(messages[taken++]!)
  }
  return {
    socket,
    messages,
    get closed() {
      return closed
    },
    send: (text) => socket.send(text),
    next,
    nextUntraced: async () => untraced(await next(), traceId),
    async close() {
      socket.close()
      await until(() => closed !== undefined)
      return closed!.code
    },
  }
}

/** The text of an upgrade request. */
export function upgrade(path: string, headers: readonly string[] = []): string {
  return [
    `GET ${path} HTTP/1.1`,
    'Host: 127.0.0.1',
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
    ...headers,
    '',
    '',
  ].join('\r\n')
}

/** A frame as a client sends it; `mask` false breaks the protocol. */
export function clientFrame(
  opcode: number,
  payload: string | Buffer,
  options: { fin?: boolean; mask?: boolean; rsv?: number } = {},
): Buffer {
  const { fin = true, mask = true, rsv = 0 } = options
  const body = Buffer.from(payload)
  const head = body.length < 126 ? Buffer.alloc(2) : Buffer.alloc(4)
  head[0] = (fin ? 0x80 : 0) | (rsv << 4) | opcode
  head[1] = (mask ? 0x80 : 0) | Math.min(body.length, 126)
  if (head.length === 4) head.writeUInt16BE(body.length, 2)
  // A mask of zeros leaves the payload as it is.
  return Buffer.concat([head, mask ? Buffer.alloc(4) : Buffer.alloc(0), body])
}

/** A raw connection after its upgrade. */
export async function rawUpgraded(url: string, path: string): Promise<RawConnection> {
  const connection = rawConnection(url.replace('ws:', 'http:'))
  connection.send(upgrade(path))
  await connection.saw(/^HTTP\/1\.1 101 [^]*\r\n\r\n/)
  return connection
}

/** The code of the close frame that the server sent, if it sent one as its last frame. */
export function closeCodeIn(text: string): number | undefined {
  const at = text.lastIndexOf('\u0088')
  return at < 0 || text.length < at + 4 ? undefined : Buffer.from(text.slice(at + 2, at + 4), 'latin1').readUInt16BE(0)
}
