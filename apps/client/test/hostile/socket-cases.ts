import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { WebSocket } from 'ws'
import { apiKey, apiKeySecret } from './http-cases.ts'

/** One call over an open WebSocket, and the TCP socket below for what `ws` would not do. */
interface SocketCall {
  readonly id: number
  readonly socket: WebSocket
  readonly raw: Socket
}

export interface SocketCase {
  readonly what: string
  /** Answers the request to upgrade; default: as it should. */
  readonly upgrade?: (raw: Socket, request: IncomingMessage) => unknown
  /** Answers each call. */
  readonly answer?: (call: SocketCall) => unknown
  readonly outcome:
    | 'value'
    | 'event'
    | 'connect'
    | 'disconnected'
    | 'invalid_response'
    | 'too_large'
    | 'timeout'
    | 'rpc'
  readonly says?: string | RegExp
}

const echoed = `${apiKey} ${apiKeySecret}`
const text = (id: unknown, result = '"0x2a"'): string => `{"jsonrpc":"2.0","id":${id},"result":${result}}`
const push = (id: string, result: string): string =>
  `{"jsonrpc":"2.0","method":"eth_subscription","params":{"subscription":"${id}","result":"${result}"}}`

/** One unmasked frame of up to 65,535 bytes (RFC 6455 §5.2); `first` holds FIN, the reserved bits and the opcode. */
function frame(first: number, payload: Uint8Array | string): Buffer {
  const body = Buffer.from(payload)
  const length = body.byteLength
  const head = length < 126 ? [first, length] : [first, 126, length >> 8, length & 0xff]
  return Buffer.concat([Uint8Array.from(head), body])
}

const acceptOf = (key: string): string =>
  createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64')
const upgraded = (request: IncomingMessage, more = ''): string =>
  `HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: Upgrade\r\nsec-websocket-accept: ${acceptOf(request.headers['sec-websocket-key']!)}\r\n${more}\r\n`
const raw =
  (of: (id: number) => Buffer) =>
  ({ raw: socket, id }: SocketCall): unknown =>
    socket.write(of(id))
const message =
  (of: (id: number) => string) =>
  ({ socket, id }: SocketCall): void =>
    socket.send(of(id))

/** Cases before the connection is open. */
const handshakes: readonly SocketCase[] = [
  {
    what: 'a refusal with 401',
    upgrade: (socket) => socket.end('HTTP/1.1 401 No\r\ncontent-length: 0\r\n\r\n'),
    outcome: 'connect',
    says: 'HTTP status 401',
  },
  {
    what: '200 instead of an upgrade',
    upgrade: (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}'),
    outcome: 'connect',
    says: 'HTTP status 200',
  },
  {
    what: 'a redirect',
    upgrade: (socket) => socket.end('HTTP/1.1 307 Go\r\nlocation: /x\r\ncontent-length: 0\r\n\r\n'),
    outcome: 'connect',
    says: 'HTTP status 307',
  },
  {
    what: 'a wrong proof of the handshake',
    upgrade: (socket, request) => socket.write(upgraded(request).replace(/accept: ../, 'accept: xx')),
    outcome: 'connect',
  },
  {
    what: 'a compression that nobody asked for',
    upgrade: (socket, request) => socket.write(upgraded(request, 'sec-websocket-extensions: permessage-deflate\r\n')),
    outcome: 'connect',
  },
  {
    what: 'a protocol that nobody asked for',
    upgrade: (socket, request) => socket.write(upgraded(request, 'sec-websocket-protocol: x\r\n')),
    outcome: 'connect',
  },
  { what: 'no byte, and a close', upgrade: (socket) => socket.end(), outcome: 'connect' },
  { what: 'another protocol', upgrade: (socket) => socket.end('SSH-2.0-OpenSSH_9.9\r\n'), outcome: 'connect' },
  { what: 'silence instead of an upgrade', upgrade: () => {}, outcome: 'timeout' },
]

