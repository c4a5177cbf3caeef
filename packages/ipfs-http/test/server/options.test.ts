import { expect, test } from 'vitest'
import { readDuration, readOptions } from '../../src/server/options.ts'

const shape = {
  options: { flag: 'bool', count: 'int64', name: 'string', bits: 'uint', level: 'int' },
  short: { f: 'flag' },
} as const

test('durations are read as Go writes them', () => {
  const read = ['0', '10s', '1m30s', '1.5h', '500ms', '2us', '2µs', '7ns', '.5s', '1.s', '+1s'].map(readDuration)
  expect(read).toEqual([0, 10_000, 90_000, 5_400_000, 500, 0.002, 0.002, 0.000007, 500, 1_000, 1_000])
  for (const text of ['', '10', 's', '-1s', '1s ', '1d', '1e3s', '.s', '1.2.3s', `${'1s'.repeat(9)}`]) {
    expect(readDuration(text), text).toBeUndefined()
  }
})

test('an option is what it says, by either name, or undefined', () => {
  const options = readOptions('f=T&count=-0012&name=a%20b+c&else=1&arg=x&arg=y', shape)
  expect([options.bool('flag'), options.int('count'), options.string('name')]).toEqual([true, -10n, 'a b c'])
  expect(options.args).toEqual(['x', 'y'])
  const none = readOptions('', shape)
  expect([none.bool('flag'), none.int('count'), none.string('name')]).toEqual([undefined, undefined, undefined])
  for (const no of ['0', 'f', 'F', 'false', 'FALSE', 'False', 'faLSE']) {
    expect(readOptions(`flag=${no}`, shape).bool('flag')).toBe(false)
  }
})

test('an option that is named without a value is set', () => {
  expect(readOptions('flag', shape).bool('flag')).toBe(true)
  expect(readOptions('flag=', shape).bool('flag')).toBe(true)
})

test('integers are read as Go writes them, within their type', () => {
  const read = (text: string): unknown => readOptions(`count=${encodeURIComponent(text)}`, shape).int('count')
  const written = [
    '0',
    '-0',
    '10',
    '+10',
    '0x0A',
    '0b101',
    '0o17',
    '017',
    '1_000',
    '0_7',
    '-0x10',
    '9223372036854775807',
  ]
  const meant = [0n, 0n, 10n, 10n, 10n, 5n, 15n, 15n, 1000n, 7n, -16n, 2n ** 63n - 1n]
  expect(written.map(read)).toEqual(meant)
  for (const text of [
    '',
    ' 1',
    '08',
    '1__0',
    '_1',
    '1_',
    '0x',
    '1e3',
    '1.0',
    '--1',
    '9223372036854775808',
    '9'.repeat(99),
  ]) {
    expect(() => read(text), text).toThrow('to type "int64"')
  }
  expect(readOptions('bits=0644', shape).int('bits')).toBe(0o644n)
  for (const text of ['-1', '4294967296']) expect(() => readOptions(`bits=${text}`, shape)).toThrow('to type "uint"')
  expect(readOptions('level=-2147483648', shape).int('level')).toBe(-(2n ** 31n))
  expect(() => readOptions('level=2147483648', shape)).toThrow('to type "int"')
})

test('both names of an option at once, and too many arguments, are refused', () => {
  expect(() => readOptions('f=true&flag=true', shape)).toThrow('expected key flag to have only a single value')
  expect(() => readOptions('arg=x&'.repeat(1_001), { argument: 'a' })).toThrow('at most 1000 arguments, got 1001')
})
