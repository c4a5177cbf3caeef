import { RpcError, type RpcErrorCode, type RpcErrorOptions } from '@wayleave/jsonrpc-core'
import { describe as group, expect, it } from 'vitest'
import {
  asJson,
  describe,
  jsonAnswer,
  printAnswer,
  refusalAnswer,
  retryAfterHeader,
  statusOf,
  tracedError,
  withTrace,
} from '../src/errors.ts'

interface Row {
  readonly code: RpcErrorCode
  readonly options?: RpcErrorOptions
  readonly status: number
  readonly reported: { readonly code: number; readonly message: string }
  readonly retryAfter: number | undefined
}

const noAnswer = { code: -32603, message: 'no upstream answered' }
const noAnswerBut = (words: string) => ({ code: -32603, message: `no upstream answered: 1 ${words}` })
const denied = { code: -32002, message: 'project ID does not have access to mainnet' }

// Every code of RpcError, so that a new one has to be decided here.
const table: Record<RpcErrorCode, readonly Omit<Row, 'code'>[]> = {
  timeout: [
    { status: 504, reported: { code: -32002, message: 'request timed out' }, retryAfter: undefined },
    {
      options: { cause: new RpcError('timeout', 'inner'), retryAfterMs: 7_000 },
      status: 504,
      reported: { code: -32002, message: 'the message' },
      retryAfter: 7,
    },
  ],
  aborted: [{ status: 502, reported: noAnswer, retryAfter: 1 }],
  connect: [{ status: 502, reported: noAnswerBut('unreachable'), retryAfter: 1 }],
  disconnected: [{ status: 502, reported: noAnswerBut('unreachable'), retryAfter: 1 }],
  http_status: [
    { options: { httpStatus: 500 }, status: 502, reported: noAnswerBut('failed'), retryAfter: 1 },
    {
      options: { httpStatus: 429, retryAfterMs: 7_001 },
      status: 503,
      reported: { ...noAnswerBut('rate limited'), code: -32005 },
      retryAfter: 8,
    },
    {
      options: { httpStatus: 401, rpc: { code: -32000, message: 'your key k3y is over its quota' } },
      status: 502,
      reported: noAnswerBut('refused our key'),
      // The same call would be refused again.
      retryAfter: undefined,
    },
    { options: { httpStatus: 413 }, status: 502, reported: noAnswerBut('failed'), retryAfter: undefined },
  ],
  invalid_response: [{ status: 502, reported: noAnswerBut('failed'), retryAfter: 1 }],
  too_large: [{ status: 200, reported: { code: -32003, message: 'response too large' }, retryAfter: undefined }],
  overloaded: [
    {
      status: 503,
      reported: {
        code: -32005,
        message: 'no upstream has room for this call (limits.maxUpstreamCalls)',
      },
      retryAfter: 1,
    },
    {
      options: { rpc: { code: -32005, message: 'too many' } },
      status: 503,
      reported: { code: -32005, message: 'too many' },
      retryAfter: 1,
    },
  ],
  unavailable: [
    { status: 503, reported: { code: -32603, message: 'the message' }, retryAfter: 1 },
    {
      options: { cause: new RpcError('connect', 'inner') },
      status: 503,
      reported: { code: -32603, message: 'the message' },
      retryAfter: 1,
    },
    {
      options: { cause: new TypeError('a bug with details') },
      status: 503,
      reported: { code: -32603, message: 'internal error' },
      retryAfter: 1,
    },
    {
      options: { retryAfterMs: 3_600_000 },
      status: 503,
      reported: { code: -32603, message: 'the message' },
      retryAfter: 60,
    },
    { options: { retryAfterMs: 0 }, status: 503, reported: { code: -32603, message: 'the message' }, retryAfter: 1 },
  ],
  denied: [{ options: { rpc: denied }, status: 403, reported: denied, retryAfter: undefined }],
  rpc: [{ status: 502, reported: noAnswer, retryAfter: 1 }],
}

const rows = Object.entries(table).flatMap(([code, list]) =>
  list.map((row): Row => ({ code: code as RpcErrorCode, ...row })),
)

