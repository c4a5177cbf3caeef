import type { Block, Transaction } from '@wayleave/evm-types'
import { anything, assert, constantFrom, integer, property } from 'fast-check'
import { describe, expect, test } from 'vitest'
import { headerHash, transactionsRoot, unclesHash, type Verdict, verifyBlock, withdrawalsRoot } from '../src/index.ts'
import { chainBlocks, type RecordedAnswer, recordedAnswers } from './chain.ts'
import { expectMutationsRefused } from './mutations.ts'

const chain = chainBlocks()
const recorded = ['eth_getBlockByHash', 'eth_getBlockByNumber']
  .flatMap((method) => recordedAnswers(method))
  .filter(({ result }) => result !== null) as (RecordedAnswer & { readonly result: Block })[]
const latest = chain.at(-1)!.block
const withHashes = ({ block }: { readonly block: Block }): Block => ({
  ...block,
  transactions: block.transactions.map((tx) => (tx as Transaction).hash),
})
/** Members that some nodes leave out, where they say nothing. */
const mayLack = ['withdrawals', 'uncles', 'size'].concat(
  ['type', 'chainId', 'v', 'yParity', 'accessList', 'gasPrice', 'blockTimestamp'].map(
    (name) => `transactions.*.${name}`,
  ),
)

describe('headerHash, and the roots', () => {
  test('are those of a real chain of 54 blocks with 18 uncles and 249 transactions', () => {
    for (const { block, uncles } of chain) {
      expect(headerHash(block)).toBe(block.hash)
      expect(transactionsRoot(block.transactions as Transaction[])).toBe(block.transactionsRoot)
      expect(unclesHash(uncles)).toBe(block.sha3Uncles)
      if (block.withdrawals != null) expect(withdrawalsRoot(block.withdrawals)).toBe(block.withdrawalsRoot)
    }
    expect(chain).toHaveLength(54)
    expect(chain.flatMap(({ uncles }) => uncles)).toHaveLength(18)
    expect(chain.flatMap(({ block }) => block.transactions)).toHaveLength(249)
    for (const [i, { block }] of chain.slice(1).entries()) expect(block.parentHash).toBe(chain[i]!.block.hash)
  })

  test.each(['parentHash', 'nonce', 'gasLimit', 'baseFeePerGas', 'withdrawalsRoot', 'excessBlobGas'] as const)(
    'a header without %s is refused by name where the members of later forks are there',
    (field) => {
      for (const value of [undefined, null]) {
        expect(() => headerHash({ ...latest, [field]: value })).toThrow(
          expect.objectContaining({ code: 'malformed', field }),
        )
      }
    },
  )

  test('a header ends where its fork does, and null says what absence does', () => {
    const { requestsHash: _, ...cancun } = latest
    expect(headerHash({ ...latest, requestsHash: null })).toBe(headerHash(cancun))
    expect(headerHash(cancun)).not.toBe(latest.hash)
  })
})

