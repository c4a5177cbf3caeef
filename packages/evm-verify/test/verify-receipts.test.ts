import type { Block, Hex, Receipt, Transaction } from '@wayleave/evm-types'
import { anything, assert, constantFrom, integer, property } from 'fast-check'
import { describe, expect, test } from 'vitest'
import { logsBloom, receiptsRoot, type Verdict, verifyReceipts } from '../src/index.ts'
import { bytesFromHex, hexFromBytes } from '../src/bytes.ts'
import { keccak } from '../src/keccak.ts'
import { receiptPayload } from '../src/receipts-root.ts'
import { encodeRlp } from '../src/rlp.ts'
import { chainBlocks, recordedAnswers } from './chain.ts'
import { expectMutationsRefused } from './mutations.ts'
import { bytesOf } from './raw-transaction.ts'

function createdBy(creator: Hex, nonce: number): Hex {
  return hexFromBytes(keccak(encodeRlp([bytesFromHex(creator), Uint8Array.of(nonce)])).subarray(12))
}

const blocks = new Map(chainBlocks().map(({ block }) => [block.hash!, block]))
const lists = recordedAnswers('eth_getBlockReceipts')
  .map(({ result }) => (result ?? []) as Receipt[])
  .filter((list) => list.length > 0)
const blockOf = (list: readonly Receipt[]): Block => blocks.get(list[0]!.blockHash!)!
const withLogs = lists.find((list) => list.some(({ logs }) => logs.length > 0))!
const hashesOnly = (block: Block): Block => ({
  ...block,
  transactions: block.transactions.map((tx) => (tx as Transaction).hash),
})
/** Members that some nodes leave out, where they say nothing. */
const mayLack = [
  '*.type',
  '*.contractAddress',
  '*.effectiveGasPrice',
  '*.to',
  '*.logs.*.removed',
  '*.logs.*.blockTimestamp',
]

describe('receiptsRoot', () => {
  test('is that of the header, for each list that a node answered', () => {
    for (const list of lists) expect(receiptsRoot(list)).toBe(blockOf(list).receiptsRoot)
    expect(lists.length).toBeGreaterThan(2)
  })

  test('is made of the bytes that a node gives for each receipt', () => {
    const raw = recordedAnswers('debug_getRawReceipts').filter(({ result }) => (result as unknown[] | null)?.length)
    for (const { params, result } of raw) {
      const list = lists.find((candidate) => candidate[0]!.blockNumber === params[0])
      if (list !== undefined)
        expect(list.map((receipt) => receiptPayload(receipt))).toEqual((result as string[]).map(bytesOf))
    }
    expect(raw.length).toBeGreaterThan(0)
  })

  test('holds the nonce and the version of a deposit since Canyon, and before it neither', () => {
    const [receipt] = lists[0]!
    const { root: _, ...rest } = receipt!
    const deposit = { ...rest, status: '0x1', type: '0x7e', depositNonce: '0x5' } as const
    const before = receiptsRoot([deposit])
    expect(receiptsRoot([{ ...deposit, depositNonce: '0x6' }])).toBe(before)
    const since = { ...deposit, depositReceiptVersion: '0x1' } as const
    expect(receiptsRoot([since])).not.toBe(before)
    expect(receiptsRoot([{ ...since, depositNonce: '0x6' }])).not.toBe(receiptsRoot([since]))
  })

  test.each([
    ['type', '0x6a', 'unsupported'],
    ['type', '0x05', 'malformed'],
    ['status', '0x2', 'malformed'],
    ['status', undefined, 'malformed'],
    ['cumulativeGasUsed', '0x01', 'malformed'],
    ['logs', undefined, 'malformed'],
    ['logs', [null], 'malformed'],
  ])('refuses %s %j as %s', (field, value, code) => {
    expect(() => receiptsRoot([{ ...withLogs[0]!, [field]: value }])).toThrow(expect.objectContaining({ code }))
  })
})

