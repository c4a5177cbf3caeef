import { connect } from 'node:net'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { form, projectOf, serve, tooLarge } from './serve.ts'

const cid = 'Qmf412jQZiuVUtdgnB36FXFX7xg5V6KEbSJ4dpQuhkLyfD'

/** The answer to a request as it stands on the wire, without its date. */
async function wire(port: number, head: string, body = ''): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'connect')
  socket.write(`${head} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: ${body.length}\r\n\r\n${body}`)
  const chunks: Buffer[] = []
  for await (const chunk of socket) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
    .toString()
    .replace(/Date: [^\r]+\r\n/, '')
}

const plain = 'Content-Type: text/plain; charset=utf-8\r\nX-Content-Type-Options: nosniff\r\n'
const cors = 'Access-Control-Expose-Headers: X-Stream-Output, X-Chunked-Output, X-Content-Length\r\n'
const end = (length: number): string => `Content-Length: ${length}\r\nConnection: close\r\n\r\n`

test.each([
  [
    'GET /api/v0/version',
    `405 Method Not Allowed\r\n${plain}Allow: OPTIONS, POST\r\n${cors}${end(25)}405 - Method Not Allowed\n`,
  ],
  ['POST /api/v0/nothing', `404 Not Found\r\n${plain}${cors}${end(19)}404 page not found\n`],
  ['POST /version', `404 Not Found\r\n${plain}${cors}${end(19)}404 page not found\n`],
  ['POST /api/v0/cat', `400 Bad Request\r\n${plain}${cors}${end(34)}argument "ipfs-path" is required\n`],
  [
    `POST /api/v0/cat?arg=${cid}&offset=1&offset=2`,
    `400 Bad Request\r\n${plain}${cors}${end(67)}expected key offset to have only a single value, received [1 2]\n`,
  ],
  ['POST /api/v0/add', `400 Bad Request\r\n${plain}${cors}${end(33)}file argument 'path' is required\n`],
  [
    `POST /api/v0/pin/rm?arg=${cid}`,
    `500 Internal Server Error\r\nContent-Type: application/json\r\nX-Content-Type-Options: nosniff\r\n${cors}${end(75)}{"Message":"not pinned or pinned indirectly","Code":0,"Type":"error"}\n`,
  ],
])('%s is answered to the byte', async (head, expected) => {
  const { port } = await serve()
  const [status, ...rest] = (await wire(port, head)).split('\r\n')
  const [wantedStatus, ...wantedRest] = `HTTP/1.1 ${expected}`.split('\r\n')
  expect(status).toBe(wantedStatus)
  const lengthless = (lines: string[]): string[] => lines.filter((line) => !line.startsWith('Content-Length'))
  expect(lengthless(rest)).toEqual(lengthless(wantedRest))
  expect(rest).toContain(`Content-Length: ${rest.at(-1)!.length}`)
})

test('a target in absolute form is answered as any other', async () => {
  const { port } = await serve()
  expect(await wire(port, 'POST http://anywhere:1/api/v0/version?number=true')).toMatch(/^HTTP\/1.1 200 /)
})