/** Frames that break the protocol, or are odd and right. */
const frames: readonly SocketCase[] = [
  {
    what: 'text that is no UTF-8',
    answer: raw(() => frame(0x81, Uint8Array.of(0x22, 0xc3, 0x28, 0x22))),
    outcome: 'invalid_response',
  },
  {
    what: 'a frame that says it is compressed',
    answer: raw((id) => frame(0xc1, text(id))),
    outcome: 'invalid_response',
  },
  { what: 'an unknown kind of frame', answer: raw((id) => frame(0x83, text(id))), outcome: 'invalid_response' },
  { what: 'the middle of no message', answer: raw((id) => frame(0x80, text(id))), outcome: 'invalid_response' },
  {
    what: 'a message in the middle of another',
    answer: raw((id) => Buffer.concat([frame(0x01, '{'), frame(0x81, text(id))])),
    outcome: 'invalid_response',
  },
  { what: 'a masked frame', answer: raw(() => Buffer.of(0x81, 0x81, 0, 0, 0, 0, 0x31)), outcome: 'invalid_response' },
  { what: 'a ping of 200 bytes', answer: raw(() => frame(0x89, 'p'.repeat(200))), outcome: 'invalid_response' },
  { what: 'bytes instead of text', answer: raw((id) => frame(0x82, text(id))), outcome: 'invalid_response' },
  { what: 'a frame of 4 GiB', answer: raw(() => Buffer.of(0x81, 127, 0, 0, 0, 1, 0, 0, 0, 0)), outcome: 'too_large' },
  { what: 'fragments without end', answer: ({ raw: socket }) => fragments(socket), outcome: 'too_large' },
  { what: 'half an answer', answer: message((id) => text(id).slice(0, 20)), outcome: 'invalid_response' },
  {
    what: 'half a frame, and a close',
    answer: ({ raw: socket, id }) => socket.end(frame(0x81, text(id)).subarray(0, 12)),
    outcome: 'disconnected',
  },
  { what: 'fragments of one byte, with pings between them', answer: raw(inFragments), outcome: 'value' },
]

/** Ends, and silence. */
const ends: readonly SocketCase[] = [
  {
    what: 'a close for a reason that repeats the key',
    answer: ({ socket }) => socket.close(1008, `no such key: ${apiKey}`),
    outcome: 'disconnected',
    says: '(1008: no such key: [redacted])',
  },
  {
    what: 'a close by a code that there is not',
    answer: raw(() => frame(0x88, Uint8Array.of(0x03, 0xe7))),
    outcome: 'invalid_response',
  },
  {
    what: 'a reason that is no UTF-8',
    answer: raw(() => frame(0x88, Uint8Array.of(0x03, 0xe8, 0xc3, 0x28))),
    outcome: 'invalid_response',
  },
  { what: 'a reset', answer: ({ raw: socket }) => socket.resetAndDestroy(), outcome: 'disconnected' },
  { what: 'silence', answer: () => {}, outcome: 'timeout' },
]

/** Messages. */
const messages: readonly SocketCase[] = [
  { what: 'the id of another call', answer: message(() => text(987)), outcome: 'timeout' },
  { what: 'its id as a text', answer: message((id) => text(`"${id}"`)), outcome: 'invalid_response' },
  {
    what: 'the same answer twice',
    answer({ socket, id }) {
      socket.send(text(id))
      socket.send(text(id, '"0x1"'))
    },
    outcome: 'value',
  },
  { what: 'an array', answer: message((id) => `[${text(id)}]`), outcome: 'invalid_response' },
  {
    what: 'a result and an error',
    answer: message((id) => text(id).replace('}', ',"error":{"code":1}}')),
    outcome: 'invalid_response',
  },
  {
    what: 'an error without an id',
    answer: message(() => '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"parse error"}}'),
    outcome: 'rpc',
    says: 'parse error',
  },
  {
    what: 'an error of 9.5 MB that repeats key and secret',
    answer: message((id) => {
      const error = JSON.stringify({ code: -32000, message: `${echoed} `.repeat(170_000), data: echoed })
      return `{"jsonrpc":"2.0","id":${id},"error":${error}}`
    }),
    outcome: 'rpc',
    says: '[redacted]',
  },
]

/** Subscriptions; the outcome is their first event. */
const subscriptions: readonly SocketCase[] = [
  {
    what: 'an event before the answer that names its subscription',
    answer({ socket, id }) {
      socket.send(push('0xa', '0x2a'))
      socket.send(text(id, '"0xa"'))
    },
    outcome: 'event',
  },
  {
    what: '2,000 events of nobody before that',
    answer({ socket, id }) {
      for (let i = 0; i < 2_000; i++) socket.send(push('0xb', '0x1'))
      socket.send(push('0xa', '0x2a'))
      socket.send(text(id, '"0xa"'))
    },
    outcome: 'event',
  },
]

export const socketCases: readonly SocketCase[] = [...handshakes, ...frames, ...ends, ...messages, ...subscriptions]

function inFragments(id: number): Buffer {
  const bytes = Array.from(text(id))
  return Buffer.concat(
    bytes.flatMap((byte, i) => {
      const first = (i === 0 ? 0x01 : 0x00) | (i === bytes.length - 1 ? 0x80 : 0x00)
      return [frame(first, byte), frame(0x89, 'ping')]
    }),
  )
}

function fragments(socket: Socket): void {
  socket.write(frame(0x01, '"'))
  const piece = Buffer.concat(Array.from({ length: 16 }, () => frame(0x00, 'a'.repeat(65_000))))
  const more = (): void => {
    while (!socket.destroyed && socket.write(piece));
  }
  socket.on('drain', more)
  more()
}
