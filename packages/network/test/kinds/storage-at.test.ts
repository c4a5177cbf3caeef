import { describe, expect, it } from 'vitest'
import { became } from './support.ts'

describe('eth_getStorageAt', () => {
  it.each([
    ['["0xab","0x0"]', '["0xab","0x0","latest"]'],
    [' [ "0xab" , "]" ] ', ' [ "0xab" , "]","latest" ] '],
    ['["0xab","0x0",null]', '["0xab","0x0","latest"]'],
    ['["0xab","0x0", null ]', '["0xab","0x0", "latest" ]'],
    ['["0xab",["0x0"]]', '["0xab",["0x0"],"latest"]'],
  ])('%s goes on as %s', async (params, expected) => {
    expect(await became('eth_getStorageAt', params)).toBe(expected)
  })

  it.each([
    '["0xab","0x0","pending"]',
    '["0xab","0x0",""]',
    '["0xab","0x0",false]',
    '["0xab","0x0",{"blockHash":"0x1"}]',
    '["0xab","0x0","0x1",null]',
    '["0xab"]',
    '[]',
  ])('%s goes on as it came', async (params) => {
    expect(await became('eth_getStorageAt', params)).toBe(params)
  })
})

it('other state methods keep their missing block parameter', async () => {
  expect(await became('eth_getBalance', '["0xab"]')).toBe('["0xab"]')
})
