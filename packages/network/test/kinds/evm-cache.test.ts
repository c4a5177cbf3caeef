import { rawJsonFromText, type RpcRequest } from '@wayleave/jsonrpc-core'
import type { CachedQuestion } from '@wayleave/rpc-cache'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { CacheHeads } from '../../src/kinds/cache-kind.ts'
import { networkKinds } from '../../src/kinds/index.ts'

const cache = networkKinds.evm.cache!
const word = (digits: string): string => `0x${digits.repeat(64 / digits.length)}`
const head = { number: 500, hash: word('ab') }
const parent = word('cd')
const heads: CacheHeads = {
  head,
  finalized: 400,
  hashAt: (height) => (height === 500 ? head.hash : height === 499 ? parent : undefined),
}
const address = `0x${'aB'.repeat(20)}`
const to = address.toLowerCase()

const call = (method: string, params?: string): RpcRequest => ({
  method,
  params: params === undefined ? undefined : rawJsonFromText(params),
  notification: false,
})
const asked = (method: string, params?: string, at = heads): CachedQuestion | undefined =>
  cache.classify(call(method, params), at)
const keyOf = (method: string, params?: string): string | undefined => asked(method, params)?.key
/** The request that a node gets for a call, as `method params`. */
function sentFor(method: string, params: string): string | undefined {
  const question = asked(method, params)
  const { method: by, params: args } = question?.ask ?? call(method, params)
  return question && `${by} ${args?.text()}`
}

it('logs of a range above the finalized block are named as long as they are settled, and otherwise than final ones', () => {
  const settled = { ...heads, settled: 450 }
  const range = (last: string, at: CacheHeads) => asked('eth_getLogs', `[{"fromBlock":"0x1","toBlock":"${last}"}]`, at)
  expect(range('0x1c2', settled)).toMatchObject({ life: { of: 'numbers', to: 450 } })
  expect(range('0x1c3', settled)).toBeUndefined()
  expect(range('0x1c2', heads)).toBeUndefined()
  const final = range('0x1c2', { ...settled, finalized: 450 })
  expect(final).toMatchObject({ life: { of: 'numbers', to: 450 } })
  expect(final!.key).not.toBe(range('0x1c2', settled)!.key)
})

describe('spellings of one question share its key', () => {
  it.each<[method: string, spellings: readonly string[]]>([
    ['eth_getBalance', [`["${address}","0x1"]`, `["${to}","0x01"]`, `[ "${address}" , {"blockNumber": "0x1"} ]`]],
    ['eth_getBalance', [`["${to}"]`, `["${to}",null]`, `["${to}","latest"]`, `["${to}","0x1f4"]`]],
    [
      'eth_getBalance',
      [
        `["${to}","${head.hash}"]`,
        `["${to}",{"blockHash":"${head.hash.toUpperCase().replace('X', 'x')}"}]`,
        `["${to}",{"requireCanonical":false,"blockHash":"${head.hash}"}]`,
        `["${to}","latest"]`,
      ],
    ],
    ['eth_getBlockByNumber', ['["0x0",false]', '["earliest",false]', '["0x00", false]']],
    ['eth_getStorageAt', [`["${to}","0x0","0x1"]`, `["${to}","${word('0')}","0x1"]`]],
    [
      'eth_call',
      [
        `[{"to":"${to}","data":"0xABCD"},"0x1"]`,
        `[{"data":"0xabcd","to":"${address}","from":null},"0x1",null]`,
        `[{"data":"0xabcd","to":"${address}"},"0x1",{},{}]`,
      ],
    ],
    ['eth_call', [`[{"to":"${to}","value":"0x0a"},"0x1"]`, `[{"value":"0xA","to":"${to}"},"0x1"]`]],
    ['eth_getTransactionReceipt', [`["${word('aB')}"]`, `["${word('ab')}"]`]],
    ['eth_chainId', ['[]', '[ ]']],
    [
      'eth_getLogs',
      [
        `[{"fromBlock":"0x1","toBlock":"0x2","address":"${address}","topics":["${word('ab')}"]}]`,
        `[{"toBlock":"0x02","fromBlock":"0x1","topics":[["${word('AB').replace('X', 'x')}"]],"address":["${to}"]}]`,
      ],
    ],
    [
      'eth_getLogs',
      [
        '[{}]',
        '[{"fromBlock":"latest"}]',
        `[{"blockHash":"${head.hash}"}]`,
        '[{"fromBlock":"0x1f4","toBlock":"0x1f4"}]',
      ],
    ],
  ])('%s %s', (method, spellings) => {
    const [first, ...others] = spellings.map((params) => keyOf(method, params))
    expect(first).toBeDefined()
    expect(others).toEqual(others.map(() => first))
  })

  it('as does the head by its number, for methods that take no hash', () => {
    const [latest, number] = ['latest', '0x1f4'].map((block) => asked('eth_feeHistory', `["0x4","${block}",[25]]`))
    expect(number).toMatchObject({ key: latest!.key, life: latest!.life })
    expect(asked('eth_feeHistory', '["0x4","0x1f3",[25]]')).toBeUndefined()
  })

  it('as do a block by its number and by its hash, where the served chain tells both', () => {
    expect(keyOf('eth_getBlockByNumber', '["latest",true]')).toBe(keyOf('eth_getBlockByHash', `["${head.hash}",true]`))
    expect(keyOf('eth_getBlockByNumber', '["0x1f3",true]')).toBe(keyOf('eth_getBlockByHash', `["${parent}",true]`))
  })
})

