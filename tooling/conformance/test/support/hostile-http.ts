import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { answersTo, path, request } from './hostile-connection.ts'

/** What somebody tries, what he gets, and the try itself. */
export type HostileRow = readonly [what: string, gets: string, attempt: (origin: string) => Promise<string>]

const call = (members: string): string => `{"jsonrpc":"2.0","id":1,"method":"eth_chainId"${members}}`
const good = call('')
const body = (what: string, gets: string, text: string | Uint8Array): HostileRow => [
  `body: ${what}`,
  gets,
  (origin) => answersTo(origin, request(text)),
]
const raw = (what: string, gets: string, ...pieces: readonly (string | Uint8Array)[]): HostileRow => [
  what,
  gets,
  (origin) => answersTo(origin, ...pieces),
]

const deep = 100_000
const nest = (left: string, right: string, inner = ''): string => left.repeat(deep) + inner + right.repeat(deep)
const mib = 1024 * 1024
const parseError = '400 -32700'
const invalid = '200 -32600'
const fine = '200 result'

/** Bodies that are no JSON, or no call. */
export const bodies: readonly HostileRow[] = [
  ...[
    '',
    ' ',
    '{',
    '[',
    '"',
    '{"jsonrpc',
    '{"jsonrpc":',
    '{"jsonrpc":"2.0"',
    '[{"jsonrpc":"2.0"}',
    '[1,',
    'tru',
    '-',
    '1e',
  ].map((text) => body(`cut: ${JSON.stringify(text)}`, parseError, text)),
  ...good
    .split('')
    .flatMap((_char, i) => (i % 9 === 5 ? [body(`a call cut at ${i}`, parseError, good.slice(0, i))] : [])),
  body('a string cut in an escape', parseError, '{"jsonrpc":"2.0","id":"\\u00'),
  body('a comma too many', parseError, call(',')),
  body('something behind the call', parseError, `${good}x`),
  body('two calls in a row', parseError, `${good}${good}`),
  body('a comment', parseError, `/* */${good}`),
  body('single quotes', parseError, good.replaceAll('"', "'")),
  body('NaN', parseError, call(',"params":[NaN]')),
  body('a leading zero', parseError, call(',"params":[01]')),
  body('a raw line break in a string', parseError, call(',"params":["\n"]')),
  body('a raw NUL', parseError, call(',"params":["\0"]')),
  body('NUL bytes alone', parseError, '\0'.repeat(1_000)),
  body('a byte order mark', parseError, `\ufeff${good}`),
  body('UTF-16', parseError, Buffer.from(good, 'utf16le')),
  body('bytes that are no UTF-8', parseError, Buffer.from([0x22, 0xff, 0xfe, 0x22])),
  body('an overlong form', parseError, Buffer.from([0x22, 0xc0, 0x80, 0x22])),
  body('a surrogate in UTF-8', parseError, Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22])),
  body('a character cut in two', parseError, Buffer.from([0x22, 0xe2, 0x82])),
  body('100,000 arrays', parseError, nest('[', ']')),
  body('100,000 arrays that never end', parseError, '['.repeat(deep)),
  body('100,000 objects', parseError, nest('{"a":', '}', '1')),
  body('100,000 of both', parseError, nest('[{"a":', '}]', '1')),
  body('100,000 levels of params', parseError, call(`,"params":${nest('[', ']')}`)),
  body('100,000 levels of an id', parseError, `{"jsonrpc":"2.0","method":"a","id":${nest('[', ']')}}`),
  body(
    '100,000 levels in the second call of a batch',
    parseError,
    `[${good},${call(`,"params":${nest('{"a":', '}', '1')}`)}]`,
  ),
  body('100,000 closing brackets', parseError, ']'.repeat(deep)),
  body('a lone surrogate, escaped', fine, call(',"params":["\\ud800"]')),
  body('a number', invalid, '1'),
  body('null', invalid, 'null'),
  body('a text', invalid, `"${'a'.repeat(100_000)}"`),
  body('no members', invalid, '{}'),
  body('another version', invalid, good.replace('2.0', '1.0')),
  body('a method that is no text', invalid, '{"jsonrpc":"2.0","id":1,"method":{}}'),
  body('params that are a text', '200 -32602', call(',"params":"x"')),
  body('an id that is an object', invalid, '{"jsonrpc":"2.0","id":{},"method":"a"}'),
  body('an id that is true', invalid, '{"jsonrpc":"2.0","id":true,"method":"a"}'),
  body('a doubled id', invalid, call(',"id":2')),
  body('a doubled method', invalid, call(',"method":"eth_sendRawTransaction"')),
  body('a doubled method, once escaped', invalid, call(',"m\\u0065thod":"eth_sendRawTransaction"')),
  body('doubled params', invalid, call(',"params":[],"params":[1]')),
  body('doubled members within params', fine, call(',"params":[{"to":"a","to":"b"}]')),
  body('__proto__ as a method', fine, '{"jsonrpc":"2.0","id":1,"method":"__proto__"}'),
  body('constructor as a method', fine, '{"jsonrpc":"2.0","id":1,"method":"constructor"}'),
  body('__proto__ as a member', fine, call(',"__proto__":{"method":"admin_peers"}')),
  body('__proto__ as a param', fine, call(',"params":[{"__proto__":{"a":1}}]')),
  body('a denied method, escaped', '200 -32601', '{"jsonrpc":"2.0","id":1,"method":"admin\\u005fpeers"}'),
  body('a method of 1 MB', fine, `{"jsonrpc":"2.0","id":1,"method":"${'m'.repeat(1_000_000)}"}`),
  body('an id of 1 MB', fine, `{"jsonrpc":"2.0","id":"${'i'.repeat(1_000_000)}","method":"a"}`),
  body('an id of 100,000 digits', fine, `{"jsonrpc":"2.0","id":${'9'.repeat(deep)},"method":"a"}`),
  body('an id of 1e400', fine, '{"jsonrpc":"2.0","id":1e400,"method":"a"}'),
  body('a param of 100,000 digits', fine, call(`,"params":[${'9'.repeat(deep)}]`)),
  body('100,000 unknown members', fine, call(`,${Array.from({ length: deep }, (_, i) => `"m${i}":1`).join(',')}`)),
  body('an empty batch', invalid, '[]'),
  body('a batch of nothing but nonsense', '200 -32600 -32600 -32600', '[1,null,[]]'),
  body('a batch within a batch', '200 -32600', `[[${good}]]`),
  body('a batch of 1,001', invalid, `[${Array.from({ length: 1_001 }, () => good).join(',')}]`),
  body('a batch of 500,000 numbers', invalid, `[${'1,'.repeat(499_999)}1]`),
  body('a batch of 1,000', '200 1000 results, 0 errors', `[${Array.from({ length: 1_000 }, () => good).join(',')}]`),
  body('5 MiB of spaces', parseError, ' '.repeat(5 * mib)),
  body('6 MiB', '413 -32600', ' '.repeat(6 * mib)),
]

