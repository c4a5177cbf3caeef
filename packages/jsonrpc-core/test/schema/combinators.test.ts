import {
  anything,
  array,
  assertValid,
  boolean,
  choice,
  integer,
  is,
  nullable,
  object,
  oneOf,
  optional,
  record,
  type Schema,
  SchemaError,
  text,
  tuple,
} from '@wayleave/jsonrpc-core/schema'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

interface Call {
  readonly to: string
  readonly gas?: number
  readonly data: string | null
  readonly accessList?: readonly { readonly address: string }[]
}
const hex = text<string>('a hex string', /^0x[0-9a-f]*$/)
const callSchema = object<Call>('a call', {
  to: hex,
  gas: optional(integer('a gas limit', 0)),
  data: nullable(hex),
  accessList: optional(array(object('an entry', { address: hex }))),
})
const params = tuple<readonly [Call, ('latest' | 'earliest')?]>(callSchema, optional(oneOf('latest', 'earliest')))

/** The issue as one line, or `ok`. */
const verdict = (schema: Pick<Schema<never>, 'check'>, value: unknown): string => {
  const issue = schema.check(value, '')
  return issue === undefined ? 'ok' : `${issue.path}: ${issue.expected}, not ${issue.received}`
}

describe('what passes', () => {
  it.each([
    ['a full value', [{ to: '0x1', gas: 0, data: '0x', accessList: [{ address: '0x2' }] }, 'latest']],
    ['optional members and elements that are absent', [{ to: '0x1', data: null }]],
    ['members beyond the shape', [{ to: '0x1', data: null, more: {} }]],
  ])('%s', (_name, value) => {
    expect(verdict(params, value)).toBe('ok')
  })
})

describe('what is refused, and where', () => {
  it.each([
    [{}, ': an array of a call, "latest" or "earliest", not an object'],
    [[], '[0]: a call, not nothing'],
    [[{ data: null }], '[0].to: a hex string, not nothing'],
    [[{ to: 'x', data: null }], '[0].to: a hex string, not "x"'],
    [[{ to: '0x', data: undefined }], '[0].data: a hex string or null, not nothing'.replace(' or null', '')],
    [[{ to: '0x', data: null, gas: -1 }], '[0].gas: a gas limit, not -1'],
    [[{ to: '0x', data: null, gas: 2 ** 53 }], '[0].gas: a gas limit, not 9007199254740992'],
    [[{ to: '0x', data: null, gas: null }], '[0].gas: a gas limit, not null'],
    [
      [{ to: '0x', data: null, accessList: [{ address: '0x' }, { address: 1 }] }],
      '[0].accessList[1].address: a hex string, not 1',
    ],
    [[{ to: '0x', data: null }, 'pending'], '[1]: "latest" or "earliest", not "pending"'],
    [[{ to: '0x', data: null }, null], '[1]: "latest" or "earliest", not null'],
    [[{ to: '0x', data: null }, 'latest', 1], ': at most 2 elements, not 3'],
    [[[]], '[0]: a call, not an array of 0'],
  ])('%j', (value, expected) => {
    expect(verdict(params, value)).toBe(expected)
  })

  it('does not take inherited members for its own', () => {
    const inherited = Object.create({ to: '0x1', data: '0x' }) as unknown
    expect(verdict(callSchema, inherited)).toBe('.to: a hex string, not nothing')
    expect(verdict(object<{ constructor: string }>('it', { constructor: text('text') }), {})).toBe(
      '.constructor: text, not nothing',
    )
  })

  it('writes members that are no identifiers as JSON', () => {
    expect(verdict(record(hex), { 'a b': '0x', 'c"d': 1 })).toBe('["c\\"d"]: a hex string, not 1')
    expect(verdict(record(hex), [])).toBe(': an object, each member a hex string, not an array of 0')
  })

  it('refuses strange members where it is closed, and names the known ones', () => {
    const closed = object<{ a?: string }>('it', { a: optional(hex) }, { closed: true })
    expect(verdict(closed, { a: '0x' })).toBe('ok')
    expect(verdict(closed, { b: 1 })).toBe('.b: one of: a, not an unknown member')
    expect(verdict(closed, JSON.parse('{"__proto__":1}'))).toBe('.__proto__: one of: a, not an unknown member')
  })

  it('points inside the shape that a value chose', () => {
    const shape = choice<Call | string>('a call or a hash', (value) =>
      typeof value === 'object' && value !== null ? callSchema : typeof value === 'string' ? hex : undefined,
    )
    expect(verdict(shape, 'x')).toBe(': a hex string, not "x"')
    expect(verdict(shape, { to: '0x', data: 1 })).toBe('.data: a hex string, not 1')
    expect(verdict(shape, 1)).toBe(': a call or a hash, not 1')
  })

  it('shortens what came', () => {
    expect(verdict(hex, 'a'.repeat(1_000)).length).toBeLessThan(120)
    expect(
      verdict(
        is('nothing of this kind', () => false),
        ['x'.repeat(1_000)],
      ),
    ).toBe(': nothing of this kind, not an array of 1')
  })
})

