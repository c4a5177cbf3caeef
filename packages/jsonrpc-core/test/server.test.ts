import {
  createRpcServer,
  isStream,
  RpcError,
  type RpcHandler,
  rawJsonFromChunks,
  rawJsonFromText,
  rawJsonFromValue,
} from '@wayleave/jsonrpc-core'
import { describe, expect, it } from 'vitest'
import { bodyOf, bytes, createContext, echo } from './support.ts'
import examples from './vectors/spec-examples.json' with { type: 'json' }

const serve = createRpcServer(echo)
const ask = async (text: string, server = serve): Promise<string> => bodyOf(await server(bytes(text), createContext()))

describe('the examples of the JSON-RPC 2.0 specification', () => {
  const handler: RpcHandler = async ({ method, params }) => {
    const value = params?.value()
    if (method === 'subtract') {
      const [a, b] = (Array.isArray(value) ? value : Object.values(value as object).toReversed()) as [number, number]
      const named = value as { minuend?: number; subtrahend?: number }
      return { result: rawJsonFromValue(named.minuend === undefined ? a - b : named.minuend - named.subtrahend!) }
    }
    if (method === 'sum') return { result: rawJsonFromValue((value as number[]).reduce((a, b) => a + b, 0)) }
    if (method === 'get_data') return { result: rawJsonFromValue(['hello', 5]) }
    if (method === 'update' || method.startsWith('notify_')) return { result: rawJsonFromText('null') }
    return { error: { code: -32601, message: 'Method not found' } }
  }
  const server = createRpcServer(handler)
  const essence = (answer: { id: unknown; result?: unknown; error?: { code: number } }): unknown => ({
    id: answer.id,
    result: answer.result,
    code: answer.error?.code,
  })

  for (const { name, request, response } of examples.cases as {
    name: string
    request: string
    response: string | null
  }[]) {
    it(name, async () => {
      const reply = await server(bytes(request), createContext())
      if (response === null) {
        expect(reply).toMatchObject({ kind: 'empty', body: '' })
        return
      }
      const got = JSON.parse(await bodyOf(reply)) as never
      const expected = JSON.parse(response) as never
      if (Array.isArray(expected)) expect((got as never[]).map(essence)).toEqual((expected as never[]).map(essence))
      else expect(essence(got)).toEqual(essence(expected))
    })
  }
})

describe('ids', () => {
  it.each(['1', '0', '-1', '1.5', '12345678901234567890', '1e400', '""', '"a\\u0041\\"b"', '"é"', 'null'])(
    'echoes %s as it came',
    async (id) => {
      expect(await ask(`{"jsonrpc":"2.0","id": ${id} ,"method":"m"}`)).toBe(
        `{"jsonrpc":"2.0","id":${id},"result":{"method":"m"}}`,
      )
    },
  )

  it('beyond 2^53 keep every digit, alone and in a batch', async () => {
    const ids = ['9007199254740993', '-9007199254740993', '123456789012345678901234567890', '1.00000000000000000001']
    const calls = ids.map((id) => `{"jsonrpc":"2.0","id":${id},"method":"m"}`)
    for (const [i, id] of ids.entries()) expect(await ask(calls[i]!)).toContain(`"id":${id},`)
    const batch = await ask(`[${calls.join(',')}]`)
    expect([...batch.matchAll(/"id":([^,]+),/g)].map(([, id]) => id)).toEqual(ids)
  })

  it.each(['{}', '[]', 'true'])('refuses %s with -32600 and a null id', async (id) => {
    expect(JSON.parse(await ask(`{"jsonrpc":"2.0","id":${id},"method":"m"}`))).toMatchObject({
      id: null,
      error: { code: -32600 },
    })
  })
})

describe('one body', () => {
  it('keeps the params as they came', async () => {
    let seen: string | undefined
    const server = createRpcServer(async ({ params }) => {
      seen = params?.text()
      return { result: rawJsonFromText('true') }
    })
    const params = '[{"a":1,"a":2,"n":1e400,"big":12345678901234567890, "s":"\\u00e9"}]'
    await ask(`{"params":${params},"id":1,"method":"m","jsonrpc":"2.0"}`, server)
    expect(seen).toBe(params)
  })

  it('takes absent and null params as none', async () => {
    expect(await ask('{"jsonrpc":"2.0","id":1,"method":"m","params":null}')).toBe(
      '{"jsonrpc":"2.0","id":1,"result":{"method":"m"}}',
    )
  })

  it.each([
    ['a member that comes twice', '{"jsonrpc":"2.0","id":1,"method":"a","method":"b"}', -32600],
    ['a member that comes twice, once escaped', '{"jsonrpc":"2.0","id":1,"method":"a","m\\u0065thod":"b"}', -32600],
    ['another version', '{"jsonrpc":"1.0","id":1,"method":"m"}', -32600],
    ['no method', '{"jsonrpc":"2.0","id":1}', -32600],
    ['params that are a number', '{"jsonrpc":"2.0","id":1,"method":"m","params":1}', -32602],
    ['a bare value', '17', -32600],
    ['no JSON', '{"jsonrpc":"2.0",', -32700],
    ['an empty body', '', -32700],
    ['a byte order mark', '\uFEFF{"jsonrpc":"2.0","id":1,"method":"m"}', -32700],
  ])('refuses %s', async (_name, text, code) => {
    expect(JSON.parse(await ask(text))).toMatchObject({ error: { code } })
  })

  it('refuses bytes that are not UTF-8', async () => {
    const reply = await serve(new Uint8Array([0x22, 0xff, 0x22]), createContext())
    expect(reply.kind).toBe('parse_error')
    expect(JSON.parse(await bodyOf(reply))).toEqual({
      jsonrpc: '2.0',
      id: null,
      error: { code: -32700, message: 'parse error' },
    })
  })

  it('refuses nesting beyond its cap, and takes nesting at it', async () => {
    const nested = (depth: number): string =>
      `{"jsonrpc":"2.0","id":1,"method":"m","params":${'['.repeat(depth)}${']'.repeat(depth)}}`
    expect(await ask(nested(100_000))).toContain('-32700')
    expect(await ask(nested(1_000))).toContain('-32700')
    expect(await ask(nested(999))).toContain('"result"')
  })

  it('refuses a body beyond its cap', async () => {
    const reply = await createRpcServer(echo, { maxBodyBytes: 10 })(bytes('{"jsonrpc":"2.0"}'), createContext())
    expect(reply.kind).toBe('too_large')
    expect(await bodyOf(reply)).toContain('-32600')
  })

  it('is not hurt by members named __proto__', async () => {
    expect(
      await ask('{"jsonrpc":"2.0","id":1,"method":"m","__proto__":{"a":1},"params":[{"__proto__":{"b":2}}]}'),
    ).toContain('"method":"m"')
    expect(({} as { a?: number }).a).toBeUndefined()
  })
})

