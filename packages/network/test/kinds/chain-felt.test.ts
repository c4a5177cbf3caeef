import { expect, it } from 'vitest'
import { chainFelt } from '../../src/kinds/chain-felt.ts'

it.each([
  // The ids that nodes of both public networks answer.
  ['SN_MAIN', '0x534e5f4d41494e'],
  ['SN_SEPOLIA', '0x534e5f5345504f4c4941'],
  ['0x534E5F4D41494E', '0x534e5f4d41494e'],
  ['0x00001', '0x1'],
  [
    '0x800000000000011000000000000000000000000000000000000000000000000',
    '0x800000000000011000000000000000000000000000000000000000000000000',
  ],
  ['A'.repeat(31), `0x${'41'.repeat(31)}`],
])('the chain %s is the felt %s', (chainId, felt) => {
  expect(chainFelt(chainId)).toBe(felt)
})

it.each([
  '',
  '0x',
  '0x0',
  '0xg',
  'A'.repeat(32),
  'Ä',
  'SN MAIN',
  '0x800000000000011000000000000000000000000000000000000000000000001',
])('"%s" is no chain', (chainId) => expect(chainFelt(chainId)).toBeUndefined())