test.each([
  ['cat?arg=nonsense', 'invalid path "nonsense": path does not have enough components'],
  ['cat?arg=', 'invalid path "": path does not have enough components'],
  [`cat?arg=${cid}/../../x`, `invalid path "${cid}/../../x": path does not have enough components`],
  ['cat?arg=/api/v0', 'invalid path "/api/v0": unknown namespace: "api"'],
  ['cat?arg=a%00b', String.raw`invalid path "a\x00b": path does not have enough components`],
  [
    'cat?arg=/ipfs/bad',
    'invalid path "/ipfs/bad": invalid cid: expected one of version 0, or of version 1 in a multibase',
  ],
  ['cat?arg=/ipns/example.org', '"/ipns/example.org": this service resolves no IPNS names'],
  [`cat?arg=${cid}&offset=-1`, 'cannot specify negative offset'],
  [`cat?arg=${cid}&length=-1`, 'cannot specify negative length'],
  [`pin/ls?type=some`, "invalid type 'some', must be one of {direct, indirect, recursive, all}"],
  [`pin/ls?arg=${cid}`, `path '${cid}' is not pinned`],
  [`pin/update?arg=${cid}&arg=${cid}`, "'from' cid was not recursively pinned already"],
  [`get?arg=${cid}&compress=true&compression-level=0`, 'compression level must be between 1 and 9'],
  [`pin/ls?arg=${cid}&arg=nonsense`, 'invalid path "nonsense": path does not have enough components'],
  [`pin/update?arg=${cid}/x&arg=nonsense`, 'invalid path "nonsense": path does not have enough components'],
  [`pin/add?arg=${cid}`, `pin: block was not found locally (offline): ipld: could not find ${cid}`],
  ['id?arg=', 'this service tells of no peer but itself: leave the argument out'],
  [
    'id?arg=12D3KooWFgiwntzfrtR76H2RQEC4wYXkSpzL29Z9ihs4Tpjoe5FK',
    'this service tells of no peer but itself: leave the argument out',
  ],
  [
    `dag/get?arg=${cid}&output-codec=dag-xml`,
    'expected one of raw, dag-pb, dag-cbor, dag-jose, dag-json, json, came codec "dag-xml"',
  ],
])('%s is a 500 whose message says what is wrong', async (path, message) => {
  const { post } = await serve()
  const answer = await post(path)
  expect(answer.status).toBe(500)
  expect(answer.headers['content-type']).toBe('application/json')
  expect(answer.lines).toEqual([{ Message: message, Code: 0, Type: 'error' }])
})

test.each([
  [`cat?arg=${cid}&length=many`, 'could not convert value "many" to type "int64" (for option "-length")\n'],
  [`cat?arg=${cid}&length=`, 'could not convert empty value to type "int64" (for option "-length")\n'],
  [
    `cat?arg=${cid}&length=9223372036854775808`,
    'could not convert value "9223372036854775808" to type "int64" (for option "-length")\n',
  ],
  [`pin/add?arg=${cid}&recursive=yes`, 'could not convert value "yes" to type "bool" (for option "-recursive")\n'],
  [`pin/update?arg=${cid}`, 'argument "to-path" is required\n'],
  [`version?encoding=xml`, 'unsupported encoding: ask for json\n'],
  [`version?timeout=soon`, 'could not read the timeout "soon": expected 10s or 1m30s\n'],
])('%s is a 400 in plain text', async (path, text) => {
  const { post } = await serve()
  const answer = await post(path)
  expect([answer.status, answer.headers['content-type'], answer.text]).toEqual([400, 'text/plain; charset=utf-8', text])
})

test('a project without a billing card may call nothing', async () => {
  const { post } = await serve({ projects: [{ ...projectOf('alice'), hasBillingCard: false }] })
  const answer = await post('version')
  expect([answer.status, answer.text]).toEqual([403, 'billing card required'])
})

test('an error that is none of this package is told to the service, not to the caller', async () => {
  const failure = new Error('password is hunter2')
  const { backend } = await serve()
  const { post, errors } = await serve({
    backend: { ...backend, version: () => Promise.reject(failure) },
  })
  const answer = await post('version')
  expect([answer.status, answer.lines]).toEqual([500, [{ Message: 'internal error', Code: 0, Type: 'error' }]])
  expect(errors).toEqual([failure])
})

test('content that does not come in time is a deadline in the words that clients know', async () => {
  const { backend } = await serve()
  const { post } = await serve({ backend: { ...backend, cat: () => new Promise(() => {}) }, timeoutMs: 5 })
  expect((await post(`cat?arg=${cid}`)).lines).toMatchObject([{ Message: 'context deadline exceeded' }])
  const slow = await serve({ backend: { ...backend, cat: () => new Promise(() => {}) } })
  expect((await slow.post(`cat?arg=${cid}&timeout=5ms`)).lines).toMatchObject([
    { Message: 'context deadline exceeded' },
  ])
})

test('a request beyond the cap is a 413, whether it says its length or not', async () => {
  const { post, ledger } = await serve({ maxRequestBytes: 10_000 })
  const { body, headers } = form({ file: 'x', content: new Uint8Array(20_000) })
  const reported = await post('add', { body, headers })
  expect([reported.status, reported.text]).toEqual([413, tooLarge(10_000)])
  const unreported = await post('add', { body, headers: { ...headers, 'Transfer-Encoding': 'chunked' } })
  expect([unreported.status, unreported.text]).toEqual([413, tooLarge(10_000)])
  expect(await ledger.usage('alice', '')).toMatchObject({ storedBytes: 0n })
})
