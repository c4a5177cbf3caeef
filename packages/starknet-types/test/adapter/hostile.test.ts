// Input from strangers, as callers or as nodes, gets an answer or a refusal, and never the engine's own error.
import { createContext, rawJsonFromText, RpcError } from '@wayleave/jsonrpc-core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { adaptCalls, adaptStarknet } from '../../src/adapter/index.ts'
import { printExact, readExact } from '../../src/adapter/exact-json.ts'
import { integerOf } from '../../src/adapter/members.ts'
import { methods } from '../../src/adapter/methods.ts'
import { exchanges } from './exchanges.ts'
import { pairs } from './support.ts'
import { since } from './things.ts'

const unprintable: unknown = JSON.parse('{"toString":1,"valueOf":1}')

function nestedList(depth: number): unknown {
  let list: unknown = 1
  for (let i = 0; i < depth; i++) list = [list]
  return list
}

describe('an integer', () => {
  it.each([
    ['0x0003', 3n],
    [3, 3n],
    ['3', 3n],
    [`0x${'f'.repeat(64)}`, 2n ** 256n - 1n],
  ])('is what %j stands for', (value, integer) => {
    expect(integerOf(value)).toBe(integer)
  })

  it('is nothing that is a list, an object, or longer than 256 bits are', () => {
    const long = '1'.repeat(5_000_000)
    for (const value of [
      ['3'],
      [[3]],
      unprintable,
      nestedList(100_000),
      true,
      null,
      '',
      '0x',
      -1,
      1.5,
      long,
      `0x${long}`,
    ])
      expect(integerOf(value)).toBeUndefined()
  })
})

it('a transaction of no version is not looked into: the node refuses it', () => {
  const adapt = adaptCalls({ caller: '0.5.1', endpoint: '0.8' })
  for (const version of [unprintable, nestedList(100_000), ['0x1'], '1'.repeat(5_000_000)])
    expect(adapt('starknet_addInvokeTransaction', [{ version }])).toHaveProperty('call')
})

it('an answer of any shape is adapted, or refused with a reason', () => {
  const shapes = [null, 1, 'x', [], {}, [null], ['x'], [[]], [{}], unprintable]
  const members = Object.fromEntries(
    ['actual_fee', 'execution_resources', 'finality_status', 'transactions', 'l1_gas_price', 'overall_fee'].map(
      (name) => [name, unprintable],
    ),
  )
  const gas = (value: unknown): object =>
    Object.fromEntries(
      ['', 'data_', 'l1_', 'l2_', 'l1_data_'].flatMap((name) => [
        [`${name}gas_consumed`, value],
        [`${name}gas_price`, value],
      ]),
    )
  const counted = { actual_fee: { amount: '0x1' }, execution_resources: { steps: unprintable } }
  const fee = { ...gas(unprintable), overall_fee: '0x1', unit: 'WEI' }
  const all = [...shapes, members, [members], counted, [counted], fee, [fee], [{ fee_estimation: fee }]]
  for (const [caller, endpoint] of pairs) {
    const adapt = adaptCalls({ caller, endpoint })
    for (const method of Object.keys(methods)) {
      const adaptation = adapt(method, {})
      if (!('call' in adaptation)) continue
      for (const answer of all) {
        try {
          adaptation.call.answer?.(answer)
        } catch (thrown) {
          expect(thrown, `${method} ${caller} ${endpoint} ${JSON.stringify(answer)}`).toHaveProperty('reason')
        }
      }
    }
  }
})

it('law: a member in any place is told as it came or left out, or the answer is refused', () => {
  const strange = fc.constantFrom('"strange"', '{"wayleave":"strange"}', '["strange",1e500]', '{"__proto__":"strange"}')
  // Names of every version, so that a node says one that the caller's version has for something else.
  const names = [
    'gas_consumed',
    'data_gas_price',
    'l1_gas_consumed',
    'l2_gas_price',
    'unit',
    'steps',
    'data_availability',
  ]
  const more = [
    'l1_gas',
    'price_in_strk',
    'price_in_fri',
    'event_count',
    'l1_da_mode',
    'wayleave',
    '__proto__',
    'other',
  ]
  const adapted = Object.keys(exchanges).filter((method) => methods[method]?.answer !== undefined)
  const cases = fc
    .tuple(fc.constantFrom(...pairs), fc.constantFrom(...adapted))
    .filter(([pair, method]) => pair.every((version) => since(version, exchanges[method]!.first ?? '0.5.1')))
    .chain(([[caller, endpoint], method]) =>
      fc.record({
        call: fc.constant({ caller, endpoint, method }),
        result: exchanges[method]!.result(endpoint),
        place: fc.nat(),
        name: fc.constantFrom(...names, ...more),
        value: strange,
      }),
    )
  let reported = 0
  fc.assert(
    fc.property(cases, ({ call: { caller, endpoint, method }, result, place, name, value }) => {
      const text = JSON.stringify(result)
      const places = [...text.matchAll(/\{(?=")/g)].map(({ index }) => index + 1)
      if (places.length === 0) return
      const at = places[place % places.length]!
      const { value: before, print } = readExact(
        rawJsonFromText(`${text.slice(0, at)}"${name}":${value},${text.slice(at)}`),
      )
      // The object may have had a member of that name already, which then counts.
      if (!print(before).text().includes('strange')) return
      const adaptation = adaptCalls({ caller, endpoint })(method, [])
      if (!('call' in adaptation)) return
      try {
        const translated = print(adaptation.call.answer?.(before) ?? before).text()
        if (!translated.includes('strange')) return
        expect(translated).toContain(value)
        reported++
      } catch (thrown) {
        if (!(thrown instanceof RangeError)) throw thrown
      }
    }),
    { numRuns: 1_000 },
  )
  expect(reported).toBeGreaterThan(300)
})

describe('an error of a node', () => {
  const ask = (executionError: string) => {
    const text = `{"code":41,"message":"failed","data":{"transaction_index":0,"execution_error":${executionError}}}`
    const raw = rawJsonFromText(text)
    const { data } = raw.value() as { data: unknown }
    const handler = adaptStarknet({ caller: '0.5.1', endpoint: '0.8' })(async () => ({
      error: { code: 41, message: 'failed', data, raw },
    }))
    const params = rawJsonFromText('[[],"latest"]')
    return handler({ method: 'starknet_estimateFee', params, notification: false }, createContext())
  }

  it('names whatever stands where an address should', async () => {
    const { error } = await ask('{"contract_address":{"toString":1},"class_hash":[1.0],"error":"why"}')
    const revert_error = 'Error in contract {"toString":1}, class [1.0], selector undefined:\nwhy'
    expect(error).toMatchObject({ code: 40, data: { revert_error } })
  })

  it.each(['', ',"n":1.0'])('rejects where it nests too deep to be adapted, with %j in it', async (more) => {
    const deep = `${'{"error":'.repeat(50_000)}"why"${more}${'}'.repeat(50_000)}`
    const thrown = await ask(deep).catch((why: unknown) => why)
    expect(thrown).toBeInstanceOf(RpcError)
    expect(thrown).toMatchObject({ code: 'too_large' })
  })
})

it('exact numbers nest as deep as JSON does, and a name may be __proto__', () => {
  const text = `{"__proto__":${'['.repeat(20_000)}1.0${']'.repeat(20_000)},"n":"n0"}`
  const { value } = readExact(rawJsonFromText(text))
  const { n, ['__proto__']: deep } = value as Record<string, unknown>
  expect(n).toBe('n0')
  let inner = deep
  while (Array.isArray(inner)) inner = inner[0]
  expect(printExact(inner)).toBe('1.0')
})
