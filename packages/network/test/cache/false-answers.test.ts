import { createLog } from '@wayleave/telemetry'
import { headerHash, receiptsRoot } from '@wayleave/evm-verify'
import {
  createContext,
  type RawJson,
  rawJsonFromText,
  rawJsonFromValue,
  type RpcRequest,
  type RpcResponse,
} from '@wayleave/jsonrpc-core'
import { FakeClock } from '@wayleave/jsonrpc-core/testing'
import { cacheOutcome, createMemoryStore, type KeptAnswer } from '@wayleave/rpc-cache'
import type { HeadUpdate, Position } from '@wayleave/upstream'
import { describe, expect, it } from 'vitest'
import { networkKinds } from '../../src/kinds/index.ts'
import { createRewrittenChains, hintsOf } from '@wayleave/network'
import { absent } from '../../src/cache/confirmers.ts'
import { createAnswerSources } from '../../src/life/answer-sources.ts'
import { createBlockHashes } from '../../src/cache/block-hashes.ts'
import { createCacheStage } from '../../src/cache/cache-stage.ts'
import type { Chain } from '../../src/heads/chain.ts'
import { exclusionChanges } from '../../src/upstreams/exclusion-reasons.ts'
import type { NetworkAnswers } from '../../src/cache/shared-answer-cache.ts'

type Members = Readonly<Record<string, unknown>>

const kind = networkKinds.evm
const word = (number: number): string => `0x${number.toString(16).padStart(64, '0')}`
const hex = (number: number): string => `0x${number.toString(16)}`
const account = `0x${'11'.repeat(20)}`

/** A block that hashes to its name. */
function blockAt(number: number, further: Members = {}) {
  const header = {
    parentHash: word(number),
    sha3Uncles: word(2),
    miner: account,
    stateRoot: word(3),
    transactionsRoot: word(4),
    receiptsRoot: receiptsRoot([]),
    logsBloom: `0x${'00'.repeat(256)}`,
    difficulty: '0x0',
    number: hex(number),
    gasLimit: '0x1',
    gasUsed: '0x0',
    timestamp: hex(number),
    extraData: '0x',
    mixHash: word(5),
    nonce: '0x0000000000000000',
    baseFeePerGas: '0x7',
    ...further,
  }
  return { ...header, hash: headerHash(header as never) as string, transactions: [word(77)] as unknown[], uncles: [] }
}

const block = blockAt(50)
const other = blockAt(51)
const hash = word(77)
const place = { blockHash: block.hash, blockNumber: hex(50), transactionIndex: '0x0' }
const log = { ...place, transactionHash: hash, address: account, topics: [word(9)], data: '0x', logIndex: '0x0' }
const receipt = { ...place, transactionHash: hash, logs: [log], status: '0x1' }
const transaction = { ...place, hash, from: account, nonce: '0x0' }

/**
 * A stage over a node that gives answers in turn, the last one for ever, and a cache that other processes share. `elsewhere`: the block at any
 * height, as another node tells it. Default: there is none.
 */
