import { createContext, createHttpTransport, RpcError, streamAnswers } from '@wayleave/jsonrpc-core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bytes, call, resultText } from './support.ts'

/** A transport whose peer answers with these bytes, in chunks of `size`. */
function peer(text: string | Uint8Array, size = Number.POSITIVE_INFINITY, options: object = {}) {
  const body = typeof text === 'string' ? bytes(text) : text
  async function* arriving(): AsyncGenerator<Uint8Array> {
    for (let i = 0; i < body.length; i += size) yield body.subarray(i, Math.min(i + size, body.length))
  }
  return createHttpTransport({
    url: 'http://peer',
    http: async () => ({ status: 200, headers: new Headers(), body: arriving() }),
    ...options,
  })
}
const read = async (text: string | Uint8Array, size?: number): Promise<string> =>
  resultText(await peer(text, size)(call('m'), createContext()))
const failure = async (text: string | Uint8Array, size?: number): Promise<string> =>
  read(text, size).then(
    (result) => `a result: ${result}`,
    (why: unknown) => (why instanceof RpcError ? why.code : `a throw: ${String(why)}`),
  )

/** The length in bytes that the result of an answer has. */
async function byteLengthOf(text: string): Promise<number> {
  const { result } = await peer(text, undefined, { answers: streamAnswers() })(call('m'), createContext())
  return (result as { readonly byteLength: number }).byteLength
}

it('a result tells its length in bytes, of ASCII alone or not', async () => {
  const frame = (result: string): string => `{"jsonrpc":"2.0","id":1,"result":${result}}`
  for (const result of ['"0x1"', '{"name":"é","more":"🌍"}', `"${'ab'.repeat(1_000)}"`]) {
    expect(await byteLengthOf(frame(result)), result.slice(0, 30)).toBe(Buffer.byteLength(result))
    // The text beside it is no part of it.
    expect(await byteLengthOf(`${frame(result)} `), result.slice(0, 30)).toBe(Buffer.byteLength(result))
  }
})

describe('an answer is read', () => {
  it.each([
    ['in the usual order', '{"jsonrpc":"2.0","id":1,"result":"0x1"}', '"0x1"'],
    ['with white space', '{"jsonrpc":"2.0","id":1,"result": [ 1, {"a":"}"} ] }\n', '[ 1, {"a":"}"} ]'],
    ['in another order', '{"result":{"a":1},"id":1,"jsonrpc":"2.0"}', '{"a":1}'],
    ['with further members', '{"jsonrpc":"2.0","id":1,"result":null,"more":[1]}', 'null'],
    ['with an error that is null', '{"jsonrpc":"2.0","id":1,"error":null,"result":5}', '5'],
    ['with quotes in strings', '{"jsonrpc":"2.0","id":1,"result":"a\\"b\\\\"}', '"a\\"b\\\\"'],
  ])('%s', async (_name, text, expected) => {
    expect(await read(text)).toBe(expected)
    expect(await read(text, 1)).toBe(expected)
  })
})

describe('an answer is refused as invalid_response', () => {
  it.each([
    ['with the id of another call', '{"jsonrpc":"2.0","id":2,"result":1}'],
    ['with its id as text', '{"jsonrpc":"2.0","id":"1","result":1}'],
    ['without an id', '{"jsonrpc":"2.0","result":1}'],
    ['with neither result nor error', '{"jsonrpc":"2.0","id":1}'],
    ['with both', '{"jsonrpc":"2.0","id":1,"result":1,"error":{"code":1,"message":""}}'],
    ['of another version', '{"jsonrpc":"1.0","id":1,"result":1}'],
    ['with an error without words or code', '{"jsonrpc":"2.0","id":1,"error":{"message":""}}'],
    ['with an error whose code is a text', '{"jsonrpc":"2.0","id":1,"error":{"code":"1","message":"no"}}'],
    ['with two results', '{"jsonrpc":"2.0","id":1,"result":1,"result":2}'],
    ['that forges a neighbour', '{"jsonrpc":"2.0","id":1,"result":1},{"jsonrpc":"2.0","id":2,"result":2}'],
    ['with an empty result', '{"jsonrpc":"2.0","id":1,"result":}'],
    ['that is cut short', '{"jsonrpc":"2.0","id":1,"result":[1'],
    ['that is HTML', '<html>sorry</html>'],
    ['that is empty', ''],
    ['that is an array', '[{"jsonrpc":"2.0","id":1,"result":1}]'],
    ['that is not UTF-8', new Uint8Array([0x7b, 0xff, 0x7d])],
  ])('%s', async (_name, text) => {
    expect(await failure(text)).toBe('invalid_response')
    expect(await failure(text, 3)).toBe('invalid_response')
  })
})

