import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import type { RunningGateway } from '@wayleave/gateway'
import { rawJsonFromText, rawJsonFromValue } from '@wayleave/jsonrpc-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  basic,
  closedKey,
  elsewhereKey,
  exchange,
  frame,
  key,
  masked,
  post,
  refusedUrl,
  secret,
  secretRequired,
  send,
  startNode,
  startNodeWith,
  startTestGateway,
  type TestNode,
  reportedBy,
} from '../support.ts'

const long = `"${'x'.repeat(400_000)}"`
let node: TestNode
let gateway: RunningGateway

beforeAll(async () => {
  node = await startNode(async ({ method, params }) => {
    if (method === 'test_error') return { error: { code: 3, message: 'execution reverted', data: '0x08c379a0' } }
    if (method === 'test_long') return { result: rawJsonFromText(long) }
    return { result: rawJsonFromValue({ method, params: params?.value() }) }
  })
  gateway = await startTestGateway([node.url], { limits: { maxBodyBytes: 10_000, maxBatch: 3 } })
})

afterAll(async () => {
  await gateway.close()
  await node.close()
})

const ask = (path: string, body: string | Buffer, headers: Record<string, string> = {}) =>
  send(gateway.rpc, path, { body, headers })
const json = (error: { code: number; message: string }, id: unknown = null) => ({ jsonrpc: '2.0', id, error })

describe('a call', () => {
  it('is answered with the result of the upstream under its own id', async () => {
    const { status, headers, body } = await ask(`/v3/${key}`, frame('eth_call', [{ to: '0x1' }, 'latest'], 'my-id'))
    expect(status).toBe(200)
    expect(headers['content-type']).toBe('application/json')
    expect(headers['content-length']).toBe(String(Buffer.byteLength(body)))
    expect(JSON.parse(body)).toEqual({
      jsonrpc: '2.0',
      id: 'my-id',
      result: { method: 'eth_call', params: [{ to: '0x1' }, 'latest'] },
    })
  })

  it.each(['12345678901234567890', '1.0', '-0', 'null', '"\\u0041"', '""'])(
    'keeps its id %s token for token',
    async (id) => {
      const { body } = await ask(`/v3/${key}`, `{"jsonrpc":"2.0","id":${id},"method":"eth_chainId"}`)
      expect(body).toBe(`{"jsonrpc":"2.0","id":${id},"result":{"method":"eth_chainId"}}`)
    },
  )

  it('that the upstream answers with an error is 200', async () => {
    const { status, body } = await ask(`/v3/${key}`, frame('test_error'))
    expect([status, JSON.parse(body)]).toEqual([
      200,
      { jsonrpc: '2.0', id: 1, error: { code: 3, message: 'execution reverted', data: '0x08c379a0' } },
    ])
  })

  it('with a long answer gets all of it', async () => {
    const { status, body } = await ask(`/v3/${key}`, frame('test_long'))
    expect(status).toBe(200)
    expect(body).toBe(`{"jsonrpc":"2.0","id":1,"result":${long}}`)
  })

  it('may go to a network by its path or by its host', async () => {
    expect((await ask(`/other/v3/${elsewhereKey}`, frame('eth_chainId'))).status).toBe(200)
    expect((await ask(`/v3/${elsewhereKey}`, frame('eth_chainId'), { host: 'other.example.org' })).status).toBe(200)
  })

  it.each(['application/json', 'text/plain', 'application/x-www-form-urlencoded', undefined])(
    'may be of any type, such as %s',
    async (type) => {
      expect(
        (await ask(`/v3/${key}`, frame('eth_chainId'), type === undefined ? {} : { 'content-type': type })).status,
      ).toBe(200)
    },
  )
})

describe('notifications', () => {
  it.each(['{"jsonrpc":"2.0","method":"eth_chainId"}', '[{"jsonrpc":"2.0","method":"eth_chainId"}]'])(
    '%s get 200 and an empty body',
    async (body) => {
      const answer = await ask(`/v3/${key}`, body)
      expect(answer).toMatchObject({
        status: 200,
        body: '',
        headers: { 'content-type': 'application/json', 'content-length': '0' },
      })
    },
  )
})

