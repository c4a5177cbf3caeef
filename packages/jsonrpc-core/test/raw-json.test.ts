import {
  createRpcServer,
  type RawJson,
  rawJsonFromChunks,
  rawJsonFromText,
  rawJsonFromValue,
  RpcError,
} from '@wayleave/jsonrpc-core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bytes, createContext } from './support.ts'

const forms: Record<string, (text: string) => RawJson> = {
  text: (text) => rawJsonFromText(text),
  bytes: (text) => rawJsonFromChunks([bytes(text)]),
  'single bytes': (text) => rawJsonFromChunks([...bytes(text)].map((byte) => Uint8Array.of(byte))),
}

it('a text’s length that its maker knows is not counted', () => {
  // A wrong one shows it.
  expect(rawJsonFromText('"12"', undefined, 7).byteLength).toBe(7)
})

describe.each(Object.entries(forms))('a value from %s', (_name, create) => {
  it('keeps its text, bytes, length and value', () => {
    fc.assert(
      fc.property(fc.json({ stringUnit: 'binary' }), (text) => {
        const value = create(text)
        expect(value.text()).toBe(text)
        expect(Buffer.compare(Buffer.concat([...value.chunks()]), bytes(text))).toBe(0)
        expect(value.byteLength).toBe(bytes(text).length)
        expect(value.value()).toEqual(JSON.parse(text))
      }),
    )
  })

  it('keeps what parsing would lose', () => {
    const text = '{ "big":12345678901234567890, "huge":1e400, "zero":-0, "twice":1, "twice":2, "escaped":"\\u0041" }'
    expect(create(text).text()).toBe(text)
  })

  it('shares one value among readers and gives each user a copy', () => {
    const value = create('{"list":[1]}')
    expect(value.value()).toBe(value.value())
    ;(value.parse() as { list: number[] }).list.push(2)
    expect(value.parse()).toEqual({ list: [1] })
    expect(value.value()).toEqual({ list: [1] })
  })

  it('refuses what is no JSON as an invalid response, without quoting it', () => {
    for (const read of [() => create('secret').value(), () => create('[secret').parse()]) {
      expect(read).toThrowError(
        expect.objectContaining({ name: 'RpcError', code: 'invalid_response', message: 'the value is not JSON' }),
      )
    }
  })
})

it('refuses bytes that are no UTF-8 when they are asked for their text', () => {
  const value = rawJsonFromChunks([Uint8Array.of(0x22, 0xff, 0x22)])
  expect(value.byteLength).toBe(3)
  for (const read of [() => value.text(), () => value.value(), () => value.parse()]) {
    expect(read).toThrowError(RpcError)
  }
})

it('joins characters that were cut between chunks', () => {
  const [a, b] = [bytes('"é€😀"').subarray(0, 2), bytes('"é€😀"').subarray(2)]
  expect(rawJsonFromChunks([a, b]).text()).toBe('"é€😀"')
})

it('takes the value where the caller has it already', () => {
  const parsed = [1]
  expect(rawJsonFromText('[1]', parsed).value()).toBe(parsed)
  expect(rawJsonFromText('null', null).value()).toBeNull()
})

it('keeps the value of long params for the code that runs at once, and parses them again later', async () => {
  const params = JSON.stringify(['a'.repeat(100_000)])
  const server = createRpcServer(async (request) => {
    const first = request.params!.value()
    expect(request.params!.value() === first).toBe(true)
    await Promise.resolve()
    const again = request.params!.value()
    expect(again !== first && JSON.stringify(again) === params).toBe(true)
    return { result: rawJsonFromText('null') }
  })
  const { rejected } = await server(bytes(`{"jsonrpc":"2.0","id":1,"method":"m","params":${params}}`), createContext())
  expect(rejected).toBeUndefined()
})

it('counts the bytes of params as they came', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.json({ stringUnit: 'binary' })), async (texts) => {
      const params = `[${texts.join()}]`
      let counted: number | undefined
      const server = createRpcServer(async (request) => {
        counted = request.params?.byteLength
        return { result: rawJsonFromText('null') }
      })
      await server(bytes(`{"jsonrpc":"2.0","id":1,"method":"m","params":${params}}`), createContext())
      expect(counted).toBe(bytes(params).length)
    }),
  )
})

it('counts lone surrogates as the three bytes they are sent as', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)) }),
      (text) => {
        expect(rawJsonFromText(text).byteLength).toBe(bytes(text).length)
      },
    ),
  )
})

it('refuses values that JSON cannot hold', () => {
  expect(() => rawJsonFromValue(undefined)).toThrowError(TypeError)
  expect(() => rawJsonFromValue(1n)).toThrowError(TypeError)
  expect(rawJsonFromValue({ a: undefined }).text()).toBe('{}')
})
