import { brotliCompressSync, gzipSync } from 'node:zlib'
import type { RawPost } from './raw-server.ts'

/** The outcome of a call: `value`, or the code of its error. With several calls in a batch, one for each. */
type Outcome = 'value' | RpcCode | readonly ('value' | RpcCode)[]
type RpcCode = 'connect' | 'disconnected' | 'http_status' | 'invalid_response' | 'too_large' | 'timeout' | 'rpc'

export interface HttpCase {
  readonly what: string
  readonly answer: (post: RawPost) => unknown
  readonly outcome: Outcome
  /** A part of the message. */
  readonly says?: string | RegExp
  /** Calls of one batch. Default: one call, without a batch. */
  readonly batch?: number
  /** Default: `eth_blockNumber`. */
  readonly call?: readonly [method: string, params: readonly unknown[]]
  /** Why nothing better is possible: `fetch` itself refuses what HTTP allows. */
  readonly forbidden?: true
}

/** The key and the secret that no error may show. */
export const apiKey = 'k3y"with/odd+chars&5pace'
export const apiKeySecret = '53cret\\of/the=key+0123456789'

const text = (post: RawPost, result = '"0x2a"'): string => `{"jsonrpc":"2.0","id":${post.ids[0]},"result":${result}}`
const failed = (post: RawPost, error: string, id: unknown = post.ids[0]): string =>
  `{"jsonrpc":"2.0","id":${id},"error":${error}}`

/** Prints a whole answer. */
function print(body: string | Uint8Array, status = '200 OK', headers = 'content-type: application/json'): Buffer {
  const bytes = Buffer.from(body)
  const head = `HTTP/1.1 ${status}\r\n${headers}${headers && '\r\n'}content-length: ${bytes.byteLength}\r\n\r\n`
  return Buffer.concat([Buffer.from(head), bytes])
}
const chunked = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n'

type Answer = HttpCase['answer']
const send =
  (bytes: string | Buffer): Answer =>
  ({ socket }) =>
    socket.write(bytes)
const sendAndEnd =
  (bytes: string | Buffer): Answer =>
  ({ socket }) =>
    socket.end(bytes)
const body =
  (of: (post: RawPost) => string | Uint8Array, status?: string, headers?: string): Answer =>
  (post) =>
    post.socket.write(print(of(post), status, headers))

/** Writes pieces until the other side has gone. */
function forever(head: string, piece: string, everyMs: number): Answer {
  return ({ socket }) => {
    socket.write(head)
    const timer = setInterval(() => socket.write(piece), everyMs)
    socket.on('close', () => clearInterval(timer))
  }
}

/** Writes as fast as it is taken, until the other side has gone. */
const flood =
  (head: string, piece: string): Answer =>
  ({ socket }) => {
    socket.write(head)
    const more = (): void => {
      while (!socket.destroyed && socket.write(piece));
    }
    socket.on('drain', more)
    more()
  }

const each = (post: RawPost, of: (id: number, i: number) => string): string => `[${post.ids.map(of).join(',')}]`
const ok = (id: unknown, i = 0): string => `{"jsonrpc":"2.0","id":${id},"result":"0x${i}"}`
const echoed = `${apiKey} ${apiKeySecret}`

