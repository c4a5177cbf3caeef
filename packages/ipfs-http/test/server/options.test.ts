import { expect, test } from 'vitest'
import { readDuration, readOptions } from '../../src/server/options.ts'

const shape = { options: { flag: 'bool', count: 'int', name: 'string' }, short: { f: 'flag' } } as const

test('durations are read as Go writes them', () => {
  const read = ['0', '10s', '1m30s', '1.5h', '500ms', '2us', '2µs', '7ns'].map(readDuration)
  expect(read).toEqual([0, 10_000, 90_000, 5_400_000, 500, 0.002, 0.002, 0.000007])
  for (const text of ['', '10', 's', '-1s', '1s ', '1d', '1e3s', `${'1s'.repeat(9)}`]) {
    expect(readDuration(text), text).toBeUndefined()
  }
})

test('an option is what it says, by either name, or undefined', () => {
  const options = readOptions('f=T&count=-0012&name=a%20b+c&else=1&arg=x&arg=y', shape)
  expect([options.bool('flag'), options.int('count'), options.string('name')]).toEqual([true, -12n, 'a b c'])
  expect(options.args).toEqual(['x', 'y'])
  const none = readOptions('', shape)
  expect([none.bool('flag'), none.int('count'), none.string('name')]).toEqual([undefined, undefined, undefined])
  for (const no of ['0', 'f', 'F', 'false', 'FALSE', 'False']) {
    expect(readOptions(`flag=${no}`, shape).bool('flag')).toBe(false)
  }
})

test('both names of an option at once, and too many arguments, are refused', () => {
  expect(() => readOptions('f=true&flag=true', shape)).toThrow('expected key flag to have only a single value')
  expect(() => readOptions('arg=x&'.repeat(1_001), { argument: 'a' })).toThrow('at most 1000 arguments, got 1001')
})
