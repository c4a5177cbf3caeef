import { createHash } from 'node:crypto'
import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { RunningGateway } from '@wayleave/gateway'
import { describe, expect, it } from 'vitest'
import { httpUrl, startGatewayBefore, wsUrl } from './support/gateway.ts'
import { call, openPost, post } from './support/http.ts'
import { answer, hang, type HttpScript, type Peer, startPeer } from './support/peer.ts'
import { openSocket } from './support/socket.ts'
import { until } from './support/wait.ts'

const megabyte = 1_000_000
const read = call('eth_getLogs', [{}], 7)

/** Pieces of an array of 64 kB texts that differ, as long as `bytes` together. */
function* pieces(bytes: number): Generator<string> {
  let length = 0
  for (let i = 0; length < bytes; i++) {
    const piece = `${i === 0 ? '[' : ','}"${String(i).padStart(64_000, '\\u00e9 {[0')}"`
    length += piece.length
    yield piece
  }
  yield ']'
}

function sha256(...parts: Iterable<string | Buffer>[]): string {
  const hash = createHash('sha256')
  for (const part of parts) for (const piece of part) hash.update(piece)
  return hash.digest('hex')
}

const expectedSha256 = (bytes: number): string => sha256(['{"jsonrpc":"2.0","id":7,"result":'], pieces(bytes), ['}'])

interface Sending {
  /** Bytes that the connection took. */
  written: number
  readonly left: Promise<boolean>
}

/** Sends a long result as fast as it is taken; `left` tells whether it was all taken when the gateway left. */
function sendLong(bytes: number, begun: (sending: Sending) => void): HttpScript {
  return ({ id, response }) => {
    const sending = { written: 0, left: once(response, 'close').then(() => response.writableFinished) }
    begun(sending)
    void write(response, id, bytes, sending)
  }
}

async function write(response: ServerResponse, id: number, bytes: number, sending: Sending): Promise<void> {
  response.writeHead(200, { 'content-type': 'application/json' })
  response.write(`{"jsonrpc":"2.0","id":${id},"result":`)
  for (const piece of pieces(bytes)) {
    sending.written += piece.length
    if (response.write(piece)) continue
    await Promise.race([once(response, 'drain'), sending.left])
    if (response.destroyed) return
  }
  response.end('}')
}

async function startLong(
  bytes: number,
): Promise<{ peer: Peer; gateway: RunningGateway; sendings: Sending[] } & AsyncDisposable> {
  const sendings: Sending[] = []
  const peer = await startPeer(sendLong(bytes, (sending) => sendings.push(sending)))
  const gateway = await startGatewayBefore([peer.httpUrl])
  return {
    peer,
    gateway,
    sendings,
    async [Symbol.asyncDispose]() {
      await gateway.close(0)
      await peer[Symbol.asyncDispose]()
    },
  }
}

/** What a caller sees of an answer: whole, or that its connection broke. */
async function receive(gateway: RunningGateway): Promise<string> {
  return post(httpUrl(gateway), read).then(
    ({ status, text }) => `${status} ${text.length}`,
    () => 'broken',
  )
}

describe('an answer of 10 MB', () => {
  it('comes through byte by byte', async () => {
    await using long = await startLong(10 * megabyte)
    const { status, headers, body } = await post(httpUrl(long.gateway), read)
    expect([status, headers['content-type']]).toEqual([200, 'application/json'])
    expect(sha256([body])).toBe(expectedSha256(10 * megabyte))
  })

  it('comes through to two callers who ask for the same at once', async () => {
    await using long = await startLong(10 * megabyte)
    const replies = await Promise.all([post(httpUrl(long.gateway), read), post(httpUrl(long.gateway), read)])
    for (const { body } of replies) expect(sha256([body])).toBe(expectedSha256(10 * megabyte))
  })

  it('comes through in a batch and over WebSocket', async () => {
    await using long = await startLong(10 * megabyte)
    const { body } = await post(httpUrl(long.gateway), [read])
    expect(sha256([body])).toBe(sha256(['[{"jsonrpc":"2.0","id":7,"result":'], pieces(10 * megabyte), ['}]']))
    await using socket = await openSocket(wsUrl(long.gateway))
    const { result } = await socket.ask('eth_getLogs', [{}])
    expect(sha256([JSON.stringify(result)])).toBe(
      sha256([JSON.stringify(JSON.parse([...pieces(10 * megabyte)].join('')))]),
    )
  })

  it('comes through from an upstream over WebSocket', async () => {
    await using peer = await startPeer(hang, ({ id }, socket) => {
      socket.send(`{"jsonrpc":"2.0","id":${id},"result":${[...pieces(10 * megabyte)].join('')}}`)
    })
    await using gateway = await startGatewayBefore([peer.wsUrl])
    const { body } = await post(httpUrl(gateway), read)
    expect(sha256([body])).toBe(expectedSha256(10 * megabyte))
  })
})

