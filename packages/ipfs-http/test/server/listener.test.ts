import { once } from 'node:events'
import { createServer, request as httpRequest, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import type { IpfsBackend } from '../../src/backend.ts'
import { createIpfsHandler, createIpfsListener, createMemoryPinLedger } from '../../src/server/index.ts'
import { fakeClock } from '../fake-clock.ts'
import { boundary, form, localBackend, projectOf, readAnswer, serve, tooLarge } from './serve.ts'

const cid = 'Qmf412jQZiuVUtdgnB36FXFX7xg5V6KEbSJ4dpQuhkLyfD'
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

async function open(port: number, head: string): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {})
  await once(socket, 'connect')
  socket.write(`${head}\r\nHost: x\r\n`)
  return socket
}

/** Content without end, and how many readers have left it. */
function endless(local: IpfsBackend): { backend: IpfsBackend; left: () => number } {
  let left = 0
  const chunk = new Uint8Array(65_536)
  async function* bytes(): AsyncGenerator<Uint8Array> {
    try {
      for (;;) yield chunk
    } finally {
      left++
    }
  }
  const cat: IpfsBackend['cat'] = () => Promise.resolve({ size: 2n ** 40n, bytes: bytes() })
  return { backend: { ...local, cat }, left: () => left }
}

test('a refusal reaches a caller who is still sending, and ends the connection', async () => {
  const { port } = await serve({ maxRequestBytes: 1_000_000 })
  const { headers } = form()
  const sent = httpRequest({ port, host: '127.0.0.1', method: 'POST', path: '/api/v0/add', headers, agent: false })
  sent.on('error', () => {})
  sent.write(`--${boundary}\r\n\r\n\r\n`)
  const answered = new AbortController()
  const response = once(sent, 'response').then(([found]) => {
    answered.abort()
    return readAnswer(found)
  })
  const chunk = new Uint8Array(65_536)
  let bytes = 0
  for (; !answered.signal.aborted; bytes += chunk.length) {
    if (!sent.write(chunk)) await Promise.race([once(sent, 'drain'), response])
    await turn()
  }
  const answer = await response
  expect([answer.status, answer.text, answer.headers.connection]).toEqual([413, tooLarge(1_000_000), 'close'])
  expect(bytes).toBeLessThan(50_000_000)
  sent.destroy()
})

test('an upload that stalls is given up', async () => {
  const clock = fakeClock()
  const { port, ledger } = await serve({ listener: { clock, stallMs: 1_000, lingerMs: 0 } })
  const socket = await open(port, 'POST /api/v0/add HTTP/1.1')
  socket.write(`Content-Type: multipart/form-data; boundary=b\r\nContent-Length: 1000\r\n\r\n--b\r\n\r\nsome`)
  await clock.waiting()
  await turn()
  clock.advance(1_000)
  const [answer] = (await once(socket, 'data')) as [Buffer]
  expect(String(answer)).toMatch(/^HTTP\/1.1 408 /)
  expect(String(answer)).toContain('no byte of the request came for 1000 ms: send it again\n')
  clock.advance(10)
  await once(socket, 'close')
  expect(await ledger.roots({ limit: 9 })).toEqual([])
})