/** Status lines, headers and lengths. */
export const transportCases: readonly HttpCase[] = [
  { what: 'another protocol', answer: sendAndEnd('SSH-2.0-OpenSSH_9.9\r\n'), outcome: 'disconnected' },
  { what: 'a status line without a version', answer: send('200 OK\r\n\r\n'), outcome: 'disconnected' },
  { what: 'HTTP/9.9', answer: send('HTTP/9.9 200 OK\r\n\r\n'), outcome: 'disconnected' },
  { what: 'a status of two digits', answer: send('HTTP/1.1 20 OK\r\n\r\n'), outcome: 'disconnected' },
  { what: 'a status beyond all classes', answer: body(text1, '799 Odd'), outcome: 'http_status' },
  { what: 'a header without a colon', answer: body(text1, '200 OK', 'nothing'), outcome: 'disconnected' },
  { what: 'a header with a zero byte', answer: body(text1, '200 OK', 'x: a\0b'), outcome: 'disconnected' },
  { what: 'a header of 100 kB', answer: body(text1, '200 OK', `x: ${'y'.repeat(100_000)}`), outcome: 'disconnected' },
  {
    what: 'headers without end',
    answer: flood('HTTP/1.1 200 OK\r\n', 'x: y\r\n'.repeat(1_000)),
    outcome: 'disconnected',
  },
  { what: 'no byte, and a close', answer: ({ socket }) => socket.end(), outcome: 'disconnected' },
  { what: 'a reset', answer: ({ socket }) => socket.resetAndDestroy(), outcome: 'disconnected' },
  { what: 'half a status line', answer: sendAndEnd('HTTP/1.1 2'), outcome: 'disconnected' },
  { what: 'half its headers', answer: sendAndEnd('HTTP/1.1 200 OK\r\ncontent-le'), outcome: 'disconnected' },
  {
    what: '100 Continue first',
    answer: (post) => post.socket.write(`HTTP/1.1 100 Continue\r\n\r\n${print(text(post))}`),
    outcome: 'value',
    forbidden: true,
  },
  {
    what: '103 Early Hints first',
    answer: (post) => post.socket.write(`HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n${print(text(post))}`),
    outcome: 'value',
  },
  {
    what: '101 to what nobody asked for',
    answer: send('HTTP/1.1 101 Switching Protocols\r\n\r\n'),
    outcome: 'disconnected',
  },
  { what: '204', answer: send('HTTP/1.1 204 No Content\r\n\r\n'), outcome: 'invalid_response' },
  { what: '304', answer: send('HTTP/1.1 304 Not Modified\r\n\r\n'), outcome: 'http_status' },
  {
    what: 'a length that is too short',
    answer: (post) => post.socket.write(shorter(post)),
    outcome: 'invalid_response',
  },
  {
    what: 'a length that is too long, and a close',
    answer: (post) => post.socket.end(longer(post)),
    outcome: 'disconnected',
  },
  {
    what: 'a length that is too long, and silence',
    answer: (post) => post.socket.write(longer(post)),
    outcome: 'timeout',
  },
  {
    what: 'a negative length',
    answer: send('HTTP/1.1 200 OK\r\ncontent-length: -5\r\n\r\n{}'),
    outcome: 'disconnected',
  },
  {
    what: 'a length in words',
    answer: send('HTTP/1.1 200 OK\r\ncontent-length: ten\r\n\r\n{}'),
    outcome: 'disconnected',
  },
  { what: 'two lengths', answer: body(text1, '200 OK', 'content-length: 7'), outcome: 'disconnected' },
  { what: 'a length and chunks', answer: body(text1, '200 OK', 'transfer-encoding: chunked'), outcome: 'disconnected' },
  { what: 'a chunk size in words', answer: send(`${chunked}ten\r\n{}\r\n0\r\n\r\n`), outcome: 'disconnected' },
  {
    what: 'a chunk size beyond all numbers',
    answer: send(`${chunked}${'f'.repeat(20)}\r\n{}`),
    outcome: 'disconnected',
  },
  { what: 'chunks without the last one', answer: sendAndEnd(`${chunked}2\r\n{"\r\n`), outcome: 'disconnected' },
  { what: 'chunks of one byte', answer: (post) => post.socket.write(inBytes(text(post))), outcome: 'value' },
  {
    what: 'no length, and a close',
    answer: (post) => post.socket.end(`HTTP/1.1 200 OK\r\n\r\n${text(post)}`),
    outcome: 'value',
  },
  { what: 'an empty body', answer: send(print('')), outcome: 'invalid_response' },
  {
    what: 'two answers to one question',
    answer: (post) => post.socket.write(Buffer.concat([print(text(post)), print(ok(post.ids[0]! + 1))])),
    outcome: 'value',
  },
]