describe('a caller who reads slowly', () => {
  it('holds the upstream back, and gets every byte', { timeout: 90_000 }, async () => {
    const total = 150 * megabyte
    await using long = await startLong(total)
    const request = openPost(httpUrl(long.gateway), read)
    const [response] = (await once(request, 'response')) as [IncomingMessage]
    const [sending] = long.sendings
    let before = -1
    // The buffers of four sockets fill, and then nothing moves.
    while (sending!.written > before) {
      before = sending!.written
      await sleep(400)
    }
    expect(before).toBeLessThan(total / 3)
    const hash = createHash('sha256')
    for await (const chunk of response as AsyncIterable<Buffer>) hash.update(chunk)
    expect(hash.digest('hex')).toBe(expectedSha256(total))
    expect(await sending!.left).toBe(true)
  })
})

describe('a caller who leaves', () => {
  it('ends the request to the upstream in the middle of its answer', async () => {
    await using long = await startLong(150 * megabyte)
    const request = openPost(httpUrl(long.gateway), read)
    const [response] = (await once(request, 'response')) as [IncomingMessage]
    await once(response, 'data')
    response.destroy()
    expect(await long.sendings[0]!.left).toBe(false)
  })

  it('ends the request to the upstream while it reads slowly', async () => {
    await using long = await startLong(150 * megabyte)
    const request = openPost(httpUrl(long.gateway), read)
    const [response] = (await once(request, 'response')) as [IncomingMessage]
    await sleep(500)
    response.destroy()
    expect(await long.sendings[0]!.left).toBe(false)
  })

  it('ends the request to the upstream before it answers', async () => {
    const left: boolean[] = []
    await using peer = await startPeer(
      ({ response }) => void response.on('close', () => left.push(response.writableFinished)),
    )
    await using gateway = await startGatewayBefore([peer.httpUrl])
    const request = openPost(httpUrl(gateway), read)
    request.on('error', () => {})
    await until('the call', () => peer.calls.length === 1)
    request.destroy()
    await until('the upstream to be left', () => left.length === 1)
    expect(left).toEqual([false])
  })

  it('ends the request to the upstream by closing his WebSocket', async () => {
    const left: boolean[] = []
    await using peer = await startPeer(
      ({ response }) => void response.on('close', () => left.push(response.writableFinished)),
    )
    await using gateway = await startGatewayBefore([peer.httpUrl])
    const socket = await openSocket(wsUrl(gateway))
    const reply = socket.ask('eth_getLogs', [{}]).catch(() => 'left')
    await until('the call', () => peer.calls.length === 1)
    socket.socket.terminate()
    expect(await reply).toBe('left')
    await until('the upstream to be left', () => left.length === 1)
  })
})

describe('an upstream that breaks within its answer', () => {
  const begin = (id: number): string => `{"jsonrpc":"2.0","id":${id},"result":`
  const long = [...pieces(3 * megabyte)].join('')

  it.each([1_000, 100_000, 200_000, 1_000_000, 2_900_000])(
    'after %i bytes gives no answer that looks whole',
    async (length) => {
      await using peer = await startPeer(({ id, response }) => {
        response.writeHead(200, { 'content-type': 'application/json' })
        response.write((begin(id) + long).slice(0, length), () =>
          setTimeout(() => response.socket!.resetAndDestroy(), 20),
        )
      })
      await using gateway = await startGatewayBefore([peer.httpUrl])
      expect(await receive(gateway)).toMatch(/^(broken$|502 )/)
    },
  )

  it.each([1_000, 200_000, 1_000_000])(
    'by ending it after %i bytes gives no answer that looks whole',
    async (length) => {
      await using peer = await startPeer(({ id, response }) => void response.end((begin(id) + long).slice(0, length)))
      await using gateway = await startGatewayBefore([peer.httpUrl])
      expect(await receive(gateway)).toMatch(/^(broken$|502 )/)
    },
  )

  it.each([
    ['another member', (id: number) => `${begin(id)}${long},"extra":1}`],
    ['another answer', (id: number) => `${begin(id)}${long}},{"jsonrpc":"2.0","id":8,"result":1}`],
    ['an error', (id: number) => `${begin(id)}${long},"error":{"code":1,"message":""}}`],
    ['a bracket too many', (id: number) => `${begin(id)}${long}]}`],
    ['no value at all', (id: number) => `${begin(id)}${' '.repeat(3 * megabyte)}}`],
    ['no closing brace', (id: number) => `${begin(id)}${long}`],
  ])('by %s gives no answer that looks whole', async (_what, body) => {
    await using peer = await startPeer(({ id, response }) => void response.end(body(id)))
    await using gateway = await startGatewayBefore([peer.httpUrl])
    expect(await receive(gateway)).toMatch(/^(broken$|502 )/)
    peer.http = answer('0x1')
    expect(await receive(gateway)).toMatch(/^200 /)
  })

  it('and hangs there breaks the caller at the deadline', async () => {
    await using peer = await startPeer(({ id, response }) => void response.write((begin(id) + long).slice(0, megabyte)))
    await using gateway = await startGatewayBefore([peer.httpUrl], { limits: { requestTimeoutMs: 500 } })
    expect(await receive(gateway)).toBe('broken')
  })
})