it.each<[method: string, params: string, sent: string]>([
  ['eth_getBalance', `["${to}","latest"]`, `eth_getBalance ["${to}",{"blockHash":"${head.hash}"}]`],
  ['eth_getBalance', `["${to}","0x1f3"]`, `eth_getBalance ["${to}",{"blockHash":"${parent}"}]`],
  ['eth_getBlockByNumber', '["latest",false]', `eth_getBlockByHash ["${head.hash}",false]`],
  ['eth_getBlockReceipts', '["latest"]', `eth_getBlockReceipts ["${head.hash}"]`],
  ['eth_getLogs', `[{"address":"${to}"}]`, `eth_getLogs [{"address":"${to}","blockHash":"${head.hash}"}]`],
  ['eth_getLogs', '[{"fromBlock":"0x1f3","toBlock":"0x1f3"}]', `eth_getLogs [{"blockHash":"${parent}"}]`],
  // A question about final blocks is asked as it came.
  ['eth_getBalance', `["${address}","0x10"]`, `eth_getBalance ["${address}","0x10"]`],
  ['eth_getBlockByNumber', '["earliest",false]', 'eth_getBlockByNumber ["0x0",false]'],
  // No node takes a hash there.
  ['eth_feeHistory', '["0x4","latest",[25.5]]', 'eth_feeHistory ["0x4","0x1f4",[25.5]]'],
])('a node is asked %s %s as %s', (method, params, sent) => {
  expect(sentFor(method, params)).toBe(sent)
})

it.each<[method: string, params: string]>([
  ['eth_getBalance', `["${to}","pending"]`],
  ['eth_getBalance', `["${to}","safe"]`],
  ['eth_getBalance', `["${to}","finalized"]`],
  // Beyond the head, and where nobody knows the block.
  ['eth_getBalance', `["${to}","0x1f5"]`],
  ['eth_getBalance', `["${to}","0x1a0"]`],
  // Words that nobody here knows.
  ['eth_getBalance', `["${to}","latest",1]`],
  ['eth_getBalance', `["${to}",{"blockHash":"${head.hash}","further":1}]`],
  ['eth_call', `[{"to":"${to}","gasLimit":"0x1"},"0x1"]`],
  ['eth_getLogs', '[{"fromBlock":"0x1","toBlock":"0x2","limit":1}]'],
  ['eth_getLogs', '[{"fromBlock":"earliest","toBlock":"0x2"}]'],
  ['eth_getLogs', '[{"fromBlock":"0x2","toBlock":"0x1"}]'],
  ['eth_getLogs', '[{"fromBlock":"0x1","toBlock":"0x1f4"}]'],
  ['eth_getLogs', '[{"fromBlock":"0x1","toBlock":"latest"}]'],
  // More than one reading.
  ['eth_call', `[{"to":"${to}","to":"${word('1').slice(0, 42)}"},"0x1"]`],
  ['eth_call', `[{"to":"${to}"},"0x1",{"${address}":{"nonce":9007199254740993}}]`],
  ['eth_getBalance', `{"address":"${to}"}`],
  // An answer that is wanted only while the block is on the chain, which nobody here knows of any hash.
  ['eth_getBalance', `["${to}",{"blockHash":"${head.hash}","requireCanonical":true}]`],
  // Nodes choose the block themselves.
  ['eth_estimateGas', `[{"to":"${to}"}]`],
  ['eth_sendRawTransaction', '["0x00"]'],
  ['eth_syncing', '[]'],
  ['eth_gasPrice', '["0x1"]'],
])('%s %s has no key', (method, params) => {
  expect(asked(method, params)).toBeUndefined()
})

it('nothing that depends on the head has a key while it is not known', () => {
  const none: CacheHeads = { head: undefined, finalized: undefined, hashAt: () => undefined }
  const questions: readonly (readonly [string, string])[] = [
    ['eth_getBalance', `["${to}"]`],
    ['eth_getBalance', `["${to}","0x1"]`],
    ['eth_gasPrice', '[]'],
    ['eth_getLogs', '[{}]'],
  ]
  expect(questions.map(([method, params]) => asked(method, params, none))).toEqual(questions.map(() => undefined))
  expect(asked('eth_getBlockByHash', `["${parent}",false]`, none)?.life).toEqual({ of: 'block', hash: parent })
})

