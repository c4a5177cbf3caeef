import { createHash } from 'node:crypto'
import {
  collectStream,
  createContext,
  createFetchPort,
  createHttpTransport,
  createRpcServer,
  type HttpPort,
  isStream,
  type RawJsonStream,
  RpcError,
  streamAnswers,
} from '@wayleave/jsonrpc-core'
import { describe, expect, it } from 'vitest'
import { eventually, serveHttp, write } from './real-server.ts'
import { bytes, call } from './support.ts'

/** A transport whose peer sends these chunks; a promise among them is waited for. */
function peer(chunks: readonly (string | Promise<string>)[], options: object = {}) {
  const state = { left: false }
  const http: HttpPort = async () => {
    const source = chunks.values()
    const body = {
      async next() {
        const { done, value } = source.next()
        return done === true || state.left
          ? { done: true as const, value: undefined }
          : { done: false as const, value: bytes(await value) }
      },
      async return() {
        state.left = true
        return { done: true as const, value: undefined }
      },
      [Symbol.asyncIterator]: () => body,
    }
    return { status: 200, headers: new Headers(), body }
  }
  return {
    state,
    transport: createHttpTransport({ url: 'http://peer', http, answers: streamAnswers(100), ...options }),
  }
}
const frame = (result: string): string => `{"jsonrpc":"2.0","id":1,"result":${result}}`
const long = `"${'a'.repeat(200)}"`
const streamed = async (transport: ReturnType<typeof peer>['transport']): Promise<RawJsonStream> => {
  const { result } = await transport(call('m'), createContext({ acceptStream: true }))
  if (result === undefined || !isStream(result)) throw new Error('a stream was expected')
  return result
}
const text = async (stream: RawJsonStream): Promise<string> => (await collectStream(stream, 1e9)).text()

describe('a long result', () => {
  it('is a stream only where one is accepted', async () => {
    const { transport } = peer([frame(long)])
    expect(isStream((await transport(call('m'), createContext())).result!)).toBe(false)
    const again = peer([frame(long)])
    expect(await text(await streamed(again.transport))).toBe(long)
  })

  it('is a stream whatever the chunks at its beginning', async () => {
    const whole = frame(long)
    for (let cut = 1; cut < 60; cut++) {
      const { transport } = peer([...whole.slice(0, cut), whole.slice(cut)])
      expect(await text(await streamed(transport))).toBe(long)
    }
  })

  it('with white space before it, or in another order of members, is held and not refused', async () => {
    for (const body of [`{"jsonrpc":"2.0","id":1,"result": ${long}}`, `{"id":1,"jsonrpc":"2.0","result":${long}}`]) {
      const { transport } = peer([body.slice(0, 150), body.slice(150)])
      const { result } = await transport(call('m'), createContext({ acceptStream: true }))
      expect(result !== undefined && !isStream(result) && result.text()).toBe(long)
    }
  })

  it('with the id of another call is refused before a stream is made', async () => {
    const { transport } = peer([`{"jsonrpc":"2.0","id":11,"result":${long}}`])
    await expect(transport(call('m'), createContext({ acceptStream: true }))).rejects.toMatchObject({
      code: 'invalid_response',
    })
  })
})

describe('a stream', () => {
  it('is read once', async () => {
    const { transport } = peer([frame(long)])
    const stream = await streamed(transport)
    await text(stream)
    expect(() => stream[Symbol.asyncIterator]()).toThrowError('read once')
  })

  it('that is cancelled ends its source at once, and its reader as aborted, also while a read waits', async () => {
    let release = (_text: string): void => {}
    const gate = new Promise<string>((resolve) => {
      release = resolve
    })
    const { transport, state } = peer([frame(long).slice(0, 150), gate])
    const stream = await streamed(transport)
    const reader = stream[Symbol.asyncIterator]()
    await reader.next()
    const waits = reader.next()
    stream.cancel()
    expect(state.left).toBe(true)
    release(frame(long).slice(150))
    await expect(waits).rejects.toMatchObject({ code: 'aborted' })
  })

  it('that is cancelled before it is read ends its source and gives nothing', async () => {
    const { transport, state } = peer([frame(long)])
    const stream = await streamed(transport)
    stream.cancel()
    expect(state.left).toBe(true)
    await expect(text(stream)).rejects.toMatchObject({ code: 'aborted' })
  })

  it('whose reader leaves ends its source, also before the first read', async () => {
    for (const reads of [0, 1]) {
      const { transport, state } = peer([frame(long).slice(0, 150), frame(long).slice(150)])
      const reader = (await streamed(transport))[Symbol.asyncIterator]()
      for (let i = 0; i < reads; i++) await reader.next()
      await reader.return?.()
      expect(state.left).toBe(true)
      expect(await reader.next()).toMatchObject({ done: true })
    }
  })

  it.each([
    ['ends within its result', [frame(long).slice(0, 150)], 'disconnected'],
    ['ends before its closing brace', [frame(long).slice(0, -1)], 'disconnected'],
    ['forges a neighbour', [frame(long), ',{"jsonrpc":"2.0","id":2,"result":1}'], 'invalid_response'],
    ['goes on after its frame', [frame(long), '}'], 'invalid_response'],
    [
      'has a second member after the result',
      [`{"jsonrpc":"2.0","id":1,"result":${long},"error":null}`],
      'invalid_response',
    ],
  ])('that %s throws', async (_name, chunks, code) => {
    const { transport, state } = peer(chunks)
    await expect(text(await streamed(transport))).rejects.toMatchObject({ code })
    expect(state.left).toBe(true)
  })

  it('that is collected beyond its cap is too large, and ends its source', async () => {
    const { transport, state } = peer([frame(long).slice(0, 150), frame(long).slice(150)])
    await expect(collectStream(await streamed(transport), 150)).rejects.toMatchObject({ code: 'too_large' })
    expect(state.left).toBe(true)
  })

  it('passes what its source throws as an RpcError', async () => {
    const breaks = Promise.reject(new Error('https://secret'))
    breaks.catch(() => {})
    const { transport } = peer([frame(long).slice(0, 150), breaks])
    const why: unknown = await text(await streamed(transport)).catch((thrown: unknown) => thrown)
    expect(why).toBeInstanceOf(RpcError)
    expect(String((why as RpcError).message)).not.toContain('secret')
  })
})