function scene(answers: readonly string[], headers = true, elsewhere?: unknown) {
  const clock = new FakeClock()
  const listeners = new Set<(update: HeadUpdate) => void>()
  const view = {
    head: undefined as Position | undefined,
    finalized: { number: 92, hash: word(92) },
    blockTimeMs: 2_000,
    wanted() {},
    watch(listener: (update: HeadUpdate) => void) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    headAfter: async () => view.head,
    of: () => ({ health: 'good', chain: 'right', isStrange: false, isLost: false, head: view.head }),
  }
  const others = new Map<string, KeptAnswer>()
  const shared: NetworkAnswers = {
    get: async (key) => others.get(key),
    set: (key, kept) => void others.set(key, kept),
    read: async (key) => others.get(key),
  }
  const warnings: string[] = []
  const sources = createAnswerSources()
  const stage = createCacheStage({
    partition: 'mainnet',
    kind,
    cache: kind.cache!,
    reader: kind.heads('0x1'),
    chain: { view, headToPin: () => view.head, pollSoon() {} } as unknown as Chain,
    life: {
      rewritten: Object.assign(
        createRewrittenChains(createLog({ level: 'silent' }), { chainsReplaced: () => ({ add() {} }) }).of(
          'mainnet',
          'mainnet:1',
        ),
        { epoch: 'first' },
      ),
      written: new Set(),
    },
    store: createMemoryStore({ maxBytes: 2 ** 28 }),
    shared,
    sources,
    verified: undefined,
    keepsUnproven: true,
    hashAt: async () => undefined,
    ...(headers && {
      isHashed: createBlockHashes({ headerHash: headerHash as never, onOdd: () => warnings.push('odd') }),
    }),
    findConfirmer: () => (elsewhere === undefined ? absent : 'other'),
    onOutcome() {},
    clock,
  })
  let asked = 0
  const lookedUp: unknown[] = []
  const node = async (request: RpcRequest): Promise<RpcResponse> => {
    if (hintsOf(request).pinnedUpstream === 'other') {
      lookedUp.push(request.params?.value())
      return { result: rawJsonFromValue(elsewhere), meta: { endpoint: 'other' } }
    }
    return {
      result: rawJsonFromText(answers[Math.min(asked++, answers.length - 1)]!),
      meta: { endpoint: 'node' },
    }
  }
  const handler = stage.wrap(node, undefined)
  const header = rawJsonFromValue({
    number: hex(100),
    hash: word(100),
    parentHash: word(99),
    timestamp: hex(Math.floor(clock.date() / 1_000)),
  })
  view.head = { number: 100, hash: word(100) }
  for (const listener of listeners) listener({ kind: 'new', at: view.head, header } as unknown as HeadUpdate)
  return {
    others,
    warnings,
    sources,
    lookedUp,
    async call(method: string, params: readonly unknown[]) {
      const context = createContext({ clock })
      const request: RpcRequest = { method, params: rawJsonFromValue(params), notification: false }
      const response = await handler(request, context).finally(() => context.release())
      return [(response.result as RawJson).text(), cacheOutcome.of(response.meta)] as const
    },
  }
}

const byHash = ['eth_getBlockByHash', [block.hash, false]] as const
const byNumber = ['eth_getBlockByNumber', [hex(50), false]] as const
const byTransaction = ['eth_getTransactionByHash', [hash]] as const
const ofReceipt = ['eth_getTransactionReceipt', [hash]] as const
const inBlock = ['eth_getLogs', [{ blockHash: block.hash, address: account }]] as const
const inRange = ['eth_getLogs', [{ fromBlock: hex(48), toBlock: hex(52), topics: [word(9)] }]] as const
const atIndex = ['eth_getTransactionByBlockHashAndIndex', [block.hash, '0x0']] as const
const ofAll = ['eth_getBlockReceipts', [hex(50)]] as const
const html = '<html>busy</html>'