test('readers who take nothing hold a few chunks each, and are left after a while', async () => {
  const readers = 20
  const clock = fakeClock()
  const { backend, left } = endless(await localBackend())
  const handler = createIpfsHandler({ backend, ledger: createMemoryPinLedger() })
  const listener = createIpfsListener(handler, { clock, stallMs: 1_000 })
  const responses: ServerResponse[] = []
  const server = createServer((request, response) => {
    responses.push(response)
    void listener(request, response, projectOf('alice'))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  for (let i = 0; i < readers; i++) {
    const socket = await open((server.address() as AddressInfo).port, `POST /api/v0/cat?arg=${cid} HTTP/1.1`)
    socket.pause()
    socket.write('Content-Length: 0\r\n\r\n')
  }
  // The kernel takes some megabytes of each before it takes no more.
  let taken = -1
  const written = (): number => responses.reduce((sum, { socket }) => sum + (socket?.bytesWritten ?? 0), 0)
  while (clock.pending < readers || taken !== written()) {
    taken = written()
    await turn()
  }
  for (const response of responses) expect(response.writableLength).toBeLessThan(4 * 65_536)
  clock.advance(1_000)
  while (left() < readers) await turn()
  expect(clock.pending).toBe(0)
})

test('a caller who leaves ends the reading of content, and its upload', async () => {
  const { backend, left } = endless(await localBackend())
  const { port, ledger } = await serve({ backend })
  const reader = await open(port, `POST /api/v0/cat?arg=${cid} HTTP/1.1`)
  reader.write('Content-Length: 0\r\n\r\n')
  await once(reader, 'data')
  reader.destroy()
  while (left() < 1) await turn()
  const sender = await open(port, 'POST /api/v0/add HTTP/1.1')
  sender.write(
    'Content-Type: multipart/form-data; boundary=b\r\nContent-Length: 1000\r\n\r\n--b\r\n\r\nsome\r\n--b\r\n',
  )
  await turn()
  sender.destroy()
  await turn()
  expect(await ledger.roots({ limit: 9 })).toEqual([])
})

test('content without chunks, for HTTP/1.0, that breaks off ends the connection instead of looking whole', async () => {
  const local = await localBackend()
  async function* broken(): AsyncGenerator<Uint8Array> {
    yield Buffer.from('begun')
    throw new Error('gone')
  }
  const { port } = await serve({ backend: { ...local, cat: () => Promise.resolve({ size: 9n, bytes: broken() }) } })
  const socket = await open(port, `POST /api/v0/cat?arg=${cid} HTTP/1.0`)
  socket.write('\r\n')
  const [error] = (await once(socket, 'error')) as [NodeJS.ErrnoException]
  expect(error.code).toBe('ECONNRESET')
})

test('a connection is used again after answers, whole and streamed', async () => {
  const { port } = await serve()
  const socket = await open(port, 'POST /api/v0/version HTTP/1.1')
  let text = ''
  socket.on('data', (chunk: Buffer) => void (text += String(chunk)))
  socket.write('Content-Length: 0\r\n\r\n')
  while (!text.includes('}\n')) await turn()
  const { body, headers } = form({ file: 'x', content: 'hello world' })
  socket.write(
    `POST /api/v0/add HTTP/1.1\r\nHost: x\r\nContent-Type: ${headers['Content-Type']}\r\nContent-Length: ${body.length}\r\n\r\n`,
  )
  socket.write(body)
  while (!text.includes(cid)) await turn()
  socket.write(`POST /api/v0/cat?arg=${cid} HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n`)
  while (!text.endsWith('0\r\n\r\n')) await turn()
  expect(text).toContain('hello world')
  expect(text).not.toMatch(/connection: close/i)
  socket.destroy()
})

test('a caller who leaves is noticed while their first bytes are being worked on, with others of theirs unread', async () => {
  const clock = fakeClock()
  const working = Promise.withResolvers<void>()
  const noticed = Promise.withResolvers<number>()
  let read = 0
  const listener = createIpfsListener(
    async ({ body, signal }) => {
      for await (const chunk of body) {
        read += chunk.byteLength
        working.resolve()
        // The work on this chunk has no end of its own.
        await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
        noticed.resolve(read)
      }
      return { status: 200, headers: {}, body: '' }
    },
    { clock },
  )
  const server = createServer((request, response) => void listener(request, response, projectOf('alice')))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const sent = connect((server.address() as AddressInfo).port, '127.0.0.1')
  await once(sent, 'connect')
  const bytes = 1_000_000
  sent.write(`POST /api/v0/add HTTP/1.1\r\nHost: x\r\nContent-Length: ${bytes}\r\n\r\n`)
  await new Promise((resolve) => sent.write(new Uint8Array(bytes), resolve))
  await working.promise
  sent.destroy()
  clock.advance(1_000)
  expect(await noticed.promise).toBeLessThan(200_000)
})
