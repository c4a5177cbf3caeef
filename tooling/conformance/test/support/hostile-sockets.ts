import { answersTo, closeAfter, frame, messagesAfter, upgrade } from './hostile-connection.ts'
import type { HostileRow } from './hostile-http.ts'

const text = 1
const binary = 2
const continuation = 0
const close = 8
const ping = 9
const pong = 10
const good = '{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}'
const mib = 1024 * 1024

const closed = (what: string, gets: string, ...frames: readonly Uint8Array[]): HostileRow => [
  `socket: ${what}`,
  gets,
  (origin) => closeAfter(origin, ...frames),
]
const answered = (what: string, gets: string, ...frames: readonly Uint8Array[]): HostileRow => [
  `socket: ${what}`,
  gets,
  (origin) => messagesAfter(origin, gets.split(' ').length, ...frames),
]
const handshake = (what: string, gets: string, bytes: string): HostileRow => [
  `handshake: ${what}`,
  gets,
  (origin) => answersTo(origin, bytes),
]
const code = (value: number, reason: string | Uint8Array = ''): Uint8Array =>
  frame(close, Buffer.concat([Buffer.from([value >> 8, value & 255]), Buffer.from(reason)]))

/** Frames that break RFC 6455, or are too much. */
export const sockets: readonly HostileRow[] = [
  closed('unmasked', 'close 1002', frame(text, good, { mask: false })),
  closed('the first reserved bit', 'close 1002', frame(text, good, { rsv: 4 })),
  closed('the second reserved bit', 'close 1002', frame(text, good, { rsv: 2 })),
  closed('the third reserved bit', 'close 1002', frame(text, good, { rsv: 1 })),
  ...[3, 7, 11, 15].map((opcode) => closed(`opcode ${opcode}`, 'close 1002', frame(opcode, 'x'))),
  closed('a continuation of nothing', 'close 1002', frame(continuation, good)),
  closed('a message within a message', 'close 1002', frame(text, '[', { fin: false }), frame(text, good)),
  closed('a ping in fragments', 'close 1002', frame(ping, 'x', { fin: false })),
  closed('a ping of 126 bytes', 'close 1002', frame(ping, 'x'.repeat(126))),
  closed('a close of 126 bytes', 'close 1002', frame(close, 'x'.repeat(126))),
  closed('a close of one byte', 'close 1002', frame(close, 'x')),
  ...[0, 999, 1004, 1005, 1006, 1015, 2999, 5000].map((value) =>
    closed(`close with ${value}`, 'close 1002', code(value)),
  ),
  closed('a close whose reason is no UTF-8', 'close 1007', code(1000, Uint8Array.of(0xff))),
  closed('text that is no UTF-8', 'close 1007', frame(text, Uint8Array.of(0x22, 0xff, 0x22))),
  closed('text cut within a character', 'close 1007', frame(text, Uint8Array.of(0xe2, 0x82))),
  closed('6 MiB in a frame', 'close 1009', frame(text, ' '.repeat(6 * mib))),
  closed('a frame that says it has 9 EB', 'close 1009', frame(text, '', { claimed: 2 ** 53 - 1 })),
  closed(
    '6 MiB in fragments',
    'close 1009',
    frame(text, '', { fin: false }),
    ...Array.from({ length: 96 }, () => frame(continuation, ' '.repeat(65_536), { fin: false })),
  ),
  closed(
    'fragments without end',
    'close 1008',
    frame(text, '[', { fin: false }),
    ...Array.from({ length: 20_000 }, () => frame(continuation, '', { fin: false })),
  ),
  closed('10,000 pings at once', 'cut', Buffer.concat(Array.from({ length: 10_000 }, () => frame(ping, 'x')))),
  closed('a close in order', 'close 1000', code(1000)),
  closed('bytes behind a close', 'close 1000', code(1000), frame(text, good)),
  answered('binary', 'result', frame(binary, good)),
  answered('binary that is no UTF-8', '-32700', frame(binary, Uint8Array.of(0xff))),
  answered('an empty message', '-32700', frame(text)),
  answered('no JSON', '-32700', frame(text, '{')),
  answered('a byte order mark', '-32700', frame(text, `\ufeff${good}`)),
  answered('100,000 levels', '-32700', frame(text, '['.repeat(100_000))),
  answered('1,001 calls in a batch', '-32600', frame(text, `[${`${good},`.repeat(1_000)}${good}]`)),
  answered(
    'pings between fragments',
    'result',
    frame(text, good.slice(0, 9), { fin: false }),
    frame(ping),
    frame(continuation, good.slice(9)),
  ),
  answered(
    '10,000 pongs that nobody asked for',
    'result',
    ...Array.from({ length: 10_000 }, () => frame(pong)),
    frame(text, good),
  ),
  answered('50 pings', 'result', ...Array.from({ length: 50 }, () => frame(ping, 'x'.repeat(125))), frame(text, good)),
  answered(
    'good, then nonsense, then good',
    '-32700 result result',
    frame(text, good),
    frame(text, 'x'),
    frame(text, good),
  ),
]

/** Upgrades that are none. */
export const handshakes: readonly HostileRow[] = [
  handshake('no key', '400 -32600', upgrade({ 'Sec-WebSocket-Key': '' })),
  handshake('a key that is too short', '400 -32600', upgrade({ 'Sec-WebSocket-Key': 'YQ==' })),
  handshake('a key that is no base64', '400 -32600', upgrade({ 'Sec-WebSocket-Key': '!'.repeat(24) })),
  handshake('no version', '400 -32600', upgrade({ 'Sec-WebSocket-Version': '' })),
  handshake('version 7', '400 -32600', upgrade({ 'Sec-WebSocket-Version': '7' })),
  handshake('a POST', '405 -32600', upgrade().replace('GET', 'POST')),
  handshake('an unknown key of a project', '401', upgrade({}, '/ws/v3/nobody')),
  handshake('a path of calls', '404 -32600', upgrade({}, '/v3/nobody')),
  handshake('an unknown network', '404 -32002', upgrade({}, '/constructor/ws/v3/nobody')),
  handshake('a protocol that is broken', '400 -32600', upgrade({ 'Sec-WebSocket-Protocol': ',,' })),
  handshake('no upgrade', '426 -32600', upgrade({ Upgrade: '', Connection: 'close' })),
  handshake('another upgrade', '426 -32600', upgrade({ Upgrade: 'h2c', Connection: 'Upgrade, close' })),
]