it.each([
  ['a text', '"no such block"'],
  ['words without a code', '{"message":"no such block"}'],
])('an error that is %s keeps its words', async (_name, error) => {
  const http = async () => ({
    status: 200,
    headers: new Headers(),
    body: [bytes(`{"jsonrpc":"2.0","id":1,"error":${error}}`)],
  })
  const response = await createHttpTransport({ url: 'http://peer', http })(call('m'), createContext())
  expect(response.error).toEqual({ code: -32000, message: 'no such block' })
})

it('counts the body while it arrives and stops at the cap', async () => {
  let left = false
  const http = async () => ({
    status: 200,
    headers: new Headers(),
    body: (async function* () {
      try {
        for (;;) yield new Uint8Array(1000).fill(0x20)
      } finally {
        left = true
      }
    })(),
  })
  const transport = createHttpTransport({ url: 'http://peer', http, maxResponseBytes: 5_000 })
  await expect(transport(call('m'), createContext())).rejects.toMatchObject({ code: 'too_large' })
  expect(left).toBe(true)
})

describe('an error status', () => {
  const withStatus = (status: number, body: string, headers: Record<string, string> = {}) =>
    createHttpTransport({
      url: 'http://peer',
      http: async () => ({ status, headers: new Headers(headers), body: [bytes(body)] }),
    })

  it('is a rejection that keeps status, Retry-After and the JSON-RPC error', async () => {
    const transport = withStatus(429, '{"jsonrpc":"2.0","id":null,"error":{"code":-32005,"message":"slow down"}}', {
      'retry-after': '7',
    })
    await expect(transport(call('m'), createContext())).rejects.toMatchObject({
      code: 'http_status',
      httpStatus: 429,
      retryAfterMs: 7_000,
      rpc: { code: -32005, message: 'slow down' },
    })
  })

  it.each([201, 202, 203, 206])('of success, %i, comes with an answer', async (status) => {
    const response = await withStatus(status, '{"jsonrpc":"2.0","id":1,"result":"0x1"}')(call('m'), createContext())
    expect(response.result).toBeDefined()
  })

  it('is an answer where the peer considered the call', async () => {
    const { error } = await withStatus(400, '{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"bad"}}')(
      call('m'),
      createContext(),
    )
    expect(error?.code).toBe(-32602)
  })

  it('is a rejection where the body is text', async () => {
    await expect(withStatus(503, 'sorry')(call('m'), createContext())).rejects.toMatchObject({
      code: 'http_status',
      rpc: undefined,
    })
  })
})

describe('by property', () => {
  const json = fc.json({ maxDepth: 4 })

  it('any result survives, in any chunks, held or streamed', async () => {
    await fc.assert(
      fc.asyncProperty(json, fc.integer({ min: 1, max: 40 }), async (result, size) => {
        const frame = `{"jsonrpc":"2.0","id":1,"result":${result}}`
        expect(await read(frame, size)).toBe(result)
        const response = await peer(frame, size, { answers: streamAnswers(33) })(
          call('m'),
          createContext({ acceptStream: true }),
        )
        let text = ''
        const decoder = new TextDecoder()
        const streamed = response.result
        if (streamed !== undefined && 'streaming' in streamed) {
          for await (const chunk of streamed) text += decoder.decode(chunk, { stream: true })
        } else text = resultText(response)
        expect(text).toBe(result)
      }),
    )
  })

  it('a long body is read the same as a short one', async () => {
    const pad = 'a'.repeat(70_000)
    await fc.assert(
      fc.asyncProperty(json, fc.integer({ min: 1_000, max: 100_000 }), async (value, size) => {
        const result = `[${value},"${pad}"]`
        expect(await read(`{"jsonrpc":"2.0","id":1,"result":${result}}\n`, size)).toBe(result)
        expect(await read(`{"id":1,"jsonrpc":"2.0","result":${result}}`, size)).toBe(result)
        expect(await failure(`{"jsonrpc":"2.0","id":1,"result":${result}},{}`, size)).toBe('invalid_response')
      }),
      { numRuns: 40 },
    )
  })

  it('any bytes give a result or an RpcError', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ maxLength: 60 }),
        fc.constantFrom('', '{"jsonrpc":"2.0","id":1,"result":'),
        async (noise, head) => {
          const body = new Uint8Array([...bytes(head), ...noise])
          expect(await failure(body)).not.toMatch(/^a throw/)
        },
      ),
    )
  })
})

it('a stream that ends early or leaves its frame throws instead of looking whole', async () => {
  for (const end of ['', '"x"', '},{}', ']]}']) {
    const frame = `{"jsonrpc":"2.0","id":1,"result":["${'a'.repeat(400)}"${end}`
    const response = await peer(frame, 50, { answers: streamAnswers(100) })(
      call('m'),
      createContext({ acceptStream: true }),
    )
    const reading = (async () => {
      for await (const chunk of response.result as AsyncIterable<Uint8Array>) void chunk
    })()
    await expect(reading).rejects.toBeInstanceOf(RpcError)
  }
})