describe('a protocol error', () => {
  it.each([
    ['', 400, json({ code: -32700, message: 'parse error' })],
    ['{', 400, json({ code: -32700, message: 'parse error' })],
    ['{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}x', 400, json({ code: -32700, message: 'parse error' })],
    ['['.repeat(2_000), 400, json({ code: -32700, message: 'parse error' })],
    ['null', 200, json({ code: -32600, message: 'invalid request' })],
    ['7', 200, json({ code: -32600, message: 'invalid request' })],
    ['{"id":7,"method":"eth_chainId"}', 200, json({ code: -32600, message: 'invalid request' }, 7)],
    ['{"jsonrpc":"2.0","id":{},"method":"eth_chainId"}', 200, json({ code: -32600, message: 'invalid request' })],
    ['{"jsonrpc":"2.0","id":1,"id":2,"method":"eth_chainId"}', 200, undefined],
    ['[]', 200, json({ code: -32600, message: 'empty batch' })],
    [
      `[${'{"jsonrpc":"2.0","id":5,"method":"a"},'.repeat(3)}1]`,
      200,
      [json({ code: -32600, message: 'batch too large' }, 5)],
    ],
  ])('in %j is %d', async (body, status, expected) => {
    const answer = await ask(`/v3/${key}`, body)
    expect(answer.status).toBe(status)
    if (expected === undefined) expect(JSON.parse(answer.body)).toMatchObject({ error: { code: -32600 } })
    else expect(reportedBy(answer)).toEqual(expected)
    expect(answer.headers['content-type']).toBe('application/json')
  })

  it('of bytes that are no UTF-8 is 400', async () => {
    expect((await ask(`/v3/${key}`, Buffer.from([0x22, 0xff, 0x22]))).status).toBe(400)
  })
})

describe('a method', () => {
  it('that is denied does not exist, over HTTP 200', async () => {
    const answer = await ask(`/v3/${key}`, frame('admin_peers'))
    expect([answer.status, reportedBy(answer)]).toEqual([
      200,
      json({ code: -32601, message: 'the method admin_peers does not exist/is not available' }, 1),
    ])
    expect(node.calls).not.toContain('admin_peers')
  })

  it('that needs a connection is not supported', async () => {
    const answer = await ask(`/v3/${key}`, frame('eth_subscribe', ['newHeads']))
    expect([answer.status, reportedBy(answer)]).toEqual([
      200,
      json({ code: -32601, message: 'notifications not supported' }, 1),
    ])
  })
})

describe('a refused caller gets, byte for byte,', () => {
  const refusal = (text: string, realm: string, scheme = 'Basic'): string =>
    [
      'HTTP/1.1 401 Unauthorized',
      'Content-Type: text/plain; charset=utf-8',
      `Content-Length: ${text.length}`,
      'Vary: Origin',
      'X-Content-Type-Options: nosniff',
      'X-Trace-Id: <id>',
      `WWW-Authenticate: ${scheme} realm="${realm}"`,
      'Date: <date>',
      'Connection: close',
      '',
      text,
    ].join('\r\n')

  const unknown = refusal('invalid project id\n', 'Auth failure, invalid project id')
  const wrong = refusal('invalid project id or project secret\n', 'Auth failure, invalid project id or project secret')
  const authorized = (value: string): string[] => ['Host: a', 'Connection: close', `Authorization: ${value}`]

  it.each([
    [
      'without a key',
      '/v3',
      undefined,
      refusal('project id required in the url\n', 'Project ID is required in the URL'),
    ],
    [
      'without a key, behind a network',
      '/other/v3/',
      undefined,
      refusal('project id required in the url\n', 'Project ID is required in the URL'),
    ],
    ['with an unknown key', '/v3/nobody', undefined, unknown],
    ['with a key that cannot be one', '/v3/a%20b', undefined, unknown],
    ['with an unknown key and a secret', '/v3/nobody', authorized(basic('', secret)), unknown],
    ['with a wrong secret', `/v3/${key}`, authorized(basic('', 'wrong')), wrong],
    ['with another user', `/v3/${key}`, authorized(basic('someone', secret)), wrong],
    ['with another scheme', `/v3/${key}`, authorized('Digest abc'), wrong],
    [
      'with a JWT that is none',
      `/v3/${key}`,
      authorized('Bearer abc'),
      refusal('invalid JWT\n', 'Auth failure, invalid JWT", error="invalid_token', 'Bearer'),
    ],
  ])('%s', async (_what, path, headers, expected) => {
    const text = await exchange(gateway.rpc, post(path, frame('eth_chainId'), headers))
    expect(masked(text).replace(/Date: .* GMT/, 'Date: <date>')).toBe(expected)
  })
})