/** Packed bodies, and time. */
export const bodyCases: readonly HttpCase[] = [
  { what: 'gzip', answer: body((post) => gzipSync(text(post)), '200 OK', 'content-encoding: gzip'), outcome: 'value' },
  {
    what: 'brotli',
    answer: body((post) => brotliCompressSync(text(post)), '200 OK', 'content-encoding: br'),
    outcome: 'value',
  },
  {
    what: '64 MiB in gzip',
    answer: body(() => bomb, '200 OK', 'content-encoding: gzip'),
    outcome: 'too_large',
  },
  {
    what: 'gzip that breaks off',
    answer: body((post) => gzipSync(text(post)).subarray(0, 30), '200 OK', 'content-encoding: gzip'),
    outcome: 'invalid_response',
  },
  { what: 'gzip that is none', answer: body(text1, '200 OK', 'content-encoding: gzip'), outcome: 'disconnected' },
  {
    what: 'an encoding that nobody knows',
    answer: body(text1, '200 OK', 'content-encoding: x-none'),
    outcome: 'value',
  },
  { what: 'silence', answer: () => {}, outcome: 'timeout' },
  { what: 'headers that drip', answer: forever('HTTP/1.1 200 OK\r\nx: ', 'y', 10), outcome: 'timeout' },
  { what: 'a body that drips', answer: forever(`HTTP/1.1 200 OK\r\n\r\n{`, ' ', 10), outcome: 'timeout' },
  {
    what: 'white space without end',
    answer: flood('HTTP/1.1 200 OK\r\n\r\n', ' '.repeat(65_536)),
    outcome: 'too_large',
  },
  { what: 'a text without end', answer: flood('HTTP/1.1 200 OK\r\n\r\n"', 'a'.repeat(65_536)), outcome: 'too_large' },
  { what: 'a byte order mark', answer: body((post) => `\ufeff${text(post)}`), outcome: 'invalid_response' },
  {
    what: 'bytes that are no UTF-8',
    answer: body(() => Uint8Array.of(0x22, 0xc3, 0x28, 0x22)),
    outcome: 'invalid_response',
  },
  { what: 'UTF-16', answer: body((post) => Buffer.from(text(post), 'utf16le')), outcome: 'invalid_response' },
  { what: 'text/plain', answer: body(text1, '200 OK', 'content-type: text/plain'), outcome: 'value' },
]

/** Statuses with words. */
export const statusCases: readonly HttpCase[] = [
  {
    what: '401 in words',
    answer: body(() => 'invalid project id\n', '401 Unauthorized'),
    outcome: 'http_status',
    says: /: invalid project id$/,
  },
  {
    what: '403 in a page',
    answer: body(() => '<html><title>Forbidden here</title>', '403 No'),
    outcome: 'http_status',
    says: /: Forbidden here$/,
  },
  {
    what: '404 in JSON-RPC, with no id',
    answer: body((post) => failed(post, '{"code":-32002,"message":"unknown network"}', null), '404 No'),
    outcome: 'http_status',
    says: /: unknown network$/,
  },
  {
    what: '404 in JSON-RPC, with the id',
    answer: body((post) => failed(post, '{"code":-32601,"message":"no method"}'), '404 No'),
    outcome: 'rpc',
    says: 'no method',
  },
  { what: '407', answer: body(text1, '407 Proxy Authentication Required'), outcome: 'http_status', forbidden: true },
  {
    what: '500 that repeats key and secret',
    answer: body((post) => `${echoed}\n${post.head}`, '500 No'),
    outcome: 'http_status',
    says: '[redacted]',
  },
  { what: '307 to itself', answer: body(text1, '307 Go', 'location: /'), outcome: 'http_status' },
]

