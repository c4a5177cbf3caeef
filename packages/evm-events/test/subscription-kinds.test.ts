import { describe, expect, it } from 'vitest'
import { scene } from './support.ts'

const address = `0x${'aB'.repeat(20)}`
const topic = `0x${'cd'.repeat(32)}`
const thousand = (value: string): string[] => Array.from({ length: 1_000 }, () => value)

describe('eth_subscribe takes', () => {
  it.each([
    '["newHeads"]',
    '["newPendingTransactions"]',
    '["newPendingTransactions",true]',
    '["newPendingTransactions",false]',
    '["newPendingTransactions",null]',
    '["logs",{}]',
    '["logs",null]',
    `["logs",{"address":"${address}"}]`,
    `["logs",{"address":["${address}","${address}"],"topics":["${topic}",null,["${topic}",null],[]]}]`,
    JSON.stringify(['logs', { address: thousand(address), topics: Array.from({ length: 4 }, () => thousand(topic)) }]),
    '["logs",{"address":null,"topics":null,"fromBlock":"latest","later":1}]',
    '["\\u006eewHeads"]',
    '["newHeads",null]',
    `["newHeads",{"fromHash":"${topic}"}]`,
    '["logs",{"fromBlock":"0x0","toBlock":"latest"}]',
    '["syncing"]',
    '["transactionReceipts"]',
    '["transactionReceipts",null]',
    `["transactionReceipts",{"transactionHashes":["${topic}"]}]`,
    '["newFlashblocks",{"any":[1]},2]',
    '["toString"]',
    '["__proto__"]',
  ])('%s', async (params) => {
    const { ask, asked } = scene()
    expect((await ask('eth_subscribe', params)).error).toBeUndefined()
    expect(asked).toEqual([`eth_subscribe ${params}`])
  })
})