describe('batches', () => {
  const one = (id: number): string => `{"jsonrpc":"2.0","id":${id},"method":"m${id}"}`

  it('answers in the order of the calls, whichever ends first', async () => {
    const server = createRpcServer(async ({ method }) => {
      await new Promise((resolve) => setTimeout(resolve, method === 'm1' ? 20 : 0))
      return { result: rawJsonFromValue(method) }
    })
    expect(JSON.parse(await ask(` [${one(1)},${one(2)},${one(3)}]`, server))).toEqual([
      { jsonrpc: '2.0', id: 1, result: 'm1' },
      { jsonrpc: '2.0', id: 2, result: 'm2' },
      { jsonrpc: '2.0', id: 3, result: 'm3' },
    ])
  })

  it('answers an empty one with a single error', async () => {
    expect(JSON.parse(await ask('[]'))).toEqual({
      jsonrpc: '2.0',
      id: null,
      error: { code: -32600, message: 'empty batch' },
    })
  })

  it('answers one beyond its cap with one error that carries the first id', async () => {
    const server = createRpcServer(echo, { maxBatch: 2 })
    expect(JSON.parse(await ask(`[${one(7)},${one(2)},${one(3)}]`, server))).toEqual([
      { jsonrpc: '2.0', id: 7, error: { code: -32600, message: 'batch too large' } },
    ])
  })

  it('holds each to the caps of its moment', async () => {
    const caps = { maxBatch: 2, maxBodyBytes: 1_000 }
    const server = createRpcServer(echo, caps)
    const three = `[${one(1)},${one(2)},${one(3)}]`
    expect(await ask(three, server)).toContain('batch too large')
    caps.maxBatch = 3
    expect(JSON.parse(await ask(three, server))).toHaveLength(3)
    caps.maxBodyBytes = 10
    expect((await server(bytes(three), createContext())).kind).toBe('too_large')
  })

  it('answers nothing where all are notifications', async () => {
    const reply = await serve(bytes('[{"jsonrpc":"2.0","method":"m"}]'), createContext())
    expect(reply).toMatchObject({ kind: 'empty', body: '' })
  })

  it('replaces what is beyond the reply cap by errors, each under its own id', async () => {
    const server = createRpcServer(async () => ({ result: rawJsonFromText(`"${'a'.repeat(60)}"`) }), {
      maxBatchReplyBytes: 100,
    })
    const answers = JSON.parse(await ask(`[${one(1)},${one(2)},${one(3)}]`, server)) as {
      id: number
      error?: { code: number }
    }[]
    expect(answers.map(({ id, error }) => [id, error?.code])).toEqual([
      [1, undefined],
      [2, -32003],
      [3, -32003],
    ])
  })

  it('joins long results without copying them into text', async () => {
    const long = new TextEncoder().encode(`"${'é'.repeat(50_000)}"`)
    const server = createRpcServer(async ({ method }) => ({
      result: method === 'm2' ? rawJsonFromChunks([long]) : rawJsonFromText('1'),
    }))
    const answers = JSON.parse(await ask(`[${one(1)},${one(2)},${one(3)}]`, server)) as { result: unknown }[]
    expect(answers.map(({ result }) => result)).toEqual([1, 'é'.repeat(50_000), 1])
  })

  it('lets one failure fail one call', async () => {
    const server = createRpcServer(async ({ method }) => {
      if (method === 'm2') throw new RpcError('timeout', 'too slow')
      return { result: rawJsonFromText('1') }
    })
    const answers = JSON.parse(await ask(`[${one(1)},${one(2)}]`, server)) as {
      result?: unknown
      error?: { code: number }
    }[]
    expect(answers[0]?.result).toBe(1)
    expect(answers[1]?.error?.code).toBe(-32002)
  })
})

it('passes a stream on as it arrives', async () => {
  const server = createRpcServer(async (_request, context) => {
    expect(context.acceptStream).toBe(true)
    const pieces = ['[1,', '2]'].map(bytes)
    return {
      result: {
        streaming: true,
        cancel() {},
        [Symbol.asyncIterator]: () => pieces.values()[Symbol.iterator]() as never,
      },
    }
  })
  const reply = await server(bytes('{"jsonrpc":"2.0","id":"x","method":"m"}'), createContext({ acceptStream: true }))
  expect(typeof reply.body).toBe('object')
  expect(isStream(reply.body as never)).toBe(false)
  expect(await bodyOf(reply)).toBe('{"jsonrpc":"2.0","id":"x","result":[1,2]}')
})