describe('an answer of 10 MB through a real server', () => {
  const items = 10_000
  const item = `"${'0123456789abcdef'.repeat(64)}"`

  /** A node that writes its answer as fast as it is taken, and counts. */
  async function node() {
    const state = { written: 0, closed: false }
    const { url } = await serveHttp(async (request, response) => {
      let body = ''
      for await (const chunk of request) body += String(chunk)
      response.on('close', () => (state.closed = true))
      response.write(`{"jsonrpc":"2.0","id":${(JSON.parse(body) as { id: number }).id},"result":[`)
      for (let i = 0; i < items && !response.destroyed; i++) {
        const piece = i === 0 ? item : `,${item}`
        state.written += piece.length
        await write(response, piece)
      }
      response.end(']}')
    })
    return { url, state }
  }

  /** A gateway in front of it: transport, server, HTTP. `held` is the most it ever had that its caller had not taken. */
  async function gateway(nodeUrl: string) {
    const state = { pulled: 0, passed: 0, held: 0 }
    const port = createFetchPort()
    const http: HttpPort = async (request, context) => {
      const reply = await port(request, context)
      const source = (reply.body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]()
      const body: AsyncIterator<Uint8Array> = {
        async next() {
          const next = await source.next()
          if (next.done !== true) state.pulled += next.value.byteLength
          state.held = Math.max(state.held, state.pulled - state.passed)
          return next
        },
        return: () => source.return!(),
      }
      return { ...reply, body: { [Symbol.asyncIterator]: () => body } }
    }
    const server = createRpcServer(createHttpTransport({ url: nodeUrl, http, answers: streamAnswers() }))
    const { url } = await serveHttp(async (request, response) => {
      let body = ''
      for await (const chunk of request) body += String(chunk)
      const context = createContext({ acceptStream: true })
      response.on('close', () => {
        if (response.writableFinished) context.release()
        else context.cancel(new RpcError('aborted', 'the caller left'))
      })
      const reply = await server(bytes(body), context)
      try {
        for await (const chunk of reply.body as AsyncIterable<Uint8Array>) {
          state.passed += chunk.byteLength
          await write(response, chunk)
        }
        response.end()
      } catch {
        response.destroy()
      }
    })
    return { url, state }
  }

  const request = { method: 'POST', body: '{"jsonrpc":"2.0","id":"x","method":"debug_traceBlock"}' }

  it('arrives whole while little of it is held', async () => {
    const upstream = await node()
    const { url, state } = await gateway(upstream.url)
    const hash = createHash('sha256')
    let length = 0
    for await (const chunk of (await fetch(url, request)).body!) {
      hash.update(chunk)
      length += chunk.byteLength
    }
    const expected = `{"jsonrpc":"2.0","id":"x","result":[${Array.from({ length: items }, () => item).join(',')}]}`
    expect(length).toBe(expected.length)
    expect(hash.digest('hex')).toBe(createHash('sha256').update(expected).digest('hex'))
    expect(state.pulled).toBeGreaterThan(10_000_000)
    // The bytes read before it was known to be long, and a chunk on the way.
    expect(state.held).toBeLessThan(256_000 + 2 * 65_536 + 1_024)
  })

  it('ends at the node when the caller leaves half-way', async () => {
    const upstream = await node()
    const { url } = await gateway(upstream.url)
    const reader = (await fetch(url, request)).body!.getReader()
    await reader.read()
    await reader.cancel()
    await eventually(() => upstream.state.closed, 'the node is still writing')
  })
})
