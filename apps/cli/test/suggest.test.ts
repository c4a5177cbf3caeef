import { describe, expect, it } from 'vitest'
import { suggest } from '../src/suggest.ts'

const names = ['get-balance', 'get-code', 'gas-price', 'call', 'tx', 'a'.repeat(66)]

describe('suggest', () => {
  it.each([
    ['get-balanc', 'get-balance'],
    ['getbalance', 'get-balance'],
    ['get-blaance', 'get-balance'],
    ['GAS-PRICE', 'gas-price'],
    ['cal', 'call'],
    ['acll', 'call'],
  ])('finds what %s was meant to be', (name, meant) => {
    expect(suggest(name, names)).toBe(` (did you mean "${meant}"?)`)
  })

  it.each(['', 'x', 'tz', 'sendTransaction', 'blocks', 'a'.repeat(65)])(
    'says nothing of "%s", which is near to none',
    (name) => {
      expect(suggest(name, names)).toBe('')
    },
  )
})