describe('a refused caller who would rather have JSON', () => {
  it.each([
    ['application/json', 'application/json'],
    ['application/json, */*;q=0.5', 'application/json'],
    ['text/plain;q=0.1, application/*', 'application/json'],
    ['*/*', 'text/plain; charset=utf-8'],
    ['application/json, text/plain, */*', 'text/plain; charset=utf-8'],
    ['application/json;q=0', 'text/plain; charset=utf-8'],
    ['text/html', 'text/plain; charset=utf-8'],
  ])('by Accept: %s gets %s', async (accept, type) => {
    const answer = await ask('/v3/nobody', frame('eth_chainId'), { accept })
    expect([answer.status, answer.headers['content-type'], answer.headers['www-authenticate']]).toEqual([
      401,
      type,
      'Basic realm="Auth failure, invalid project id"',
    ])
    if (type === 'application/json')
      expect(reportedBy(answer)).toEqual(json({ code: -32002, message: 'invalid project id' }))
    else expect(answer.body).toBe('invalid project id\n')
  })
})

describe('every answer', () => {
  it.each([
    ['GET', '/healthz'],
    ['GET', '/readyz'],
    ['POST', '/healthz'],
    ['GET', '/nowhere'],
    ['GET', `/ws/v3/${key}`],
    ['OPTIONS', `/v3/${key}`],
    ['GET', `/v3/${key}`],
    ['POST', '/v3/nobody'],
    ['POST', `/v3/${key}`],
    ['GET', '/networks/1/suggestedGasFees'],
    ['GET', '/v1/supportedChainNames'],
    ['OPTIONS', '/v1/supportedChainNames'],
  ])('to %s %s has a trace id of its own, and lets no browser guess its type', async (method, path) => {
    const options = { method, ...(method === 'POST' ? { body: '{}' } : {}) }
    const answers = [await send(gateway.rpc, path, options), await send(gateway.rpc, path, options)]
    const ids = answers.map(({ headers }) => headers['x-trace-id'])
    expect(ids[0]).toMatch(/^[\da-f]{32}$/)
    expect(ids[1]).not.toBe(ids[0])
    expect(answers[0]!.headers['x-content-type-options']).toBe('nosniff')
  })
})

describe('a secret', () => {
  it.each([basic('', secret), basic(key, secret)])('that is right opens the door (%#)', async (authorization) => {
    expect((await ask(`/v3/${key}`, frame('eth_chainId'), { authorization })).status).toBe(200)
  })

  it('that is required and absent is 403', async () => {
    const answer = await ask(`/v3/${closedKey}`, frame('eth_chainId'))
    expect([answer.status, answer.headers['content-type'], reportedBy(answer)]).toEqual([
      403,
      'application/json',
      json({ code: -32002, message: secretRequired }),
    ])
    expect((await ask(`/v3/${closedKey}`, frame('eth_chainId'), { authorization: basic('', secret) })).status).toBe(200)
  })

  it('goes to no upstream, nor does anything else of the caller', async () => {
    await ask(`/v3/${key}`, frame('eth_chainId'), {
      authorization: basic('', secret),
      cookie: 'a=b',
      'x-forwarded-for': '1.2.3.4',
      origin: 'https://dapp',
    })
    expect(Object.keys(node.headers.at(-1)!).toSorted()).toEqual([
      'accept',
      'connection',
      'content-length',
      'content-type',
      'host',
    ])
  })
})

describe('a project', () => {
  it('without the network is 403, with the id of the call', async () => {
    const answer = await ask(`/v3/${elsewhereKey}`, frame('eth_chainId', [], 9))
    expect([answer.status, reportedBy(answer)]).toEqual([
      403,
      json({ code: -32002, message: 'project ID does not have access to mainnet' }, 9),
    ])
  })

  it('without the network gets an error for each call of a batch', async () => {
    const answer = await ask(`/v3/${elsewhereKey}`, `[${frame('a', [], 1)},${frame('b', [], 2)}]`)
    const error = { code: -32002, message: 'project ID does not have access to mainnet' }
    expect([answer.status, reportedBy(answer)]).toEqual([200, [json(error, 1), json(error, 2)]])
  })
})

