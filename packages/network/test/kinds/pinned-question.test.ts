import { rawJsonFromText, type RpcRequest } from '@wayleave/jsonrpc-core'
import { evmMethods } from '@wayleave/evm-types'
import { expect, test } from 'vitest'
import { evmCache } from '../../src/kinds/evm-cache.ts'
import { evmPin } from '../../src/kinds/evm-pin.ts'

const blocks = [1, 2].map((n) => ({ number: 100 + n, hash: `0x${String(n).repeat(64)}` }))
const address = `0x${'ab'.repeat(20)}`

/** A cache that counts the requests that were printed for it. */
function counted() {
  const pin = evmPin(evmMethods)
  let printed = 0
  const cache = evmCache(evmMethods, (request, block) => {
    printed++
    return pin(request, block)
  })
  return { cache, printed: () => printed }
}

const heads = (n: number) => ({ head: blocks[n]!, finalized: 50, hashAt: () => blocks[n]!.hash })
const call = (method: string, params: string): RpcRequest => ({
  method,
  params: rawJsonFromText(params),
  notification: false,
})

test.each([
  ['eth_getBalance', `["${address}","latest"]`],
  ['eth_getBalance', `["${address}","0x65"]`],
  ['eth_feeHistory', '["0x4","latest",[]]'],
  ['eth_getLogs', '[{"fromBlock":"latest","toBlock":"latest"}]'],
])('a question of %s %s is named without printing its request', (method, params) => {
  const { cache, printed } = counted()
  const question = cache.classify(call(method, params), heads(0))
  expect(question).toBeDefined()
  expect(printed()).toBe(0)
  expect(question!.ask?.params?.text()).not.toBe(params)
  expect(printed()).toBe(1)
})

test('a question is named by the block of its moment, however often it was asked at another one', () => {
  const { cache } = counted()
  const names = [0, 0, 1, 0].map((n) => {
    const question = cache.classify(call('eth_getBalance', `["${address}","latest"]`), heads(n))!
    return { key: question.key, life: question.life, asked: question.ask!.params!.text() }
  })
  expect(names[0]).toEqual(names[1])
  expect(names[0]).toEqual(names[3])
  expect(names[2]!.key).not.toBe(names[0]!.key)
  expect(names[2]!.life).toEqual({ of: 'block', hash: blocks[1]!.hash })
  expect(names[2]!.asked).toContain(blocks[1]!.hash)
})

test('an account of one call is no account of another one that came before it', () => {
  const { cache } = counted()
  const asked = ['eth_getBalance', 'eth_getTransactionCount', 'eth_getBalance'].map(
    (method) => cache.classify(call(method, `["${address}","latest"]`), heads(0))!.key,
  )
  expect(asked[0]).toBe(asked[2])
  expect(asked[1]).not.toBe(asked[0])
})
