import { SchemaError } from '@wayleave/jsonrpc-core/schema'
import { assert, integer, property, uint8Array } from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Address, checksumAddress, isChecksumAddress, parseAddress, printData } from '../src/index.ts'

// The test cases of EIP-55.
const eip55: readonly Address[] = [
  '0x52908400098527886E0F7030069857D2E4169EE7',
  '0x8617E340B3D01FA5F11F306F4090FD50E238070D',
  '0xde709f2102306220921060314715629080e2fb77',
  '0x27b1fdb04752bbc536007a920d24acb045561c26',
  '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
  '0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB',
  '0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb',
]
// The test cases of EIP-1191, by chain id.
const eip1191: readonly (readonly [chainId: number, address: Address])[] = [
  [30, '0x27b1FdB04752BBc536007A920D24ACB045561c26'],
  [30, '0x3599689E6292B81B2D85451025146515070129Bb'],
  [30, '0x5aaEB6053f3e94c9b9a09f33669435E7ef1bEAeD'],
  [31, '0x27B1FdB04752BbC536007a920D24acB045561C26'],
  [31, '0x5aAeb6053F3e94c9b9A09F33669435E7EF1BEaEd'],
]
const anyAddress = uint8Array({ minLength: 20, maxLength: 20 }).map(printData)

test.each(eip55)('%s has its checksum of EIP-55, from any case', (address) => {
  expect(checksumAddress(address)).toBe(address)
  expect(checksumAddress(address.toLowerCase() as Address)).toBe(address)
  expect(checksumAddress(`0x${address.slice(2).toUpperCase()}`)).toBe(address)
  expect(isChecksumAddress(address)).toBe(true)
})

test.each(eip1191)('on chain %i, %s has its checksum of EIP-1191', (chainId, address) => {
  expect(checksumAddress(address.toLowerCase() as Address, chainId)).toBe(address)
  expect(isChecksumAddress(address, chainId)).toBe(true)
  expect(isChecksumAddress(address)).toBe(false)
  expect(parseAddress(address, chainId)).toBe(address.toLowerCase())
})

describe('a wrong checksum', () => {
  const right = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'

  test.each([
    ['one letter in the other case', '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1Beaed'],
    ['another digit', '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeE'],
    ['two digits that changed places', '0x5aAeb6053F3E94C9b9A09f33669453E7Ef1BeAed'],
  ])('of %s is refused by parseAddress', (_, text) => {
    expect(() => parseAddress(text)).toThrow(/expected letters in the case of its checksum.*got 0x5aAeb6053F3E94C9/)
    expect(isChecksumAddress(text)).toBe(false)
  })

  test('cannot be told where all letters have one case', () => {
    expect(parseAddress(right.toLowerCase())).toBe(right.toLowerCase())
    expect(parseAddress(`0x${right.slice(2).toUpperCase()}`)).toBe(right.toLowerCase())
    expect(isChecksumAddress(right.toLowerCase())).toBe(false)
  })
})

test.each(['', '0x', '0x12', `0X${'1'.repeat(40)}`, '1'.repeat(40), `0x${'g'.repeat(40)}`])(
  'what is no address (%j) is refused',
  (text) => {
    expect(() => parseAddress(text)).toThrow(SchemaError)
    expect(() => checksumAddress(text as Address)).toThrow(SchemaError)
    expect(isChecksumAddress(text)).toBe(false)
  },
)

test('every address passes in its checksum’s case, and in no other with letters of both', () => {
  assert(
    property(anyAddress, integer({ min: 2, max: 41 }), (address, at) => {
      const checksummed = checksumAddress(address)
      expect(isChecksumAddress(checksummed)).toBe(true)
      expect(parseAddress(checksummed)).toBe(address)
      const letter = checksummed[at]!
      const other = letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase()
      const changed = checksummed.slice(0, at) + other + checksummed.slice(at + 1)
      if (changed !== checksummed) expect(isChecksumAddress(changed)).toBe(false)
    }),
  )
})