describe('a path that leads nowhere is 404', () => {
  it.each([
    ['/', json({ code: -32600, message: 'no such path; JSON-RPC is at /v3/<key>, WebSocket at /ws/v3/<key>' })],
    [
      `/v3/${key}/more`,
      json({ code: -32600, message: 'no such path; JSON-RPC is at /v3/<key>, WebSocket at /ws/v3/<key>' }),
    ],
    [`/v4/${key}`, json({ code: -32600, message: 'unknown version "v4"; use v3' })],
    [`/polygon/v3/${key}`, json({ code: -32002, message: 'unknown network "polygon"' })],
    ['/polygon/v3/nobody', json({ code: -32002, message: 'unknown network "polygon"' })],
    ['/<script>"/v3/k', json({ code: -32002, message: 'unknown network "<script>\\""' })],
    [`/__proto__/v3/${key}`, json({ code: -32002, message: 'unknown network "__proto__"' })],
  ])('%s', async (path, body) => {
    const answer = await ask(path, frame('eth_chainId'))
    expect([answer.status, answer.headers['content-type'], reportedBy(answer)]).toEqual([404, 'application/json', body])
  })

  it('and so is a host of an unknown network', async () => {
    const answer = await ask(`/v3/${key}`, frame('eth_chainId'), { host: 'polygon.example.org' })
    expect([answer.status, reportedBy(answer)]).toEqual([
      404,
      json({ code: -32002, message: 'unknown network "polygon"' }),
    ])
  })

  it('and a long name is cut', async () => {
    expect((await ask(`/${'n'.repeat(5_000)}/v3/${key}`, '{}')).body.length).toBeLessThan(300)
  })
})

describe('another method than POST is 405', () => {
  it.each(['GET', 'PUT', 'DELETE', 'PATCH'])('%s', async (method) => {
    const answer = await send(gateway.rpc, `/v3/${key}`, { method })
    expect([answer.status, answer.headers['allow'], reportedBy(answer)]).toEqual([
      405,
      'POST, OPTIONS',
      json({ code: -32600, message: `JSON-RPC is served by POST, not ${method}` }),
    ])
  })

  it('HEAD, without a body', async () => {
    const text = await exchange(gateway.rpc, `HEAD /v3/${key} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`)
    expect(text).toMatch(/^HTTP\/1\.1 405 /)
    expect(text.endsWith('\r\n\r\n')).toBe(true)
  })
})

describe('a body', () => {
  it('of the greatest length is taken', async () => {
    expect(
      (await ask(`/v3/${key}`, frame('eth_chainId', [], 'i'.repeat(10_000 - frame('eth_chainId', [], '').length))))
        .status,
    ).toBe(200)
  })

  it.each(['by its announced length', 'by what comes'])('that is longer %s is 413', async (how) => {
    const body = 'x'.repeat(10_001)
    const text =
      how === 'by what comes'
        ? `POST /v3/${key} HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`
        : post(`/v3/${key}`, body, ['Host: a'])
    const answer = await exchange(gateway.rpc, text)
    expect(answer).toMatch(/^HTTP\/1\.1 413 Payload Too Large\r\n/)
    expect(answer).toMatch(/\r\nConnection: close\r\n/i)
    expect(masked(answer).split('\r\n\r\n')[1]).toBe(
      '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"content length too large (more than 10000)","data":{"traceId":"<id>"}}}\n',
    )
  })

  const encodings = 'gzip, deflate, br, zstd'

  it.each(['x', 'compress', 'gzip, br', 'constructor'])('in the encoding %s is 415', async (encoding) => {
    const answer = await ask(`/v3/${key}`, frame('eth_chainId'), { 'content-encoding': encoding })
    expect([answer.status, answer.headers['accept-encoding'], reportedBy(answer)]).toEqual([
      415,
      encodings,
      json({ code: -32600, message: `send the body in no encoding, or in one of ${encodings}` }),
    ])
  })

  const compressed: readonly (readonly [encoding: string, compress: (text: Buffer) => Buffer])[] = [
    ['gzip', gzipSync],
    ['GZIP', gzipSync],
    ['x-gzip', gzipSync],
    ['deflate', deflateSync],
    ['deflate', deflateRawSync],
    ['br', brotliCompressSync],
    ['zstd', zstdCompressSync],
  ]

  it.each(compressed)('in the encoding %s is read (%#)', async (encoding, compress) => {
    const body = compress(Buffer.from(frame('eth_call', ['é'.repeat(2_000)])))
    const answer = await ask(`/v3/${key}`, body, { 'content-encoding': encoding })
    expect(answer.status).toBe(200)
    expect(JSON.parse(answer.body)).toMatchObject({ result: { params: ['é'.repeat(2_000)] } })
  })

  it.each(compressed)('in the encoding %s that is longer when plain is 413 (%#)', async (encoding, compress) => {
    const fits = compress(Buffer.from(' '.repeat(10_000)))
    expect((await ask(`/v3/${key}`, fits, { 'content-encoding': encoding })).status).toBe(400)
    const bomb = compress(Buffer.alloc(5_000_000, ' '))
    expect(bomb.byteLength).toBeLessThan(10_000)
    const answer = await ask(`/v3/${key}`, bomb, { 'content-encoding': encoding })
    expect([answer.status, reportedBy(answer)]).toEqual([
      413,
      json({ code: -32600, message: 'content length too large (more than 10000)' }),
    ])
  })

  it.each(compressed)('in the encoding %s that is cut, or something else, is 400 (%#)', async (encoding, compress) => {
    const body = compress(Buffer.from(frame('eth_call', ['cut'])))
    for (const broken of [body.subarray(0, body.length - 5), Buffer.alloc(4, 0xff), Buffer.alloc(0)]) {
      const answer = await ask(`/v3/${key}`, broken, { 'content-encoding': encoding })
      expect([answer.status, reportedBy(answer)]).toEqual([
        400,
        json({ code: -32700, message: `parse error: the body is no whole ${encoding}` }),
      ])
    }
  })

  it('in no encoding is taken', async () => {
    expect((await ask(`/v3/${key}`, frame('eth_chainId'), { 'content-encoding': 'identity' })).status).toBe(200)
  })
})

