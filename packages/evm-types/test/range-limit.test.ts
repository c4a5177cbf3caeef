import { describe, expect, test } from 'vitest'
import { classifyNodeError, type RangeLimit, rangeLimitOf, rangeWordings } from '@wayleave/evm-types'

type Row = readonly [node: string, code: number, message: string, limit: RangeLimit, data?: unknown]

/** Words as they were read: ponder, eRPC and chainlink test vectors, threads named in the table of wordings. */
const rows: readonly Row[] = [
  ['Infura', -32602, 'range 1000000 exceeds limit of 10000', { of: 'blocks', most: 10_000 }],
  ['Infura', -32602, 'range 25887126 - 25897126 exceeds limit of 10000', { of: 'blocks', most: 10_000 }],
  [
    'Infura',
    -32005,
    'query returned more than 10000 results. Try with this block range [0xBDE5F8, 0x102DBCC].',
    { of: 'results', proposed: { from: 0xbde5f8, to: 0x102dbcc } },
    { from: '0xBDE5F8', limit: 10_000, to: '0x102DBCC' },
  ],
  [
    'Infura, in its data',
    -32005,
    'query returned more than 10000 results',
    { of: 'results', proposed: { from: 0xbde5f8, to: 0x102dbcc } },
    { from: '0xBDE5F8', limit: 10_000, to: '0x102DBCC' },
  ],
  [
    'zkSync, behind a proxy',
    -32000,
    'Response size exceeded',
    { of: 'results', proposed: { from: 0x7dfd25, to: 0x7e0fcc } },
    'Query returned more than 20000 results. Try with this block range [0x7dfd25, 0x7e0fcc].',
  ],
  [
    'Alchemy, free',
    -32600,
    'Under the Free tier plan, you can make eth_getLogs requests with up to a 10 block range. Based on your parameters, this block range should work: [0x1180fca, 0x1180fd3]. Upgrade to PAYG for expanded block range.',
    { of: 'blocks', most: 10, proposed: { from: 0x1180fca, to: 0x1180fd3 } },
  ],
  [
    'Alchemy',
    -32602,
    'Log response size exceeded. You can make eth_getLogs requests with up to a 2K block range and no limit on the response size, or you can request any block range with a cap of 10K logs in the response. Based on your parameters and the response size limit, this block range should work: [0xc5dc00, 0xc614a7]',
    { of: 'results', proposed: { from: 0xc5dc00, to: 0xc614a7 } },
  ],
  [
    'Alchemy, late',
    -32000,
    'Query timeout exceeded. Consider reducing your block range. Based on your parameters and the response size limit, this block range should work: [0x5223c98, 0x5223e80]',
    { of: 'results', proposed: { from: 0x5223c98, to: 0x5223e80 } },
  ],
  ['QuickNode', -32614, 'eth_getLogs is limited to a 10,000 range', { of: 'blocks', most: 10_000 }],
  ['QuickNode, free', -32615, 'eth_getLogs is limited to a 5 range', { of: 'blocks', most: 5 }],
  ['1RPC', -32602, 'eth_getLogs is limited to 0 - 50 blocks range', { of: 'blocks', most: 50 }],
  ['1RPC', -32602, 'response size should not greater than 10000000 bytes', { of: 'results' }],
  [
    'BlockPI',
    -32602,
    'eth_getLogs is limited to 1024 block range. Please check the parameter requirements',
    { of: 'blocks', most: 1_024 },
  ],
  ['BlockPI', -32000, 'block range is limited to 1000', { of: 'blocks', most: 1_000 }],
  ['Ankr', -32600, 'block range is too wide', { of: 'blocks' }],
  ['Ankr, TAC', -32000, 'maximum [from, to] blocks distance: 10000', { of: 'blocks', most: 10_000 }],
  ['dRPC', 35, 'ranges over 10000 blocks are not supported on free plan', { of: 'blocks', most: 10_000 }],
  ['Chainstack', -32602, 'Block range limit exceeded. See more details at the limits page', { of: 'blocks' }],
  ['PublicNode', -32701, 'exceed maximum block range: 50000', { of: 'blocks', most: 50_000 }],
  ['Cloudflare', -32047, 'Invalid eth_getLogs request. Max range: 800', { of: 'blocks', most: 800 }],
  ['Aurora', -32000, 'you can use up to a 2000 block range', { of: 'blocks', most: 2_000 }],
  [
    'Avalanche',
    -32000,
    'requested too many blocks from 0 to 16777216, maximum is set to 2048',
    { of: 'blocks', most: 2_048 },
  ],
  [
    'Tenderly',
    -32005,
    'Log response size exceeded. Maximum allowed number of requested blocks is 1000',
    { of: 'blocks', most: 1_000 },
  ],
  ['Sei', -32000, 'block range too large (2000), maximum allowed is 1000 blocks', { of: 'blocks', most: 1_000 }],
  ['Coinbase', -32602, 'please limit the query to at most 1,000 blocks', { of: 'blocks', most: 1_000 }],
  ['Ink', -32602, 'block range greater than 10000 max', { of: 'blocks', most: 10_000 }],
  ['Hyperliquid', -32602, 'invalid block range', { of: 'blocks' }],
  ['Somnia', -32000, 'block range exceeds 1000', { of: 'blocks', most: 1_000 }],
  ['Merkle', -32000, 'eth_getLogs range is too large, max is 10k blocks', { of: 'blocks', most: 10_000 }],
  ['Moonbeam', -32603, 'block range is too wide (maximum 1024)', { of: 'blocks', most: 1_024 }],
  ['Harmony', -32000, 'query must be smaller than size 1024', { of: 'blocks', most: 1_024 }],
  ['SimplyVC', -32000, 'too wide blocks range, the limit is 100', { of: 'blocks', most: 100 }],
  ['Blast', -32000, 'block range exceeds the range allowed for your plan (5000 > 500)', { of: 'blocks', most: 500 }],
  ['Conduit', -32012, 'requested range too large', { of: 'blocks' }],
  ['Scroll', -32000, 'block range is bigger than maxBlockRange', { of: 'blocks' }],
  ['Base', -32602, 'backend response too large', { of: 'results' }],
  ['reth', -32602, 'query exceeds max block range 100000', { of: 'blocks', most: 100_000 }],
  [
    'reth',
    -32602,
    'query exceeds max results 20000, retry with the range 24383075-24383096',
    { of: 'results', proposed: { from: 24_383_075, to: 24_383_096 } },
  ],
  ['erigon', -32000, 'query block range exceeds server limit, narrow your filter: 1000', { of: 'blocks', most: 1_000 }],
  ['erigon', -32000, 'query returns too many logs, narrow your filter: 20000', { of: 'results' }],
  ['cdk-erigon', -32005, 'block range too large, max range: 5000', { of: 'blocks', most: 5_000 }],
  ['nethermind', -32005, 'Too many logs requested. Max logs per response is 20000.', { of: 'results' }],
  ['besu', -32005, 'Requested range exceeds maximum RPC range limit', { of: 'blocks' }],
  ['Arbitrum', -32000, 'logs matched by query exceeds limit of 10000', { of: 'results' }],
  ['go-ethereum', -32003, 'response too large', { of: 'results' }],
  ['BNB Smart Chain', -32005, 'limit exceeded', { of: 'unknown' }],
]

