import { describe, expect, it } from 'vitest'
import { layOut } from '../../src/output/json-layout.ts'

describe('layOut', () => {
  const values: readonly unknown[] = [
    null,
    '',
    'a"b\\c\\"{[,:]}\n',
    [],
    {},
    [[], [{}]],
    { a: [1, { 'b,"': 'c\\' }], '': null, d: -1.5e-7 },
  ]

  it.each(values.map((value) => [value]))('prints %j as JSON.stringify would, from any layout', (value) => {
    for (const from of [JSON.stringify(value), JSON.stringify(value, null, 2), JSON.stringify(value, null, '\t')]) {
      expect(layOut(from, 0)).toBe(JSON.stringify(value))
      expect(layOut(from, 2)).toBe(JSON.stringify(value, null, 2))
    }
  })

  it('keeps numbers and twins as they were written', () => {
    expect(layOut(' { "a" : 1.00 , "a":12345678901234567890, "b":[1E+400 , -0] } ', 0)).toBe(
      '{"a":1.00,"a":12345678901234567890,"b":[1E+400,-0]}',
    )
  })

  it('takes a text of any length', () => {
    const json = JSON.stringify(['x'.repeat(5_000_000), '"'.repeat(100_000)])
    expect(layOut(json, 0)).toBe(json)
  })
})
