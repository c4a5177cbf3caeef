import { readFileSync } from 'node:fs'
import { rawJsonFromText, rawJsonFromValue, type RpcRequest } from '@wayleave/jsonrpc-core'
import { assert, property, uint8Array } from 'fast-check'
import { describe, expect, test } from 'vitest'
import { alreadyKnown, type Hex, transactionHash } from '../src/index.ts'
import { recorded } from './recorded.ts'

const sent = recorded('execution-apis-exchanges.json').filter(({ method }) => method === 'eth_sendRawTransaction')
const blob = JSON.parse(readFileSync(new URL('./vectors/blob-transaction.json', import.meta.url), 'utf8')) as {
  readonly network: Hex
  readonly transaction: Hex
  readonly hash: Hex
}
const known = { code: -32000, message: 'already known' }

function sending(params: unknown, method = 'eth_sendRawTransaction'): RpcRequest {
  return { method, params: rawJsonFromValue(params), notification: false }
}

describe('a transaction that the node had already', () => {
  test.each(sent)('has the hash that the node gave the first time: $id', ({ params, answer }) => {
    expect(alreadyKnown(sending(params), known)?.text()).toBe(JSON.stringify(answer.result))
  })

  test('with its blobs has the hash of the transaction without them', () => {
    expect(alreadyKnown(sending([blob.network]), known)?.value()).toBe(blob.hash)
    expect(alreadyKnown(sending([blob.transaction]), known)?.value()).toBe(blob.hash)
  })

  test('has the same hash in upper case', () => {
    const [{ params, answer }] = sent as [(typeof sent)[number]]
    const [raw] = params as [string]
    expect(transactionHash(`0x${raw.slice(2).toUpperCase()}`)).toBe(answer.result)
  })

  test('is recognised by the words of every node', () => {
    for (const message of ['Known transaction', 'AlreadyKnown', 'transaction already imported']) {
      expect(alreadyKnown(sending(sent[0]?.params), { code: -32010, message })).toBeDefined()
    }
  })
})

describe('nothing is made up', () => {
  const [raw] = sent[0]!.params as [Hex]
  test.each<[string, RpcRequest, { code: number; message: string }]>([
    ['another error', sending([raw]), { code: -32000, message: 'nonce too low' }],
    [
      'a transaction of the same nonce',
      sending([raw]),
      { code: -32000, message: 'replacement transaction underpriced' },
    ],
    ['another method', sending([raw], 'eth_call'), known],
    ['another method that answers with a receipt', sending([raw], 'eth_sendRawTransactionSync'), known],
    ['no params', { method: 'eth_sendRawTransaction', params: undefined, notification: false }, known],
    ['params by name', sending({ transaction: raw }), known],
    ['no transaction', sending([]), known],
    ['no hex', sending(['0xzz']), known],
    ['an odd count of digits', sending([`${raw}0`]), known],
    ['no bytes', sending(['0x']), known],
    ['bytes that start no transaction', sending(['0x8012']), known],
    ['a blob transaction cut short', sending([blob.network.slice(0, -2)]), known],
    ['a blob transaction with bytes behind it', sending([`${blob.network}00`]), known],
    ['a blob transaction whose inner one is longer than it', sending(['0x03c2f8ff']), known],
    ['a number', sending([1]), known],
  ])('for %s', (_, request, error) => {
    expect(alreadyKnown(request, error)).toBeUndefined()
  })

  test('for params that are no JSON', () => {
    const request = { method: 'eth_sendRawTransaction', params: rawJsonFromText('["0x'), notification: false }
    expect(alreadyKnown(request, known)).toBeUndefined()
  })

  test('never throws, whatever the bytes', () => {
    assert(
      property(uint8Array({ maxLength: 80 }), (bytes) => {
        const hex = Buffer.from(bytes).toString('hex')
        for (const text of [`0x${hex}`, `0x03${hex}`, `0x03f9${hex}`] as const) {
          expect(transactionHash(text) ?? `0x${'0'.repeat(64)}`).toMatch(/^0x[0-9a-f]{64}$/)
        }
      }),
    )
  })
})