it('what is remembered of a text takes the heads of its next call', () => {
  const params = `["${to}","latest"]`
  const first = keyOf('eth_getBalance', params)
  const next = { ...heads, head: { number: 501, hash: word('ef') } }
  expect(asked('eth_getBalance', params, next)?.key).not.toBe(first)
  expect(asked('eth_getBalance', params, next)?.ask?.params?.text()).toContain(word('ef'))
})

const blocks = ['0x1', '0x2', '0x1f3', '0x1f4', 'latest', 'earliest', head.hash, word('12')]
const accounts = [to, `0x${'12'.repeat(20)}`]

it('questions that differ have keys that differ', () => {
  /** The block that a name means here. */
  const meaning = (block: string): string =>
    ({ latest: head.hash, '0x1f4': head.hash, '0x1f3': parent, earliest: '0x0' })[block] ?? block
  const question = fc.record({
    method: fc.constantFrom('eth_getBalance', 'eth_getCode', 'eth_getTransactionCount'),
    account: fc.constantFrom(...accounts),
    block: fc.constantFrom(...blocks),
  })
  fc.assert(
    fc.property(question, question, (one, other) => {
      const isSame =
        one.method === other.method && one.account === other.account && meaning(one.block) === meaning(other.block)
      const [a, b] = [one, other].map(({ method, account, block }) => keyOf(method, `["${account}","${block}"]`))
      expect(a).toBeDefined()
      expect(a === b).toBe(isSame)
    }),
  )
})

it('calls with another meaning have another key', () => {
  const hexes = ['0x', '0x00', '0x0a', '0x0b']
  const member = fc.option(fc.constantFrom(...hexes), { nil: undefined })
  const quantity = fc.option(fc.constantFrom('0x0', '0xa', '0xb'), { nil: undefined })
  const object = fc.record({
    to: fc.constantFrom(...accounts),
    from: fc.option(fc.constantFrom(...accounts), { nil: undefined }),
    data: member,
    input: member,
    value: quantity,
    gas: quantity,
  })
  const overrides = fc.constantFrom(undefined, { [to]: { balance: '0x1' } }, { [to]: { code: '0x01' } })
  const print = (value: unknown, block: unknown, state: unknown): string =>
    JSON.stringify([value, block, state ?? null])
  fc.assert(
    fc.property(object, object, overrides, overrides, (one, other, first, second) => {
      const a = keyOf('eth_call', print(one, '0x1', first))
      const b = keyOf('eth_call', print(other, '0x1', second))
      expect(a).toBeDefined()
      const sorted = (value: object): string =>
        JSON.stringify(
          Object.entries(value)
            .filter(([, each]) => each !== undefined)
            .toSorted(),
        )
      expect(a === b).toBe(sorted(one) === sorted(other) && first === second)
    }),
  )
})

it('the served head answers a question for it alone', () => {
  expect(cache.answerAt(call('eth_blockNumber', '[]'), head)?.result).toMatchObject({})
  expect(cache.answerAt(call('eth_blockNumber', '[1]'), head)).toBeUndefined()
  expect(cache.answerAt(call('eth_gasPrice', '[]'), head)).toBeUndefined()
})

it('commands of development nodes reset what is kept, and methods of chains do not', () => {
  expect(['anvil_setBalance', 'evm_revert', 'hardhat_reset', 'debug_setHead'].every(cache.resets)).toBe(true)
  expect(['eth_sendRawTransaction', 'zks_L1BatchNumber', 'bor_getAuthor', 'debug_traceCall'].some(cache.resets)).toBe(
    false,
  )
})

describe('traces of a block', () => {
  const trace = {
    txHash: word('1'),
    result: { from: to, gas: '0x1', input: '0x', error: 'execution reverted', calls: [] },
  }
  const isKept = (...traces: readonly object[]): boolean =>
    !cache.isUnsound(call('debug_traceBlockByHash'), rawJsonFromText(JSON.stringify(traces)))

  it('are kept with inner calls that failed', () => {
    const inner = { from: to, input: '0x1', output: '0x2', error: 'out of gas', revertReason: '"error":' }
    expect(isKept(trace, { ...trace, result: { ...trace.result, calls: [inner] } })).toBe(true)
  })

  it.each([
    { txHash: word('2'), error: 'execution timeout' },
    // In the other order.
    { error: 'execution timeout', txHash: word('2') },
    { txHash: word('2'), result: null, error: { code: -32000, message: 'execution timeout' } },
    { txHash: word('2'), result: {}, error: 'execution timeout' },
  ])('are not where one of them failed: %j', (failed) => {
    expect(isKept(failed, trace)).toBe(false)
    expect(isKept(trace, failed)).toBe(false)
    const spaced = JSON.stringify([trace, failed], null, 2)
    expect(cache.isUnsound(call('debug_traceBlockByHash'), rawJsonFromText(spaced))).toBe(true)
  })
})