const named = rows.map(([node, code, message, limit, data]) => ({ node, code, message, limit, data }))

describe('limits of ranges in the words of nodes', () => {
  test.each(named)('$node $code: $message', ({ code, message, limit, data }) => {
    expect(rangeLimitOf({ code, message, data })).toEqual(limit)
  })

  test.each(named)('$node $code: $message, is a refusal of the range', ({ code, message }) => {
    expect(['range_too_large', 'response_too_large', 'limit_exceeded']).toContain(classifyNodeError({ code, message }))
  })

  test('every row of the table is found in some words', () => {
    for (const { pattern, source } of rangeWordings)
      expect(
        rows.some(([, , message]) => pattern.test(message)),
        source,
      ).toBe(true)
  })

  test('numbers that no node can mean are no limit', () => {
    for (const number of ['0', '-5', '99999999999999999999', '1e9', '0x10', ''])
      expect(rangeLimitOf({ code: -32000, message: `exceed maximum block range: ${number}` })).toEqual({ of: 'blocks' })
    expect(rangeLimitOf({ code: -32000, message: 'block range is limited to -1000' })).toEqual({ of: 'blocks' })
  })

  test('ranges that no node can mean are not proposed', () => {
    for (const ends of ['0x2, 0x1', '0xfffffffffffffff, 0xfffffffffffffff', 'a, b'])
      expect(rangeLimitOf({ code: -32005, message: `more than 5 results: [${ends}]` })).toEqual({ of: 'results' })
    const data = { from: '', to: '0x'.padEnd(10_000_000, '1') }
    expect(rangeLimitOf({ code: -32005, message: 'too many results', data })).toEqual({ of: 'results' })
  })

  test('nine megabytes of words, and words that are none, are read in no time', () => {
    const message = 'block range 1'.repeat(700_000)
    expect(rangeLimitOf({ code: -32000, message, data: message })).toEqual({ of: 'blocks' })
    expect(rangeLimitOf({ code: -32000, message: 7 as unknown as string, data: null })).toEqual({ of: 'unknown' })
  })
})
