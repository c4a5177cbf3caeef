// Answers in a coding, which a node may choose where a request names none (RFC 9110 §12.5.3), over real connections.
import { createContext, createHttpTransport, type RpcError, streamAnswers } from '@wayleave/jsonrpc-core'
import { createUndiciPort } from '@wayleave/upstream/node'
import { describe, expect, it, onTestFinished } from 'vitest'
import * as zlib from 'node:zlib'
import { call, rejectionOf, resultOf, startServer, until } from '../support.ts'

type Code = (plain: Buffer) => Buffer

const codings: readonly (readonly [name: string, code: Code])[] = [
  ['gzip', zlib.gzipSync],
  ['X-GZIP', zlib.gzipSync],
  ['deflate', zlib.deflateSync],
  ['deflate', zlib.deflateRawSync],
  ['br', zlib.brotliCompressSync],
  ['identity', (plain) => plain],
  ...(typeof zlib.zstdCompressSync === 'function' ? ([['zstd', zlib.zstdCompressSync]] as const) : []),
]

/** A node that answers with bytes as they are, and their coding. */
async function startNode(coding: string, bytes: Buffer, isChunked = false) {
  const server = await startServer((request, response) => {
    request.resume().on('end', () => {
      response.setHeader('content-encoding', coding)
      if (isChunked) response.write(bytes.subarray(0, 1))
      else response.setHeader('content-length', bytes.length)
      response.end(isChunked ? bytes.subarray(1) : bytes)
    })
  })
  onTestFinished(() => server[Symbol.asyncDispose]())
  return server
}

async function ask(url: string, maxResponseBytes = 26_214_400) {
  const port = createUndiciPort()
  const context = createContext({ timeoutMs: 15_000 })
  onTestFinished(async () => {
    context.release()
    await port.close()
  })
  return createHttpTransport({ url, http: port.http, maxResponseBytes, answers: streamAnswers() })(
    call('eth_getLogs'),
    context,
  )
}

/** Letters that no coding makes short. */
const letters = Array.from({ length: 700_000 }, (_, i) =>
  String.fromCodePoint(97 + ((i * i * 31 + (i >> 3)) % 26)),
).join('')

describe.each(codings)('an answer in the coding %s (%#)', (coding, code) => {
  it.each([1, 50_000, 700_000])('of %i bytes is read as a plain one', async (length) => {
    const result = letters.slice(0, length)
    const bytes = code(Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: 1, result })))
    for (const isChunked of [false, true]) {
      const { url } = await startNode(coding, bytes, isChunked)
      expect(resultOf(await ask(url))).toBe(result)
    }
  })
})

describe('a coded answer', () => {
  it('that is 10 GB when decoded ends at the limit of its reader', async () => {
    const part = zlib.gzipSync(Buffer.alloc(4 * 1024 * 1024, ' '))
    const bomb = Buffer.concat(Array.from({ length: 2_560 }, () => part))
    const { url, open } = await startNode('gzip', bomb)
    globalThis.gc?.()
    const before = process.memoryUsage().arrayBuffers
    const why = (await rejectionOf(ask(url, 8 * 1024 * 1024))) as RpcError
    expect(why.code).toBe('too_large')
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(64 * 1024 * 1024)
    await until(() => open.size === 0)
  })

  it('of few bytes that are many when decoded ends at the limit, too', async () => {
    const { url } = await startNode('br', zlib.brotliCompressSync(Buffer.alloc(16 * 1024 * 1024, ' ')))
    expect(await rejectionOf(ask(url, 1_000_000))).toMatchObject({ code: 'too_large' })
  })

  it('of members without content, one after another, ends soon', async () => {
    const nothing = zlib.gzipSync(Buffer.alloc(0))
    const { url } = await startNode('gzip', Buffer.concat(Array.from({ length: 200_000 }, () => nothing)))
    expect(await rejectionOf(ask(url))).toMatchObject({ code: 'invalid_response' })
  })

  it.each(['utf-8', 'none'])('whose coding is no coding, %s, is read as it came', async (coding) => {
    const { url } = await startNode(coding, Buffer.from('{"jsonrpc":"2.0","id":1,"result":"0x1"}'))
    expect(resultOf(await ask(url))).toBe('0x1')
  })

  it('that cannot be read hides no error status', async () => {
    const server = await startServer((_request, response) => {
      response.writeHead(429, { 'content-encoding': 'gzip', 'retry-after': '7' }).end('slow down')
    })
    onTestFinished(() => server[Symbol.asyncDispose]())
    expect(await rejectionOf(ask(server.url))).toMatchObject({ httpStatus: 429, retryAfterMs: 7_000 })
  })

  it.each([
    [
      'is not in its coding',
      'gzip',
      Buffer.from('{"jsonrpc":"2.0","id":1,"result":"0x1"}'),
      /^the response is not in its coding, gzip$/,
    ],
    [
      'ends before its coding does',
      'gzip',
      zlib.gzipSync(Buffer.alloc(100_000, 'a')).subarray(0, -20),
      /not in its coding, gzip/,
    ],
    ['is in an unknown coding', 'compress', Buffer.from('x'), /expected a response in gzip, .*, got compress$/],
    ['is in a coding with a name of its own making', 'a b"<', Buffer.from('x'), /got another one$/],
  ])('that %s is an invalid response', async (_, coding, bytes, message) => {
    const { url } = await startNode(coding, bytes)
    const why = (await rejectionOf(ask(url))) as RpcError
    expect(why.code).toBe('invalid_response')
    expect(why.message).toMatch(message)
  })
})
