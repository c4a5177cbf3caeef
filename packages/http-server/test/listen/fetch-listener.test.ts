import type { IncomingMessage, ServerResponse } from 'node:http'
import {
  createFetchListener,
  type FetchListener,
  plainAnswer,
  readBody,
  sendAnswer,
  writeChunks,
} from '@wayleave/http-server'
import { describe, expect, it } from 'vitest'

type Serve = (request: IncomingMessage, response: ServerResponse) => void
const url = 'http://mainnet.example.org:8080/v3/key?a=1'
const post = (body: BodyInit, more: RequestInit = {}): Request =>
  new Request(url, { method: 'POST', body, duplex: 'half', ...more } as RequestInit)

/** Answers with the length of the body. */
const measuring: FetchListener = createFetchListener((request, response) => {
  readBody(
    request,
    request.headers['content-length'],
    1_000_000,
    () => true,
    (body) => {
      const length = typeof body === 'string' ? body : String(body.byteLength)
      sendAnswer(response, plainAnswer(200, length), [])
    },
  )
})

/** What a listener sees of a request. */
async function seen(request: Request, caller?: { remoteAddress: string }): Promise<Partial<IncomingMessage>> {
  let found: Partial<IncomingMessage> = {}
  const serve: Serve = ({ method, url: path, rawHeaders, headers, socket }, response) => {
    found = { method: method!, url: path!, rawHeaders, headers, socket }
    response.end()
  }
  await createFetchListener(serve)(request, caller)
  return found
}