group('a call that no peer answered', () => {
  it.each(rows)(
    'because of $code ($options.httpStatus) is $status, and tells $told.message',
    ({ code, options, status, reported, retryAfter }) => {
      const error = new RpcError(code, 'the message', options)
      expect(statusOf(error)).toBe(status)
      expect(describe(error)).toEqual(reported)
      expect(retryAfterHeader(error)).toEqual(retryAfter === undefined ? [] : ['Retry-After', String(retryAfter)])
    },
  )

  it('tells nothing of what the upstream said beside its status', () => {
    for (const { code, options } of rows.filter((row) => row.code !== 'denied')) {
      const error = new RpcError(code, 'the message', { ...options, cause: new Error('https://user:pass@node/k3y') })
      expect(JSON.stringify(describe(error))).not.toMatch(/k3y|pass/)
    }
  })
})

group('a refused caller', () => {
  it.each([
    ['no_key', 'project id required in the url\n', 'Basic realm="Project ID is required in the URL"'],
    ['unknown_key', 'invalid project id\n', 'Basic realm="Auth failure, invalid project id"'],
    [
      'wrong_secret',
      'invalid project id or project secret\n',
      'Basic realm="Auth failure, invalid project id or project secret"',
    ],
    ['wrong_token', 'invalid JWT\n', 'Bearer realm="Auth failure, invalid JWT", error="invalid_token"'],
    ['token_required', 'invalid JWT\n', 'Bearer realm="Auth failure, invalid JWT"'],
  ] as const)('by %s is 401 in plain text', (failure, body, challenge) => {
    expect(refusalAnswer({ refused: failure })).toEqual({
      status: 401,
      contentType: 'text/plain; charset=utf-8',
      body,
      headers: ['WWW-Authenticate', challenge],
    })
  })

  it('by a missing secret is 403 in JSON, without a challenge', () => {
    expect(printAnswer(refusalAnswer({ refused: 'secret_required' }), 'the-id')).toEqual({
      status: 403,
      contentType: 'application/json',
      body: '{"jsonrpc":"2.0","id":null,"error":{"code":-32002,"message":"rejected due to project ID settings: send the secret by HTTP Basic with the key as user, https://KEY:SECRET@host/v3/KEY","data":{"traceId":"the-id"}}}\n',
      headers: [],
    })
  })

  it('gets the same words in plain text and in JSON', () => {
    const plain = refusalAnswer({ refused: 'unknown_key' })
    expect(printAnswer(plain, 'the-id')).toBe(plain)
    expect(asJson(plain)).toEqual({
      status: 401,
      error: { code: -32002, message: 'invalid project id' },
      headers: plain.headers,
    })
  })
})

it('a JSON answer holds the code, the message and the trace id, and nothing else of an error', () => {
  expect(printAnswer(jsonAnswer(404, { code: -32002, message: 'a "b"', data: 'hidden' }), 'the-id').body).toBe(
    '{"jsonrpc":"2.0","id":null,"error":{"code":-32002,"message":"a \\"b\\"","data":{"traceId":"the-id"}}}\n',
  )
})

it.each([
  [undefined, { traceId: 'the-id' }],
  [{ caller: '0.8' }, { caller: '0.8', traceId: 'the-id' }],
  ['words', 'words'],
  [[1], [1]],
  [null, null],
])('a trace id joins the data %j of an error', (data, expected) => {
  expect(withTrace({ code: -32603, message: 'm', data }, 'the-id')).toEqual({
    code: -32603,
    message: 'm',
    data: expected,
  })
})

it.each(['eth_call', 'eth_estimateGas'])(
  'no trace id joins an error of %s: some clients would read a revert',
  (method) => {
    const error = { code: -32002, message: 'no upstream answered' }
    expect(tracedError(error, 'the-id', method)).toEqual(error)
    expect(tracedError(error, 'the-id', 'eth_getBalance')).toEqual({ ...error, data: { traceId: 'the-id' } })
    expect(tracedError(error, 'the-id', undefined)).toEqual({ ...error, data: { traceId: 'the-id' } })
  },
)