describe('a node that answers falsely once and honestly afterwards has nothing false kept:', () => {
  it.each<[title: string, asked: readonly [string, readonly unknown[]], wrong: unknown, right: unknown]>([
    ['another block by its hash', byHash, other, block],
    ['a word for a block', byHash, 'oops', block],
    ['a number for a block', byHash, 7, block],
    ['HTML for a block', byHash, html, block],
    ['a block with another state root', byHash, { ...block, stateRoot: word(666) }, block],
    ['a block whose transactions are no list', byHash, { ...block, transactions: {} }, block],
    ['another block by its number', byNumber, other, block],
    ['a block by its number that does not hash to its name', byNumber, { ...block, gasUsed: '0x9' }, block],
    ['another transaction', byTransaction, { ...transaction, hash: word(78) }, transaction],
    ['a transaction without a block', byTransaction, { ...transaction, blockHash: '0x1' }, transaction],
    ['a receipt of another transaction', ofReceipt, { ...receipt, transactionHash: word(78) }, receipt],
    [
      'a receipt with the logs of another block',
      ofReceipt,
      { ...receipt, logs: [{ ...log, blockHash: other.hash }] },
      receipt,
    ],
    ['a receipt that is no object', ofReceipt, [receipt], receipt],
    ['receipts of another block', ofAll, [{ ...receipt, blockHash: other.hash, blockNumber: hex(51) }], [receipt]],
    ['logs of another block', inBlock, [{ ...log, blockHash: other.hash }], [log]],
    ['logs of another address', inBlock, [{ ...log, address: `0x${'22'.repeat(20)}` }], [log]],
    ['logs outside of the range', inRange, [{ ...log, blockNumber: hex(20) }], [log]],
    ['logs with other topics', inRange, [{ ...log, topics: [word(8)] }], [log]],
    ['the transaction at another index', atIndex, { ...transaction, transactionIndex: '0x1' }, transaction],
    ['HTML for a balance', ['eth_getBalance', [account, hex(50)]], html, '0x1'],
    ['a number for code', ['eth_getCode', [account, { blockHash: block.hash }]], 7, '0x60'],
    ['an object for a call', ['eth_call', [{ to: account }, { blockHash: block.hash }]], {}, '0x'],
    ['a word for a count', ['eth_getBlockTransactionCountByHash', [block.hash]], 'many', '0x1'],
    ['a word for traces', ['debug_traceBlockByHash', [block.hash]], 'none', [{ txHash: hash, result: {} }]],
    [
      'traces of another block',
      ['trace_block', [hex(50)]],
      [{ ...log, blockHash: other.hash, blockNumber: 99 }],
      [{ blockHash: block.hash, blockNumber: 50 }],
    ],
  ])('%s', async (_title, [method, params], wrong, right) => {
    const { call, others } = scene([JSON.stringify(wrong), JSON.stringify(right)])
    expect(await call(method, params)).toEqual([JSON.stringify(wrong), 'miss'])
    expect(others.size).toBe(0)
    expect(await call(method, params)).toEqual([JSON.stringify(right), 'miss'])
    if (right !== '0x') expect(await call(method, params)).toEqual([JSON.stringify(right), 'hit'])
  })
})

describe('where the good blocks of a chain do not hash to their names', () => {
  const odd = (number: number) => JSON.stringify({ ...blockAt(number), extra: '0x1', hash: word(number) })

  it('name and shape decide after three of them came twice alike, and that is said once', async () => {
    const numbers = [50, 51, 52]
    const { call, warnings } = scene(numbers.flatMap((number) => [odd(number), odd(number)]).concat(odd(53)))
    for (const number of numbers)
      for (const _ of 'ab') expect((await call('eth_getBlockByHash', [word(number), false]))[1]).toBe('miss')
    expect(warnings).toEqual(['odd'])
    expect((await call('eth_getBlockByHash', [word(53), false]))[1]).toBe('miss')
    expect((await call('eth_getBlockByHash', [word(53), false]))[1]).toBe('hit')
    expect(warnings).toEqual(['odd'])
  })

  it('one block that hashes shows that they do', () => {
    const isHashed = createBlockHashes({ headerHash: headerHash as never, onOdd: () => expect.unreachable() })
    expect(isHashed(block)).toBe(true)
    for (const number of [50, 51, 52, 53])
      for (const _ of 'abc') expect(isHashed({ ...blockAt(number), hash: word(number) })).toBe(false)
  })
})

