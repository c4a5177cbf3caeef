import { describe, expect, it } from 'vitest'
import { became, recordingNode, throughRules } from './support.ts'

describe('eth_getBlockReceipts', () => {
  it.each([
    ['["pending"]', '["latest"]'],
    [' [ "pending" ] ', ' [ "latest" ] '],
    ['["p\\u0065nding"]', '["latest"]'],
    ['["pending",null]', '["latest",null]'],
    ['[0]', '["0x0"]'],
    ['[ 436 ]', '[ "0x1b4" ]'],
    ['["436"]', '["0x1b4"]'],
    ['["43\\u0036"]', '["0x1b4"]'],
    ['[9007199254740993]', '["0x20000000000001"]'],
    ['["9007199254740993"]', '["0x20000000000001"]'],
    ['[18446744073709551615]', '["0xffffffffffffffff"]'],
  ])('%s goes on as %s', async (params, expected) => {
    expect(await became('eth_getBlockReceipts', params)).toBe(expected)
  })

  it.each([
    '["latest"]',
    '["earliest"]',
    '["safe"]',
    '["finalized"]',
    '["0x1b4"]',
    `["0x${'ab'.repeat(32)}"]`,
    '[{"blockHash":"0x1","unknown":12345678901234567890}]',
    '[]',
    '[null]',
    '[true]',
    '["0436"]',
    '[""]',
    '["Pending"]',
    '[-1]',
    '["-1"]',
    '[1.5]',
    '[1e3]',
    '["1e3"]',
    '[[436]]',
    '["0x1","pending"]',
    `["${'9'.repeat(21)}"]`,
    `[${'9'.repeat(400)}]`,
  ])('%s goes on as it came', async (params) => {
    expect(await became('eth_getBlockReceipts', params)).toBe(params)
  })

  it('refuses params by name, which some nodes would take past the rule', async () => {
    const { handler, asked } = recordingNode()
    const refused = { error: { code: -32602, message: 'non-array args' } }
    expect(await throughRules(handler)('eth_getBlockReceipts', '{"block":"pending"}')).toEqual(refused)
    expect(asked).toEqual([])
  })

  it('without params goes on without', async () => {
    const { handler, asked } = recordingNode()
    await throughRules(handler)('eth_getBlockReceipts')
    expect(asked).toEqual(['eth_getBlockReceipts'])
  })
})

it('elsewhere `pending` and decimal numbers are left to the node', async () => {
  for (const method of ['eth_getBlockByNumber', 'eth_getBalance', 'eth_getTransactionReceipt', 'toString']) {
    expect(await became(method, '["pending",436]')).toBe('["pending",436]')
  }
})
