import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { key } from './gateway.ts'

/** A caller whose half of the connection stays open, and who says whatever he wants. */
export interface HostileConnection extends Disposable {
  readonly socket: Socket
  /** All that came, byte for byte. */
  readonly text: () => string
  /** Whether the other side has ended. */
  readonly ended: () => boolean
  send(...pieces: readonly (string | Uint8Array)[]): void
  /** Waits until what came matches, or the other side has ended. */
  sees(pattern: RegExp): Promise<string>
  /** Waits until the other side has ended. */
  end(): Promise<string>
}

/** Longest wait of a row, in ms; those that are slow on purpose take a tenth of it. */
const patience = 40_000

export function attack(origin: string): HostileConnection {
  const { hostname, port } = new URL(origin)
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true })
  let text = ''
  let ended = false
  socket.setEncoding('latin1').on('data', (chunk: string) => (text += chunk))
  for (const event of ['end', 'close', 'error']) socket.on(event, () => (ended = true))

  async function until(holds: () => boolean, expected: string): Promise<string> {
    for (const limit = performance.now() + patience; !holds(); await sleep(2)) {
      if (performance.now() > limit) throw new Error(`expected ${expected}, got: ${text.slice(0, 2_000)}`)
    }
    return text
  }

  return {
    socket,
    text: () => text,
    ended: () => ended,
    send(...pieces) {
      for (const piece of pieces) if (!ended) socket.write(piece)
    },
    sees: (pattern) => until(() => ended || pattern.test(text), String(pattern)),
    end: () => until(() => ended, 'an end of the connection'),
    [Symbol.dispose]: () => void socket.destroy(),
  }
}

/** `200 result`, `400 -32700`, `400` of each answer that came, in order. */
export function answersIn(text: string): string {
  return text
    .split(/(?=HTTP\/1\.1 \d{3} )/)
    .filter((part) => part.startsWith('HTTP/1.1 '))
    .map((part) => `${part.slice(9, 12)}${what(part.slice(part.indexOf('\r\n\r\n') + 4))}`)
    .join(', ')
}

function what(body: string): string {
  const codes = [...body.matchAll(/"error":\{"code":(-?\d+)/g)].map(([, code]) => code)
  const results = body.match(/"result":/g)?.length ?? 0
  if (codes.length + results > 4) return ` ${results} results, ${codes.length} errors`
  return [...codes.map((code) => ` ${code}`), ...Array.from({ length: results }, () => ' result')].join('')
}

/** Sends bytes, and tells the answers until the other side ends. */
export async function answersTo(origin: string, ...pieces: readonly (string | Uint8Array)[]): Promise<string> {
  using connection = attack(origin)
  connection.send(...pieces)
  return answersIn(await connection.end())
}

export const path: string = `/v3/${key}`

/** A request of exactly these headers, beside its length. */
export function request(body: string | Uint8Array, headers: readonly string[] = [], target: string = path): Uint8Array {
  const bytes = Buffer.from(body)
  const head = [`POST ${target} HTTP/1.1`, 'Host: localhost', 'Connection: close', ...headers]
  return Buffer.concat([
    Buffer.from([...head, `Content-Length: ${bytes.length}`, '', ''].join('\r\n'), 'latin1'),
    bytes,
  ])
}

/** An upgrade request; `change` replaces or adds headers, and takes away those that it gives nothing. */
export function upgrade(change: Readonly<Record<string, string>> = {}, target: string = `/ws${path}`): string {
  const headers = {
    Host: 'localhost',
    Connection: 'Upgrade',
    Upgrade: 'websocket',
    'Sec-WebSocket-Version': '13',
    'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
    ...change,
  }
  const lines = Object.entries(headers).flatMap(([name, value]) => (value === '' ? [] : [`${name}: ${value}`]))
  return [`GET ${target} HTTP/1.1`, ...lines, '', ''].join('\r\n')
}

export interface FrameOptions {
  readonly fin?: boolean
  readonly mask?: boolean
  readonly rsv?: number
  /** What the frame says its length is. */
  readonly claimed?: number
}

/** One frame as a client sends it; the mask is of zeros, which leaves the payload as it is. */
export function frame(opcode: number, payload: string | Uint8Array = '', options: FrameOptions = {}): Uint8Array {
  const { fin = true, mask = true, rsv = 0 } = options
  const body = Buffer.from(payload)
  const { claimed = body.length } = options
  const length = Buffer.alloc(claimed < 126 ? 1 : claimed < 65_536 ? 3 : 9)
  if (length.length === 3) length.writeUInt16BE(claimed, 1)
  if (length.length === 9) length.writeBigUInt64BE(BigInt(claimed), 1)
  length[0] = (mask ? 0x80 : 0) | (length.length === 1 ? claimed : length.length === 3 ? 126 : 127)
  const first = Buffer.from([(fin ? 0x80 : 0) | (rsv << 4) | opcode])
  return Buffer.concat([first, length, Buffer.alloc(mask ? 4 : 0), body])
}

/** Upgrades, sends frames, and tells how the other side closed: `close 1002`, or `cut`. */
export async function closeAfter(origin: string, ...frames: readonly Uint8Array[]): Promise<string> {
  using connection = attack(origin)
  connection.send(upgrade())
  await connection.sees(/ 101 [^]*\r\n\r\n/)
  connection.send(...frames)
  return closeIn(await connection.end())
}

/** Upgrades, sends frames, and tells the errors and results of the first `count` answers. */
export async function messagesAfter(origin: string, count: number, ...frames: readonly Uint8Array[]): Promise<string> {
  using connection = attack(origin)
  connection.send(upgrade())
  await connection.sees(/ 101 [^]*\r\n\r\n/)
  connection.send(...frames)
  const text = await connection.sees(new RegExp(`(?:"(?:code|result)":[^]*){${count}}`))
  return what(text).trim().split(' ').toSorted().join(' ')
}

function closeIn(text: string): string {
  const at = text.lastIndexOf('\u0088')
  if (at < 0) return 'cut'
  return `close ${Buffer.from(text.slice(at + 2, at + 4), 'latin1').readUInt16BE(0)}`
}