describe('a listener over Request and Response', () => {
  it('gives method, path, query and headers, and the host of the URL where no header names one', async () => {
    const { method, url: path, rawHeaders, headers } = await seen(new Request(url, { headers: { 'X-Api-Key': 'k' } }))
    expect([method, path]).toEqual(['GET', '/v3/key?a=1'])
    expect(rawHeaders).toEqual(['host', 'mainnet.example.org:8080', 'x-api-key', 'k'])
    expect(headers).toEqual({ 'x-api-key': 'k' })
  })

  it('goes by a header that names the host, as behind a server whose URLs do not', async () => {
    const { rawHeaders } = await seen(new Request(url, { headers: { host: 'goerli.example.org' } }))
    expect(rawHeaders).toEqual(['host', 'goerli.example.org'])
  })

  it('shows two hosts and two origins that were joined as two', async () => {
    const { rawHeaders } = await seen(
      new Request(url, { headers: { host: 'a.test, b.test', origin: 'http://a, http://b' } }),
    )
    expect(rawHeaders).toEqual(['host', 'a.test', 'host', 'b.test', 'origin', 'http://a', 'origin', 'http://b'])
  })

  it('knows the address of a caller only where it is told', async () => {
    expect((await seen(new Request(url))).socket!.remoteAddress).toBeUndefined()
    expect((await seen(new Request(url), { remoteAddress: '192.0.2.1' })).socket!.remoteAddress).toBe('192.0.2.1')
  })

  it.each([
    { kind: 'short', request: () => post('hello', { headers: { 'content-length': '5' } }), length: 5 },
    { kind: 'long', request: () => post(new Uint8Array(200_000)), length: 200_000 },
    { kind: 'empty', request: () => post(''), length: 0 },
    { kind: 'streamed', request: () => post(new Blob(['ab', 'cd']).stream()), length: 4 },
  ])('reads a body that is $kind', async ({ request, length }) => {
    expect(await (await measuring(request())).text()).toBe(String(length))
  })

  it('reads no more of a body than its listener takes', async () => {
    let pulled = 0
    const body = new ReadableStream<Uint8Array>(
      {
        pull(controller) {
          pulled += 100_000
          controller.enqueue(new Uint8Array(100_000))
        },
      },
      { highWaterMark: 0 },
    )
    expect(await (await measuring(post(body))).text()).toBe('too_large')
    expect(pulled).toBeLessThan(2_000_000)
  })

  it('sends status, headers and a whole body, but for headers of the connection', async () => {
    const answer = await createFetchListener((_request, response) => {
      response.setHeader('Allow', 'POST')
      response.writeHead(401, ['Content-Type', 'text/plain', 'Connection', 'close', 'Vary', 'Origin']).end('who?')
    })(new Request(url))
    expect(answer.status).toBe(401)
    expect(Object.fromEntries(answer.headers)).toEqual({ allow: 'POST', 'content-type': 'text/plain', vary: 'Origin' })
    expect(await answer.text()).toBe('who?')
  })

  it('sends a body in chunks whose memory the writer uses again', async () => {
    const block = new Uint8Array(4)
    const answer = await createFetchListener((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/plain' })
      for (const text of ['abcd', 'efgh']) {
        block.set(new TextEncoder().encode(text))
        response.write(block)
      }
      response.end()
    })(new Request(url))
    expect(await answer.text()).toBe('abcdefgh')
    const chunks = [new Uint8Array([104, 101]), new Uint8Array([121])]
    const whole = await createFetchListener((_request, response) => writeChunks(response, chunks))(new Request(url))
    expect(await whole.text()).toBe('hey')
  })

  it('has its writer wait for a reader who takes nothing', async () => {
    let response!: ServerResponse
    const answer = await createFetchListener((_request, given) => {
      response = given
      response.writeHead(200, [])
      response.flushHeaders()
    })(new Request(url))
    expect(response.write(new Uint8Array(200_000))).toBe(false)
    const drained = new Promise((resolve) => response.once('drain', resolve))
    const reader = answer.body!.getReader()
    let length = 0
    const reading = (async () => {
      for (let part = await reader.read(); !part.done; part = await reader.read()) length += part.value.byteLength
    })()
    await drained
    expect(length).toBe(200_000)
    response.end('end')
    await reading
    expect(length).toBe(200_003)
  })

  it.each([204, 304])('sends no body with %i', async (status) => {
    const answer = await createFetchListener((_request, response) => {
      response.writeHead(status, [])
      response.end()
    })(new Request(url))
    expect([answer.status, answer.body]).toEqual([status, null])
  })

  it('sends no body to HEAD, and the length of that of GET', async () => {
    const answer = await createFetchListener((_request, response) => {
      sendAnswer(response, plainAnswer(200, 'hello'), [])
    })(new Request(url, { method: 'HEAD' }))
    expect([answer.headers.get('content-length'), await answer.text()]).toEqual(['5', ''])
  })

  it('takes an answer for whole whose server aborts the request once it has the bytes that were announced', async () => {
    const leaving = new AbortController()
    const answer = await createFetchListener((_request, response) => {
      response.writeHead(200, ['Content-Length', '5'])
      response.write('hello')
    })(new Request(url, { signal: leaving.signal }))
    leaving.abort()
    expect(await answer.text()).toBe('hello')
    const broken = new AbortController()
    const short = await createFetchListener((_request, response) => {
      response.writeHead(200, ['Content-Length', '6'])
      response.write('hello')
    })(new Request(url, { signal: broken.signal }))
    broken.abort()
    await expect(short.text()).rejects.toThrow('the answer broke off')
  })

  it('breaks an answer off that its listener destroys, and rejects where none began', async () => {
    const broken = await createFetchListener((_request, response) => {
      response.write('half')
      setImmediate(() => response.destroy())
    })(new Request(url))
    await expect(broken.text()).rejects.toThrow('the answer broke off')
    const never = createFetchListener((_request, response) => void response.destroy())(new Request(url))
    await expect(never).rejects.toThrow('the answer broke off')
  })

  it('lets its listener know that the caller left: by the signal, and by leaving the body', async () => {
    const leaving = new AbortController()
    let isGone = false
    const serve: Serve = (request, response) => {
      response.on('close', () => (isGone = request.socket.destroyed && !response.writableFinished))
    }
    const left = createFetchListener(serve)(new Request(url, { signal: leaving.signal }))
    leaving.abort()
    expect((await left).status).toBe(499)
    await expect.poll(() => isGone).toBe(true)
    let onClose = (_isFinished: boolean): void => {}
    const closed = new Promise<boolean>((resolve) => (onClose = resolve))
    const answer = await createFetchListener((_request, response) => {
      response.on('close', () => onClose(response.writableFinished))
      response.write('half')
    })(new Request(url))
    await answer.body!.cancel()
    expect(await closed).toBe(false)
  })
})