describe('a browser', () => {
  const headers = {
    origin: 'https://dapp.example',
    'access-control-request-method': 'POST',
    'access-control-request-headers': 'content-type,authorization',
  }

  it.each([`/v3/${key}`, '/v3/nobody', '/v3', `/v3/${closedKey}`, '/polygon/v3/k'])(
    'may ask before it calls %s, without credentials',
    async (path) => {
      const answer = await send(gateway.rpc, path, { method: 'OPTIONS', headers })
      expect(answer).toMatchObject({
        status: 204,
        body: '',
        headers: {
          vary: 'Origin, Access-Control-Request-Method, Access-Control-Request-Headers',
          'access-control-allow-origin': 'https://dapp.example',
          'access-control-allow-methods': 'POST, OPTIONS',
          'access-control-allow-headers':
            'Content-Type, Authorization, X-Api-Key, User-Agent, Infura-Source, X-Client-Id, X-Wayleave-Marks, X-Wayleave-Consistency, X-Wayleave-Skip-Cache, Traceparent, Tracestate, Baggage, Sentry-Trace',
        },
      })
    },
  )

  it.each([
    [`/v3/${key}`, 200],
    ['/v3/nobody', 401],
    [`/v3/${closedKey}`, 403],
    ['/polygon/v3/k', 404],
    ['/nowhere', 404],
  ])('reads the answer of %s, whatever it is, as its origin is echoed', async (path, status) => {
    const answer = await ask(path, frame('eth_chainId'), { origin: 'https://dapp.example' })
    expect(answer.status).toBe(status)
    expect(answer.headers).toMatchObject({
      'access-control-allow-origin': 'https://dapp.example',
      'access-control-expose-headers':
        'X-Trace-Id, Retry-After, RateLimit-Policy, RateLimit, X-Wayleave-Derived-From, X-Wayleave-Adapted-From, X-Wayleave-Upstream, X-Wayleave-Attempts, X-Wayleave-Block, X-Wayleave-Cache, X-Wayleave-Verified',
      vary: 'Origin',
    })
  })

  it('is told nothing about origins where it names none', async () => {
    const { headers: own } = await ask(`/v3/${key}`, frame('eth_chainId'))
    expect(own).not.toHaveProperty('access-control-allow-origin')
    expect(own['vary']).toBe('Origin')
  })
})