describe('a receipt of an old block', () => {
  it('that no other node knows is never kept, though its node gives it for ever', async () => {
    const { call, lookedUp } = scene([JSON.stringify(receipt)], true, blockAt(50, { gasUsed: '0x9' }))
    for (const _ of 'abcd') expect((await call(...ofReceipt))[1]).toBe('miss')
    // Each second time, as the other node may be the false one.
    expect(lookedUp).toEqual([
      [hex(50), false],
      [hex(50), false],
    ])
  })

  it('is kept from its second time on, once another node has named its block, which is asked for once', async () => {
    const others = [receipt, { ...receipt, transactionHash: word(78), logs: [] }]
    const { call, lookedUp } = scene(
      [0, 0, 1].map((i) => JSON.stringify(others[i])),
      true,
      block,
    )
    const outcomes: string[] = []
    for (const _ of 'abc') {
      outcomes.push((await call(...ofReceipt))[1]!)
      // A block is looked up beside the call.
      await new Promise(setImmediate)
    }
    for (const _ of 'ab') outcomes.push((await call('eth_getTransactionReceipt', [word(78)]))[1]!)
    expect(outcomes).toEqual(['miss', 'miss', 'hit', 'miss', 'hit'])
    expect(lookedUp).toEqual([[hex(50), false]])
  })
})

it('old receipts that are asked for in a loop are kept from its second round on, however many they are', async () => {
  const names = Array.from({ length: 1_500 }, (_, i) => word(1_000 + i))
  const receipts = names.map((transactionHash) => JSON.stringify({ ...receipt, transactionHash, logs: [] }))
  const { call } = scene([...receipts, ...receipts], true, block)
  const outcomes = []
  for (let round = 0; round < 3; round++) {
    const reported = new Set<string | undefined>()
    for (const name of names) {
      reported.add((await call('eth_getTransactionReceipt', [name]))[1])
      // A block is looked up beside the call.
      await new Promise(setImmediate)
    }
    outcomes.push([...reported])
  }
  // Once one of them has named the block, the others of it need no look.
  expect(outcomes).toEqual([['miss'], ['miss'], ['hit']])
})

it('what an upstream gave is dropped with it, also where other processes may have it, and nothing is kept until it is trusted again', async () => {
  const { call, sources, others } = scene(['"0x1"', '"0x3"', '"0x3"', '"0x2"'])
  const balance = ['eth_getBalance', [account, hex(50)]] as const
  await call(...balance)
  expect(await call(...balance)).toEqual(['"0x1"', 'hit'])
  sources.distrust('another')
  expect(await call(...balance)).toEqual(['"0x1"', 'hit'])
  sources.distrust('node')
  for (const _ of 'ab') expect(await call(...balance)).toEqual(['"0x3"', 'miss'])
  expect([...others.values()].map(({ body }) => body)).toEqual(['"0x1"'])
  sources.trust('node')
  expect(await call(...balance)).toEqual(['"0x2"', 'miss'])
  expect(await call(...balance)).toEqual(['"0x2"', 'hit'])
  expect([...others.values()].map(({ body }) => body)).toEqual(['"0x2"'])
})

it('logs of more than 2 MiB are not kept, as to look at them would take the event loop too long', async () => {
  const many = (bytes: number) => JSON.stringify([{ ...log, data: `0x${'00'.repeat(bytes)}` }])
  const logs = ['eth_getLogs', [{ blockHash: block.hash }]] as const
  for (const [bytes, kept] of [
    [1_000_000, 'hit'],
    [1_100_000, 'miss'],
  ] as const) {
    const { call } = scene([many(bytes), many(bytes)])
    await call(...logs)
    expect((await call(...logs))[1]).toBe(kept)
  }
})

it('an upstream is false once it answered falsely or is of another chain, and for no other health', () => {
  const dropped: string[] = []
  const report = exclusionChanges('mainnet', createLog({ level: 'silent' }), (name, isFalse) =>
    dropped.push(`${name} ${isFalse}`),
  )
  for (const health of ['false_answers', 'wrong_chain', 'cooling_down', 'behind', undefined] as const)
    report({ endpoint: { name: String(health) } } as never, health, undefined)
  expect(dropped.splice(0)).toEqual(['false_answers true', 'wrong_chain true'])
  report({ endpoint: { name: 'node' } } as never, undefined, 'false_answers')
  expect(dropped).toEqual(['node false'])
})