// The words are those of go-ethereum: rpc/json.go, rpc/errors.go, eth/filters/api.go.
describe('eth_subscribe refuses, and no peer is asked,', () => {
  const invalid = (message: string): object => ({ code: -32602, message })
  it.each<[string | undefined, object]>([
    [undefined, invalid('non-array args')],
    ['{"0":"newHeads"}', invalid('non-array args')],
    ['[]', invalid('expected subscription name as first argument')],
    ['[null]', invalid('expected subscription name as first argument')],
    ['[["newHeads"]]', invalid('expected subscription name as first argument')],
    ['["newHeads",{},1]', invalid('too many arguments, want at most 2')],
    ['["newHeads",true]', invalid('invalid argument 1: json: cannot unmarshal bool into options of newHeads')],
    ['["syncing",{}]', invalid('too many arguments, want at most 1')],
    ['["transactionReceipts",[]]', invalid('invalid argument 1: json: cannot unmarshal array into a receipts query')],
    [
      '["transactionReceipts",{"transactionHashes":"0x"}]',
      invalid('invalid argument 1: transactionHashes: expected an array of hashes'),
    ],
    [
      '["transactionReceipts",{"transactionHashes":["0x01"]}]',
      invalid(
        'invalid argument 1: transactionHashes: hex has invalid length 1 after decoding; expected 32 for common.Hash',
      ),
    ],
    [
      `["transactionReceipts",{"transactionHashes":[${Array.from({ length: 201 }, () => `"${topic}"`).join(',')}]}]`,
      invalid('invalid argument 1: transactionHashes: at most 200 hashes'),
    ],
    ...['"newHeads"', '"logs"'].flatMap((kind): [string, object][] => [
      [
        `[${kind},{"fromBlock":"0x1","fromHash":"${topic}"}]`,
        invalid('invalid argument 1: cannot specify both fromBlock and fromHash, choose one or the other'),
      ],
      [
        `[${kind},{"fromHash":"0x1"}]`,
        invalid('invalid argument 1: fromHash: expected the hash of a block, 32 bytes in hex'),
      ],
      [
        `[${kind},{"fromBlock":7}]`,
        invalid('invalid argument 1: fromBlock: expected a block number in hex, earliest or latest'),
      ],
      [
        `[${kind},{"fromBlock":"0x1","toBlock":"0x2"}]`,
        invalid('invalid argument 1: toBlock: a subscription has no end, leave it out'),
      ],
    ]),
    ['["logs"]', invalid('missing value for required argument 1')],
    ['["logs",{},{}]', invalid('too many arguments, want at most 2')],
    ['["newPendingTransactions",true,1]', invalid('too many arguments, want at most 2')],
    [
      '["newPendingTransactions","true"]',
      invalid('invalid argument 1: json: cannot unmarshal string into Go value of type bool'),
    ],
    [
      '["newPendingTransactions",{}]',
      invalid('invalid argument 1: json: cannot unmarshal object into Go value of type bool'),
    ],
    ['["logs","x"]', invalid('invalid argument 1: json: cannot unmarshal string into a log filter')],
    ['["logs",[]]', invalid('invalid argument 1: json: cannot unmarshal array into a log filter')],
    ['["logs",{"address":1}]', invalid('invalid argument 1: invalid addresses in query')],
    ['["logs",{"address":[1]}]', invalid('invalid argument 1: non-string address at index 0')],
    ['["logs",{"address":""}]', invalid('invalid argument 1: invalid address: empty hex string')],
    [
      `["logs",{"address":["${address}","0xabc"]}]`,
      invalid('invalid argument 1: invalid address at index 1: hex string of odd length'),
    ],
    [
      '["logs",{"address":"0xab"}]',
      invalid('invalid argument 1: invalid address: hex has invalid length 1 after decoding; expected 20 for address'),
    ],
    [
      `["logs",{"address":"${address.slice(2)}"}]`,
      invalid('invalid argument 1: invalid address: hex string without 0x prefix'),
    ],
    [`["logs",{"address":"0x${'zz'.repeat(20)}"}]`, invalid('invalid argument 1: invalid address: invalid hex string')],
    ['["logs",{"topics":{}}]', invalid('invalid argument 1: invalid topic(s)')],
    ['["logs",{"topics":[1]}]', invalid('invalid argument 1: invalid topic(s)')],
    ['["logs",{"topics":[[1]]}]', invalid('invalid argument 1: invalid topic(s)')],
    ['["logs",{"topics":[[["0x"]]]}]', invalid('invalid argument 1: invalid topic(s)')],
    ['["logs",{"topics":[null,null,null,null,null]}]', invalid('invalid argument 1: exceed max topics')],
    [
      JSON.stringify(['logs', { address: [...thousand(address), address] }]),
      invalid('invalid argument 1: exceed max addresses or topics per search position'),
    ],
    [
      JSON.stringify(['logs', { topics: [null, [...thousand(topic), topic]] }]),
      invalid('invalid argument 1: exceed max addresses or topics per search position'),
    ],
    [
      '["logs",{"topics":["0x01"]}]',
      invalid('invalid argument 1: hex has invalid length 1 after decoding; expected 32 for topic'),
    ],
  ])('%s', async (params, error) => {
    const { ask, asked } = scene()
    expect(await ask('eth_subscribe', params)).toEqual({ error })
    expect(asked).toEqual([])
  })
})

describe('eth_unsubscribe refuses', () => {
  const invalid = (message: string): object => ({ code: -32602, message })
  const notFound = { code: -32000, message: 'subscription not found' }
  it.each<[string | undefined, object]>([
    [undefined, invalid('missing value for required argument 0')],
    ['[]', invalid('missing value for required argument 0')],
    ['{"id":"0x1"}', invalid('non-array args')],
    ['["0x1","0x2"]', invalid('too many arguments, want at most 1')],
    ['[1]', invalid('invalid argument 0: json: cannot unmarshal number into Go value of type rpc.ID')],
    ['[["0x1"]]', invalid('invalid argument 0: json: cannot unmarshal array into Go value of type rpc.ID')],
    ['[true]', invalid('invalid argument 0: json: cannot unmarshal bool into Go value of type rpc.ID')],
    ['[null]', notFound],
    ['[""]', notFound],
    ['["0x1"]', notFound],
    ['["__proto__"]', notFound],
  ])('%s', async (params, error) => {
    expect(await scene().ask('eth_unsubscribe', params)).toEqual({ error })
  })
})
