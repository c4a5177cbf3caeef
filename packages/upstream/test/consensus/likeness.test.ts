import { describe, expect, it } from 'vitest'
import { type ComparisonRules, likenessOf } from '@wayleave/upstream'
import { hasOneReading } from '../../src/consensus/likeness.ts'

const rules: ComparisonRules = {
  quantities: new Set(['gas', '']),
  required: new Set(['gas', 'hash', 'logs', 'to']),
  free: new Set(['size']),
}

describe('likenessOf', () => {
  it.each([
    ['the order of members', { hash: '0x1', gas: '0x2' }, { gas: '0x2', hash: '0x1' }],
    ['the case of hex digits', { hash: '0xAB' }, { hash: '0xab' }],
    ['the spelling of a quantity', { gas: '0x0a' }, { gas: '0xa' }],
    ['a quantity that is the answer', '0x0', '0x00'],
    ['null for a missing member', { gas: '0x1', to: null }, { gas: '0x1' }],
  ])('takes no notice of %s', (_, a, b) => {
    expect(likenessOf(a, b, rules)).toBe('same')
    expect(likenessOf(b, a, rules)).toBe('same')
  })

  it.each([
    ['a member in which honest nodes differ', { gas: '0x1', size: '0x5' }, { gas: '0x1', size: '0x6' }],
    ['a member beyond the required ones that one lacks', { gas: '0x1', l1Fee: '0x5' }, { gas: '0x1' }],
    ['the same deep inside', { logs: [{ hash: '0x1', blockTimestamp: '0x1' }] }, { logs: [{ hash: '0x1' }] }],
  ])('is lenient about %s', (_, a, b) => {
    expect(likenessOf(a, b, rules)).toBe('alike')
    expect(likenessOf(b, a, rules)).toBe('alike')
  })

  it.each([
    ['data with another number of zeros', { hash: '0x01' }, { hash: '0x1' }],
    ['a member beyond the required ones that both have', { l1Fee: '0x5' }, { l1Fee: '0x6' }],
    ['a required member that one lacks', { gas: '0x1', hash: '0x1' }, { gas: '0x1' }],
    ['a list that is longer', { logs: [] }, { logs: ['0x1'] }],
    ['words that are no hex', { hash: 'A' }, { hash: 'a' }],
    ['null', null, '0x'],
    ['a list and an object', [], {}],
  ])('tells %s apart', (_, a, b) => {
    expect(likenessOf(a, b, rules)).toBe('different')
    expect(likenessOf(b, a, rules)).toBe('different')
  })

  it('takes every member to be required without rules', () => {
    expect(likenessOf({ a: 1 }, { a: 1, b: 2 }, {})).toBe('different')
    expect(likenessOf({ a: 1 }, { a: 1, b: null }, {})).toBe('same')
  })

  it('does not compare beyond 256 levels', () => {
    const nested = (levels: number): unknown => JSON.parse(`${'['.repeat(levels)}${']'.repeat(levels)}`)
    expect(likenessOf(nested(200), nested(200), {})).toBe('same')
    expect(likenessOf(nested(10_000), nested(10_000), {})).toBe('different')
  })
})

describe('hasOneReading', () => {
  it.each([
    ['{"a":1,"b":{"a":":{,\\"\\\\"}}', true],
    ['{"a":1,"a":2}', false],
    ['[{"a":1,"A":2}]', false],
    ['{"\\u0061":1,"a":2}', false],
    [' { "a" : [ ] } ', true],
    ['"a:b"', true],
  ])('of %s: %s', (text, expected) => {
    expect(hasOneReading(text, JSON.parse(text))).toBe(expected)
  })
})