describe('leaves', () => {
  it.each<[Pick<Schema<never>, 'check'>, unknown[], unknown[]]>([
    [boolean, [true, false], [0, 'true', null, undefined]],
    [anything, [null, 0, {}], [undefined]],
    [integer('it', -1, 1), [-1, 0, -0, 1], [-2, 2, 0.5, Number.NaN, '0', 1n]],
    [text('it'), ['', 'a'], [1, null, undefined]],
  ])('%#', (schema, good, bad) => {
    for (const value of good) expect(verdict(schema, value)).toBe('ok')
    for (const value of bad) expect(verdict(schema, value)).not.toBe('ok')
  })
})

it('never throws, whatever comes', () => {
  fc.assert(
    fc.property(fc.anything(), (value) => {
      for (const schema of [params, callSchema, record(hex), array(params)]) verdict(schema, value)
    }),
  )
})

it('asserts with a message that says what, where, what was expected and what came', () => {
  const bad: unknown = [{ to: 1, data: null }]
  expect(() => assertValid(params, bad, 'params of eth_call')).toThrowError(
    new SchemaError('params of eth_call', { path: '[0].to', expected: 'a hex string', received: '1' }),
  )
  expect(() => assertValid(params, bad, 'params of eth_call')).toThrowError(
    'params of eth_call[0].to: expected a hex string, got 1',
  )
  expect(() => assertValid(params, [{ to: '0x', data: null }], 'params')).not.toThrow()
})

describe('what a hostile answer costs', () => {
  const long = 'a'.repeat(1_000_000)

  it.each([
    ['a member of a record', record(hex), { [long]: 1 }],
    ['a member of a record that is no name', record(hex), { [`${long}"`]: 1 }],
    [
      'an unknown member',
      object<{ readonly to?: string }>('a call', { to: optional(hex) }, { closed: true }),
      { [long]: 1 },
    ],
    ['a string', hex, long],
    ['an array of long strings', array(hex), [long]],
  ])('a message stays short whatever stands in %s', (_, schema, value) => {
    expect(verdict(schema, value).length).toBeLessThan(300)
  })

  it('200,000 members that nobody knows, and arrays of any depth, are passed over', () => {
    const many = Object.fromEntries(Array.from({ length: 200_000 }, (_unused, i) => [`m${i}`, i]))
    const deep: unknown = JSON.parse(`${'['.repeat(500_000)}${']'.repeat(500_000)}`)
    expect(verdict(callSchema, { ...many, to: '0x', data: null, deep })).toBe('ok')
    expect(verdict(array(hex), deep)).toBe('[0]: a hex string, not an array of 1')
  })

  it('members named as those of every object are members like any other', () => {
    const value: unknown = JSON.parse('{"__proto__":{"to":"0x"},"constructor":1,"data":null}')
    expect(verdict(callSchema, value)).toBe('.to: a hex string, not nothing')
    expect(verdict(record(hex), JSON.parse('{"__proto__":1}'))).toBe('.__proto__: a hex string, not 1')
  })
})