describe('a trace id', () => {
  it('comes with every answer to a call, and is never the same', async () => {
    const paths = [
      `/v3/${key}`,
      `/v3/${key}`,
      '/v3',
      '/v3/nobody',
      `/v3/${closedKey}`,
      `/v3/${elsewhereKey}`,
      '/polygon/v3/k',
    ]
    const answers = await Promise.all(paths.map((path) => ask(path, frame('eth_chainId'))))
    answers.push(
      await send(gateway.rpc, `/v3/${key}`),
      await ask(`/v3/${key}`, '{'),
      await ask(`/v3/${key}`, 'x'.repeat(20_000)),
    )
    const ids = answers.map(({ headers }) => headers['x-trace-id'])
    for (const id of ids) expect(id).toMatch(/^[\da-f]{32}$/)
    expect(new Set(ids).size).toBe(ids.length)
  })

  it('is not taken from the caller', async () => {
    const answer = await ask(`/v3/${key}`, frame('eth_chainId'), { 'x-trace-id': 'mine' })
    expect(answer.headers['x-trace-id']).not.toBe('mine')
  })
})

describe('an outage is never a 200', () => {
  async function outage(upstreams: readonly string[], limits = {}): Promise<Awaited<ReturnType<typeof send>>> {
    const broken = await startTestGateway(upstreams, { limits })
    const answer = await send(broken.rpc, `/v3/${key}`, { body: frame('eth_chainId', [], 4) })
    await broken.close()
    return answer
  }
  const noAnswer = json({ code: -32603, message: expect.stringMatching(/^no upstream answered: [12] \w/) }, 4)

  it('502 where the only upstream cannot be reached', async () => {
    const answer = await outage([await refusedUrl()])
    expect([answer.status, answer.headers['retry-after'], reportedBy(answer)]).toEqual([502, '1', noAnswer])
  })

  it('503 where none of several can be', async () => {
    const answer = await outage([await refusedUrl(), await refusedUrl()])
    expect([answer.status, answer.headers['retry-after'], reportedBy(answer)]).toEqual([503, '1', noAnswer])
  })

  it('503, -32005 and its time to wait where the upstream is asked too much', async () => {
    const limited = { ...noAnswer, error: { ...noAnswer.error, code: -32005 } }
    const busy = await startNodeWith((_request, response) =>
      response
        .writeHead(429, { 'retry-after': '9' })
        .end('{"jsonrpc":"2.0","id":1,"error":{"code":-32005,"message":"your plan"}}'),
    )
    const answer = await outage([busy.url])
    expect([answer.status, answer.headers['retry-after'], reportedBy(answer)]).toEqual([503, '9', limited])
    await busy.close()
  })

  it.each(['<html>', '{"jsonrpc":"2.0","id":999,"result":1}', ''])(
    '502 where the upstream answers %j',
    async (text) => {
      const odd = await startNodeWith((_request, response) => response.end(text))
      const answer = await outage([odd.url])
      expect([answer.status, reportedBy(answer)]).toEqual([502, noAnswer])
      await odd.close()
    },
  )

  it('504 where the upstream is silent', async () => {
    const silent = await startNodeWith(() => {})
    const answer = await outage([silent.url], { requestTimeoutMs: 100 })
    expect([answer.status, answer.headers['retry-after'], reportedBy(answer)]).toEqual([
      504,
      undefined,
      json({ code: -32002, message: 'no upstream answered: 1 timed out' }, 4),
    ])
    await silent.close()
  })

  it('but an answer that is too long is 200 with -32003: it would be too long again', async () => {
    const answer = await outage([node.url], { maxUpstreamBytes: 10 })
    expect([answer.status, answer.headers['retry-after'], reportedBy(answer)]).toEqual([
      200,
      undefined,
      json({ code: -32003, message: 'response too large' }, 4),
    ])
  })
})

describe('health', () => {
  it('is told to anybody', async () => {
    expect(await send(gateway.rpc, '/healthz')).toMatchObject({
      status: 200,
      body: 'ok\n',
      headers: { 'content-type': 'text/plain; charset=utf-8' },
    })
  })

  it('is not readiness: a network that cannot serve is named, with the reason and without a URL or an endpoint', async () => {
    const answer = await send(gateway.rpc, '/readyz')
    expect(answer.status).toBe(503)
    expect(answer.body).toBe(
      'mainnet: expected chain 0x1, got something else\nother: expected chain 0x2, got something else\n',
    )
  })

  it('a WebSocket path without an upgrade says what it takes', async () => {
    const answer = await ask(`/ws/v3/${key}`, frame('eth_chainId'))
    expect([answer.status, answer.headers['upgrade']]).toEqual([426, 'websocket'])
  })
})