describe('logsBloom', () => {
  test('is that of the header, of all logs of its block', () => {
    for (const list of lists) expect(logsBloom(list.flatMap(({ logs }) => logs))).toBe(blockOf(list).logsBloom)
    expect(logsBloom([])).toBe(`0x${'00'.repeat(256)}`)
  })
})

describe('verifyReceipts', () => {
  test.each(lists)('proves what a node answered, by its root and by its block', (...list) => {
    const block = blockOf(list)
    for (const expected of [
      { receiptsRoot: block.receiptsRoot },
      { block },
      { block: hashesOnly(block) },
      { block, blockHash: block.hash!, blockNumber: block.number! },
    ]) {
      expect(verifyReceipts(list, expected)).toMatchObject({ ok: true, level: 'proven' })
    }
    expect(verifyReceipts(list)).toMatchObject({ ok: true, level: 'consistent' })
  })

  test('proves that there are none', () => {
    const empty = '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421'
    expect(verifyReceipts([], { receiptsRoot: empty })).toEqual({ ok: true, level: 'proven', fields: {} })
    expect(verifyReceipts([], { receiptsRoot: blockOf(withLogs).receiptsRoot })).toMatchObject({ ok: false })
  })

  test('tells what it knows of each member: most where the transactions are known', () => {
    const block = blockOf(withLogs)
    const answer = withLogs.map((receipt) => ({ ...receipt, l1Fee: '0x1' }))
    expect(verifyReceipts(answer, { block })).toMatchObject({
      fields: {
        '*.status': 'proven',
        '*.gasUsed': 'proven',
        '*.from': 'proven',
        '*.contractAddress': 'proven',
        '*.effectiveGasPrice': 'proven',
        '*.l1Fee': 'unverifiable',
        '*.logs.*.data': 'proven',
        '*.logs.*.logIndex': 'proven',
        '*.logs.*.blockTimestamp': 'proven',
        '*.logs.*.removed': 'consistent',
      },
    })
    expect(verifyReceipts(answer, { receiptsRoot: block.receiptsRoot })).toMatchObject({
      fields: {
        '*.status': 'proven',
        '*.from': 'unverifiable',
        '*.blockHash': 'unverifiable',
        '*.effectiveGasPrice': 'unverifiable',
      },
    })
    expect(verifyReceipts(answer)).toMatchObject({
      fields: { '*.status': 'unverifiable', '*.gasUsed': 'consistent', '*.logsBloom': 'consistent' },
    })
  })

  test('each change of what is proven is refused', { timeout: 60_000 }, () => {
    for (const list of lists) {
      const block = blockOf(list)
      for (const expected of [
        { block },
        { block: hashesOnly(block) },
        { receiptsRoot: block.receiptsRoot, blockHash: block.hash! },
      ]) {
        const verify = (changed: unknown): Verdict => verifyReceipts(changed, expected)
        expect(expectMutationsRefused(list, verify, { mayLack })).toBeGreaterThan(100)
      }
    }
  })

  test('blob gas follows from the blobs, a new contract from its creator', () => {
    const hash = `0x${'01'.repeat(32)}` as const
    const from = '0x6ac7ea33f8831ea9dcc53393aaa88b25a785dbf0' as const
    const tx = { ...(blockOf(withLogs).transactions[0] as Transaction), hash, from, nonce: '0x1', to: null } as const
    const create: Receipt = {
      ...withLogs[0]!,
      transactionHash: hash,
      from,
      to: null,
      type: '0x2',
      logs: [],
      logsBloom: logsBloom([]),
      effectiveGasPrice: '0x9',
      contractAddress: '0x343c43a37d37dff08ae8c4a11544c718abb4fcf8',
    }
    const listed = { ...tx, type: '0x2', maxFeePerGas: '0x9', maxPriorityFeePerGas: '0x9' } as const
    const expectOk = (receipt: Receipt, transaction: Transaction, ok: boolean, field?: string): void => {
      const block = { ...blockOf(withLogs), receiptsRoot: receiptsRoot([receipt]), transactions: [transaction] }
      expect(verifyReceipts([receipt], { block })).toMatchObject({ ok, ...(field === undefined ? {} : { field }) })
    }
    // The address of the first contract that this account made, an example of the Ethereum Stack Exchange.
    expectOk(create, listed, true)
    expectOk({ ...create, contractAddress: null }, listed, false, '0.contractAddress')
    expectOk({ ...create, status: '0x0', contractAddress: null }, listed, true)
    const blobs = { ...listed, type: '0x3', to: from, blobVersionedHashes: [hash, hash] } as const
    const blobReceipt: Receipt = { ...create, type: '0x3', to: from, contractAddress: null, blobGasUsed: '0x40000' }
    expectOk(blobReceipt, blobs, true)
    expectOk({ ...blobReceipt, blobGasUsed: '0x20000' }, blobs, false, '0.blobGasUsed')
    expectOk({ ...blobReceipt, effectiveGasPrice: '0x8' }, blobs, false, '0.effectiveGasPrice')
  })

  test('a contract that a deposit made follows from a nonce that is proven since Canyon only', () => {
    const [list] = lists as [Receipt[]]
    const deposit = { ...(blockOf(list).transactions[0] as Transaction), type: '0x7e', to: null } as Transaction
    const made = { ...list[0]!, root: null, status: '0x1', type: '0x7e', to: null, depositNonce: '0x5' } as const
    const creator = deposit.from
    const contractAddress = createdBy(creator, 5)
    for (const [version, level] of [
      [undefined, 'consistent'],
      ['0x1', 'proven'],
    ] as const) {
      const receipt = { ...made, contractAddress, ...(version && { depositReceiptVersion: version }) }
      const block = { ...blockOf(list), transactions: [deposit], receiptsRoot: receiptsRoot([receipt]) }
      expect(verifyReceipts([receipt], { block })).toMatchObject({
        ok: true,
        fields: { '*.contractAddress': level },
      })
      const other = { ...receipt, contractAddress: createdBy(creator, 6) }
      expect(verifyReceipts([other], { block })).toMatchObject({ ok: false, field: '0.contractAddress' })
    }
  })

  test('of a block with what cannot be told of are not refused, though nodes list more of them or fewer', () => {
    const [list] = lists as [Receipt[]]
    const block = blockOf(list)
    const nobody = { ...(block.transactions[0] as Transaction), type: '0x7f' } as Transaction
    const more = { ...block, transactions: [...block.transactions, nobody] } as Block
    expect(verifyReceipts(list, { block: more }).ok).toBeUndefined()
  })

  test('knows nothing of types it does not know, nor of what nobody sent', () => {
    const block = blockOf(withLogs)
    const unknown = withLogs.with(0, { ...withLogs[0]!, type: '0x6a' })
    expect(verifyReceipts(unknown, { receiptsRoot: block.receiptsRoot })).toMatchObject({
      ok: undefined,
      reason: expect.stringMatching(/^0\.type/),
      fields: { '*.status': 'unverifiable' },
    })
    const [first, ...rest] = block.transactions as Transaction[]
    const strange = { ...block, transactions: [{ ...first!, type: '0x6a' as const }, ...rest] }
    expect(verifyReceipts(withLogs, { block: strange })).toMatchObject({ ok: undefined })
    const own = {
      ...withLogs[0]!,
      from: `0x${'00'.repeat(20)}` as const,
      gasUsed: '0x0',
      cumulativeGasUsed: '0x0',
    } as const
    expect(verifyReceipts([...withLogs, own])).toMatchObject({ ok: undefined })
  })

  test('any value gets a verdict', () => {
    assert(property(anything(), (value) => Array.isArray(value) || verifyReceipts(value).ok === false))
    const names = [...Object.keys(withLogs[0]!), 'depositNonce', 'depositReceiptVersion']
    const expected = { block: blockOf(withLogs) }
    assert(
      property(constantFrom(...names), integer({ min: 0, max: withLogs.length - 1 }), anything(), (name, i, value) => {
        const list = withLogs.with(i, { ...withLogs[i]!, [name]: value })
        return 'ok' in verifyReceipts(list, expected) && 'ok' in verifyReceipts(list)
      }),
      { numRuns: 500 },
    )
  })
})