/** Envelopes. */
export const envelopeCases: readonly HttpCase[] = [
  {
    what: 'a member twice',
    answer: body((post) => text(post).replace('}', ',"result":"0x1"}')),
    outcome: 'invalid_response',
  },
  {
    what: 'a member twice, once escaped',
    answer: body((post) => text(post).replace('}', ',"r\\u0065sult":"0x1"}')),
    outcome: 'invalid_response',
  },
  { what: 'version 1.0', answer: body((post) => text(post).replace('2.0', '1.0')), outcome: 'invalid_response' },
  { what: 'the id of another call', answer: body(() => ok(987)), outcome: 'invalid_response' },
  { what: 'its id as a text', answer: body((post) => ok(`"${post.ids[0]}"`)), outcome: 'invalid_response' },
  {
    what: 'a result and an error',
    answer: body((post) => text(post).replace('}', ',"error":{"code":1}}')),
    outcome: 'invalid_response',
  },
  {
    what: 'an error with a text for a code',
    answer: body((post) => failed(post, '{"code":"1","message":"x"}')),
    outcome: 'invalid_response',
  },
  {
    what: 'an error of 9.5 MB that repeats key and secret',
    answer: body((post) =>
      failed(post, JSON.stringify({ code: -32000, message: `${echoed} `.repeat(170_000), data: echoed })),
    ),
    outcome: 'rpc',
    says: '[redacted]',
  },
  {
    what: 'an error in controls and bidi',
    answer: body((post) => failed(post, JSON.stringify({ code: -32000, message: 'a\u001b[31mb\u202ec\u0085' }))),
    outcome: 'rpc',
    says: 'a\\u001b[31mb\\u202ec\\u0085',
  },
  { what: 'two documents', answer: body((post) => text(post) + text(post)), outcome: 'invalid_response' },
  {
    what: 'a result that is no quantity',
    answer: body((post) => text(post, JSON.stringify(echoed))),
    outcome: 'invalid_response',
  },
  {
    what: 'a hash that has toString as a member',
    call: ['eth_getTransactionByHash', [`0x${'ab'.repeat(32)}`]],
    answer: body((post) => text(post, '{"hash":{"toString":1,"valueOf":1}}')),
    outcome: 'invalid_response',
    says: /, got an object$/,
  },
  {
    what: 'a number of nine million digits',
    call: ['eth_getBlockByNumber', ['0x1', false]],
    answer: body((post) => text(post, `{"number":"${'0'.repeat(9_000_000)}1"}`)),
    outcome: 'invalid_response',
    says: /, got "0{77}"…$/,
  },
]

/** Batches of three. */
export const batchCases: readonly HttpCase[] = [
  {
    what: 'a batch without the second answer',
    batch: 3,
    answer: body((post) => `[${ok(post.ids[2], 3)},${ok(post.ids[0], 1)}]`),
    outcome: ['value', 'invalid_response', 'value'],
  },
  {
    what: 'one error for a batch',
    batch: 3,
    answer: body((post) => failed(post, '{"code":-32005,"message":"slow down"}', null)),
    outcome: ['rpc', 'rpc', 'rpc'],
  },
  {
    what: 'a batch with the first answer twice',
    batch: 3,
    answer: body((post) => each(post, (id, i) => (i === 0 ? `${ok(id)},${ok(id)}` : ok(id, i)))),
    outcome: ['invalid_response', 'value', 'value'],
  },
]

function text1(post: RawPost): string {
  return text(post)
}

function shorter(post: RawPost): string {
  return String(print(text(post))).replace(/length: \d+/, 'length: 20')
}

function longer(post: RawPost): string {
  return String(print(text(post))).replace(/length: \d+/, 'length: 2000')
}

function inBytes(whole: string): string {
  return `${chunked}${Array.from(whole, (char) => `1\r\n${char}\r\n`).join('')}0\r\n\r\n`
}

const bomb: Buffer = gzipSync(Buffer.alloc(64 * 1024 * 1024, ' '))