describe('verifyBlock', () => {
  test('proves every block of the chain, with transactions or with their hashes', { timeout: 60_000 }, () => {
    for (const one of chain) {
      const { hash, number } = one.block
      const expected = { hash: hash!, number: number! }
      expect(verifyBlock(one.block, { ...expected, fullTransactions: true })).toMatchObject({
        ok: true,
        level: 'proven',
      })
      expect(verifyBlock(withHashes(one), expected)).toMatchObject({ ok: true, level: 'proven' })
    }
  })

  test.each(recorded)('takes what a node answered to $method $params', ({ params, result }) => {
    const expected = { hash: result.hash!, number: result.number!, fullTransactions: params[1] as boolean }
    expect(verifyBlock(result, expected)).toMatchObject({ ok: true, level: 'proven' })
    expect(verifyBlock(result)).toMatchObject({ ok: true, level: 'consistent' })
  })

  test('takes digits in any case', () => {
    const upper = (value: unknown): unknown => {
      if (typeof value === 'string') return `0x${value.slice(2).toUpperCase()}`
      if (Array.isArray(value)) return value.map(upper)
      if (typeof value !== 'object' || value === null) return value
      return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, upper(member)]))
    }
    for (const { block } of chain.slice(-3)) {
      expect(verifyBlock(upper(block), { hash: block.hash! })).toMatchObject({ ok: true, level: 'proven' })
    }
  })

  test('tells what it knows of each member', () => {
    const { block } = chain.find(({ block: { withdrawals } }) => withdrawals != null && withdrawals.length > 0)!
    const answer = { ...block, totalDifficulty: '0x1', l1Fee: '0x2' }
    const { fields } = verifyBlock(answer, { hash: block.hash! }) as Extract<Verdict, { ok: true }>
    const weak = Object.entries(fields).filter(([, level]) => level !== 'proven')
    expect(weak).toEqual(
      expect.arrayContaining([
        ['totalDifficulty', 'unverifiable'],
        ['l1Fee', 'unverifiable'],
      ]),
    )
    expect(fields).toMatchObject({ uncles: 'proven', 'withdrawals.*.amount': 'proven' })
  })

  test('takes the size of a block with or without its withdrawals, as nodes do not agree, and no other', () => {
    const { block } = chain.find(({ block: { withdrawals } }) => withdrawals?.length === 0)!
    const judge = (size: number): Verdict =>
      verifyBlock({ ...block, size: `0x${size.toString(16)}` }, { hash: block.hash! })
    for (const size of [Number(block.size), Number(block.size) - 1]) {
      expect(judge(size)).toMatchObject({ ok: true, fields: { size: 'unverifiable' } })
    }
    expect(judge(Number(block.size) + 1)).toMatchObject({ ok: false, field: 'size' })
    const older = chain.find(({ block: { withdrawals, uncles } }) => withdrawals == null && uncles?.length === 0)!
    expect(verifyBlock(older.block, { hash: older.block.hash! })).toMatchObject({
      ok: true,
      fields: { size: 'proven' },
    })
  })

  test('cannot tell transactions by their hashes, nor uncles, nor the size then', () => {
    const one = chain.find(({ uncles, block }) => uncles.length > 0 && block.transactions.length > 0)!
    expect(verifyBlock(withHashes(one), { hash: one.block.hash! })).toMatchObject({
      ok: true,
      fields: { transactions: 'unverifiable', uncles: 'unverifiable', size: 'unverifiable', stateRoot: 'proven' },
    })
  })

  test('knows nothing of a pending block, which has no hash', () => {
    const pending = { ...latest, hash: null, nonce: null, miner: null }
    expect(verifyBlock(pending)).toMatchObject({ ok: undefined, fields: { stateRoot: 'unverifiable' } })
    expect(verifyBlock(pending, { number: latest.number! })).toMatchObject({ ok: false })
    expect(verifyBlock(pending, { hash: latest.hash! })).toMatchObject({ ok: false })
  })

  test('proves the header of a block with transactions of an unknown type, and says so', () => {
    const [first, ...rest] = latest.transactions as Transaction[]
    const block = { ...latest, transactions: [{ ...first, type: '0x6a' }, ...rest] }
    expect(verifyBlock(block, { hash: latest.hash! })).toMatchObject({
      ok: undefined,
      reason: expect.stringContaining('transactions.0.type'),
      fields: { stateRoot: 'proven', transactions: 'unverifiable', size: 'unverifiable' },
    })
    // The other transactions are still compared.
    const moved = { ...block, transactions: block.transactions.toReversed() }
    expect(verifyBlock(moved, { hash: latest.hash! })).toMatchObject({ ok: false })
  })

  test.each([
    ['another hash than was asked for', { hash: `0x${'ab'.repeat(32)}` }, 'hash'],
    ['another number than was asked for', { number: '0x7' }, 'number'],
  ] as const)('refuses %s', (_what, expected, field) => {
    expect(verifyBlock(latest, expected)).toMatchObject({ ok: false, field })
  })

  test('refuses hashes where transactions were asked for, and a mixture', () => {
    const answer = withHashes(chain.at(-1)!)
    expect(verifyBlock(answer, { fullTransactions: true })).toMatchObject({ ok: false, field: 'transactions' })
    const mixed = [answer.transactions[0], ...latest.transactions.slice(1)]
    expect(verifyBlock({ ...answer, transactions: mixed })).toMatchObject({ ok: false, field: 'transactions.1' })
  })

  test('names the transaction that was changed, and how', () => {
    const transactions = latest.transactions.with(1, { ...(latest.transactions[1] as Transaction), value: '0xffff' })
    expect(verifyBlock({ ...latest, transactions }, { hash: latest.hash! })).toMatchObject({
      ok: false,
      field: 'transactions.1.hash',
    })
  })

  test('takes the empty withdrawals of an OP-stack network, whose root there is another, and proves nothing of them', () => {
    const header = { ...latest, extraData: '0x000000003200000006', withdrawalsRoot: `0x${'cd'.repeat(32)}` } as const
    const { transactions: _, size: _size, ...rest } = withHashes(chain.at(-1)!)
    const block = { ...rest, ...header, transactions: [`0x${'ab'.repeat(32)}`], withdrawals: [] }
    const hash = headerHash(block)
    expect(verifyBlock({ ...block, hash }, { hash })).toMatchObject({
      ok: true,
      fields: { withdrawals: 'unverifiable', withdrawalsRoot: 'proven' },
    })
    const other = { ...block, extraData: '0x' } as const
    expect(verifyBlock({ ...other, hash: headerHash(other) })).toMatchObject({ ok: false, field: 'withdrawals' })
  })

  test('proves nothing of a list that a transaction of another type holds', () => {
    const { block } = chain.find(({ block: { transactions } }) => {
      const txs = transactions as readonly Transaction[]
      return txs.some(({ type }) => type === '0x0') && txs.some(({ accessList }) => (accessList?.length ?? 0) > 0)
    })!
    const accessList = [{ address: `0x${'66'.repeat(20)}`, storageKeys: [] }]
    const path = 'transactions.*.accessList.*.address'
    expect(verifyBlock(block, { hash: block.hash! })).toMatchObject({ ok: true, fields: { [path]: 'proven' } })
    const transactions = block.transactions.map((tx) =>
      (tx as Transaction).type === '0x0' ? { ...(tx as Transaction), accessList } : tx,
    )
    const reported = { ok: true, fields: { [path]: 'unverifiable', 'transactions.*.accessList': 'unverifiable' } }
    expect(verifyBlock({ ...block, transactions }, { hash: block.hash! })).toMatchObject(reported)
  })

  test('gives a verdict on lists with holes, and none is right', () => {
    const holes = Array.from<never>({ length: 2 })
    delete holes[0]
    for (const name of ['transactions', 'uncles', 'withdrawals']) {
      expect(verifyBlock({ ...latest, [name]: holes }).ok).toBe(false)
      expect(verifyBlock({ ...latest, [name]: Object.assign([], { length: 1_000_000_000 }) }).ok).toBe(false)
    }
  })

  test('gives a verdict on any value, and none is right', () => {
    assert(
      property(anything(), (value) => {
        expect([false, undefined]).toContain(verifyBlock(value).ok)
        expect(verifyBlock(value, { hash: latest.hash! }).ok).toBe(false)
      }),
    )
    assert(
      property(constantFrom(...Object.keys(latest)), integer({ min: 0, max: 3 }), anything(), (name, i, value) => {
        const block =
          i === 0
            ? { ...latest, [name]: value }
            : { ...latest, transactions: latest.transactions.with(i, value as Transaction) }
        expect(verifyBlock(block, { hash: latest.hash! })).toHaveProperty('ok')
      }),
      { numRuns: 200 },
    )
  })
})

describe('changes of a block', () => {
  // All with DIFFERENTIAL set.
  const some = process.env['DIFFERENTIAL'] === undefined ? [2, 39, 53] : chain.keys()
  const samples = Array.from(some, (i) => chain[i]!)

  test.each(samples)('each of a proven member is refused: block $block.number', { timeout: 60_000 }, ({ block }) => {
    const answer = { ...block, transactions: block.transactions.slice(0, 40) }
    const verify = (changed: unknown): Verdict => verifyBlock(changed, { hash: block.hash! })
    expect(expectMutationsRefused(answer, verify, { mayLack, elements: 2 })).toBeGreaterThan(200)
  })

  test('each of a consistent member is refused where no hash is expected', { timeout: 60_000 }, () => {
    const verify = (changed: unknown): Verdict => verifyBlock(changed, { number: latest.number! })
    expect(expectMutationsRefused(latest, verify, { mayLack, elements: 2 })).toBeGreaterThan(200)
  })
})