const chunk = (text: string, size = text.length.toString(16)): string => `${size}\r\n${text}\r\n`
const head = (...headers: readonly string[]): string =>
  [`POST ${path} HTTP/1.1`, 'Host: localhost', 'Connection: close', ...headers, '', ''].join('\r\n')
const chunked = 'Transfer-Encoding: chunked'
const length = `Content-Length: ${good.length}`
const bomb = Buffer.alloc(200 * mib, ' ')
const encoded = (encoding: string): string[] => [`Content-Encoding: ${encoding}`]

/** Requests that are no HTTP, or more than one kind of it. */
export const requests: readonly HostileRow[] = [
  raw(
    '6 MiB in chunks, undeclared',
    '413 -32600',
    head(chunked),
    ...Array.from({ length: 96 }, () => chunk(' '.repeat(65_536))),
  ),
  raw('a length of 9 EB', '413 -32600', head('Content-Length: 9007199254740991')),
  raw('a length that is negative', '400', head('Content-Length: -1'), good),
  raw('a length that is no number', '400', head('Content-Length: 0x10'), good),
  raw('a length of 30 digits', '400', head(`Content-Length: ${'9'.repeat(30)}`), good),
  raw('a length that is too short', '400', head('Content-Length: 10'), good),
  raw('two lengths', '400', head(length, 'Content-Length: 5'), good),
  raw('two equal lengths', '400', head(length, length), good),
  raw('a list of lengths', '400', head(`${length}, ${good.length}`), good),
  raw('length and chunks', '400', head(length, chunked), chunk(good), '0\r\n\r\n'),
  raw('chunks and length', '400', head(chunked, length), chunk(good), '0\r\n\r\n'),
  raw('chunks, not last', '400', head('Transfer-Encoding: chunked, identity'), chunk(good), '0\r\n\r\n'),
  raw('an unknown transfer encoding', '400', head('Transfer-Encoding: xchunked'), good),
  raw('chunks twice', '400', head(chunked, chunked), chunk(good), '0\r\n\r\n'),
  raw('a space before the colon', '400', head(`Content-Length : ${good.length}`), good),
  raw('a folded header', '400', head('X-A: b\r\n c'), good),
  raw('a header without a name', '400', head(': b'), good),
  raw('a bare line feed between headers', '400', head(length).replaceAll('\r\n', '\n'), good),
  raw('a bare carriage return in a header', '400', head('X-A: b\rX-B: c'), good),
  raw('a NUL in a header', '400', head('X-A: \0'), good),
  raw('a chunk size that is no number', '400', head(chunked), 'xyz\r\n'),
  raw('a chunk size of 20 digits', '400', head(chunked), `${'f'.repeat(20)}\r\n`),
  raw('a chunk size that is negative', '400', head(chunked), '-1\r\n'),
  raw('a chunk longer than its size', '400', head(chunked), chunk(good, '5'), '0\r\n\r\n'),
  raw('a chunk of 9 EB', '413 -32600', head(chunked), '1fffffffffffff\r\n', ' '.repeat(6 * mib)),
  raw('chunk extensions without end', '413', head(chunked), `1;${'e'.repeat(100_000)}`),
  raw('trailers without end', '431', head(chunked), chunk(good), '0\r\n', `X: ${'a'.repeat(100_000)}\r\n`),
  raw('trailers that are headers', '400', head(chunked), chunk(good), '0\r\nContent-Length: 5\r\nHost: x\r\n\r\n'),
  raw('a gzip bomb', '413 -32600', request(gzipSync(bomb), encoded('gzip'))),
  raw('a deflate bomb', '413 -32600', request(deflateSync(bomb), encoded('deflate'))),
  raw('a brotli bomb', '413 -32600', request(brotliCompressSync(bomb), encoded('br'))),
  raw('a zstd bomb', '413 -32600', request(zstdCompressSync(bomb), encoded('zstd'))),
  raw('gzip that is cut', parseError, request(gzipSync(good).subarray(0, 30), encoded('gzip'))),
  raw('gzip that is none', parseError, request(good, encoded('gzip'))),
  raw('gzip of gzip', parseError, request(gzipSync(gzipSync(good)), encoded('gzip'))),
  raw('an unknown encoding', '415 -32600', request(good, encoded('x'.repeat(1_000)))),
  raw('a list of encodings', '415 -32600', request(good, encoded('gzip, gzip'))),
  raw('3,000 headers', '431', head(...Array.from({ length: 3_000 }, (_, i) => `X-${i}: 1`))),
  raw('a header of 20 kB', '431', head(`X-A: ${'a'.repeat(20_000)}`)),
  // No more than one read takes: of what Node leaves unread TCP makes a reset, which may overtake the answer.
  raw('an endless header', '431', 'POST / HTTP/1.1\r\nX-A: ', 'a'.repeat(60_000)),
  raw('a URL of 20 kB', '431', `POST /${'a'.repeat(20_000)} HTTP/1.1\r\nHost: a\r\n\r\n`),
  raw('a URL of 10 kB', '404 -32600', request(good, [], `/${'a'.repeat(10_000)}`)),
  raw('a key of 10 kB', '401', request(good, [], `/v3/${'a'.repeat(10_000)}`)),
  raw('a path that climbs', '404 -32600', request(good, [], `/../..${path}`)),
  raw('a path that climbs, encoded', '404 -32600', request(good, [], `/%2e%2e/%2e%2e${path}`)),
  raw('a version, encoded', '404 -32600', request(good, [], path.replace('v3', '%763'))),
  raw('a key with an encoded slash', '401', request(good, [], `${path}%2f`)),
  raw('a key with an encoded NUL', '401', request(good, [], `${path}%00`)),
  raw('a percent sign that encodes nothing', '401', request(good, [], `${path}%`)),
  raw('doubled slashes', '404 -32600', request(good, [], `/${path}`)),
  raw('a backslash', '400', request(good, [], path.replaceAll('/', '\\'))),
  raw('__proto__ as a network', '404 -32002', request(good, [], `/__proto__${path}`)),
  raw('constructor as a network', '404 -32002', request(good, [], `/constructor${path}`)),
  raw('__proto__ as a key', '401', request(good, [], '/v3/__proto__')),
  raw('a URL of another host', '404 -32002', request(good, [], `http://nowhere.example.org${path}`)),
  raw('a URL that asks for a proxy', '404 -32600', request(good, [], 'ftp://localhost/')),
  raw('CONNECT', '405 -32600', 'CONNECT localhost:22 HTTP/1.1\r\nHost: localhost\r\n\r\n'),
  raw('TRACE', '405 -32600', `TRACE ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`),
  raw('a method that is none', '400', `GIVE ${path} HTTP/1.1\r\nHost: a\r\n\r\n`),
  raw('a method in lower case', '400', `post ${path} HTTP/1.1\r\nHost: a\r\n\r\n`),
  raw('PUT', '405 -32600', `PUT ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`),
  raw('GET with a body', '405 -32600', Buffer.from(request(good)).toString().replace('POST', 'GET')),
  raw('no version', '400 -32700', `POST ${path}\r\n\r\n`),
  raw('HTTP/0.9', '400 -32700', `POST ${path} HTTP/0.9\r\n\r\n`),
  raw('HTTP/3.0', '400', `POST ${path} HTTP/3.0\r\nHost: a\r\n\r\n`),
  raw('the preface of HTTP/2', '400', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
  raw('an offer of h2c', fine, request(good, ['Upgrade: h2c', 'HTTP2-Settings: AAMAAABkAAQAAP__'])),
  raw('a TLS handshake', '400', Buffer.from('16030100c8010000c40303', 'hex'), Buffer.alloc(300)),
  raw('noise', '400', Buffer.from(Array.from({ length: 5_000 }, (_, i) => (i * 7_919) % 256))),
  raw('no host', '400', `POST ${path} HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}`),
  raw('two hosts', '400 -32600', head('Host: other', length), good),
  raw('a host that is none', fine, head(length).replace('localhost', '!"#$%&/()=?'), good),
  raw('an expectation that nobody meets', '417', head('Expect: miracles', length), good),
  [
    'a flood of 300 calls at once',
    '300 answers: 200 result, or 503 -32005',
    async (origin) => {
      const last = Buffer.from(request(good)).toString()
      const answers = (await answersTo(origin, last.replace('close', 'keep-alive').repeat(299), last)).split(', ')
      const strange = answers.find((answer) => answer !== fine && answer !== '503 -32005')
      return strange ?? `${answers.length} answers: 200 result, or 503 -32005`
    },
  ],
]
