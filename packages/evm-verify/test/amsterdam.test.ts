// Blocks, transactions, receipts and logs of Amsterdam, the execution layer of Glamsterdam, as go-ethereum makes them.
import { readFileSync } from 'node:fs'
import type { Hash, Quantity, Receipt, Transaction, Uncle } from '@wayleave/evm-types'
import { blockSchema, receiptSchema } from '@wayleave/evm-types'
import { describe, expect, test } from 'vitest'
import { verifyBlock, verifyBlockLogs, verifyHeader, verifyReceipts, verifyTransaction } from '../src/index.ts'

interface Made {
  readonly header: Uncle & { readonly hash: Hash; readonly number: Quantity }
  readonly transactions: readonly Transaction[]
  readonly receipts: readonly Receipt[]
}

const { blocks } = JSON.parse(readFileSync(new URL('vectors/amsterdam-blocks.json', import.meta.url), 'utf8')) as {
  readonly blocks: readonly Made[]
}

describe.each(blocks)('block $header.number of Amsterdam', ({ header, transactions, receipts }) => {
  const block = { ...header, transactions, withdrawals: [], uncles: [] }
  const expected = { hash: header.hash, number: header.number }
  const logs = receipts.flatMap((receipt) => receipt.logs)

  test('has members of that fork, and passes the checks of the client', () => {
    expect(block).toMatchObject({ blockAccessListHash: expect.any(String), slotNumber: expect.any(String) })
    expect(blockSchema.check(block, '')).toBeUndefined()
    for (const receipt of receipts) expect(receiptSchema.check(receipt, '')).toBeUndefined()
  })

  test('is proven with its transactions, and so are its header, receipts and logs', () => {
    expect(verifyHeader(header, expected)).toMatchObject({ ok: true, level: 'proven' })
    expect(verifyBlock(block, { ...expected, fullTransactions: true })).toMatchObject({ ok: true, level: 'proven' })
    expect(verifyReceipts(receipts, { block })).toMatchObject({ ok: true, level: 'proven' })
    expect(verifyBlockLogs(logs, { header, receipts })).toMatchObject({ ok: true })
    for (const tx of transactions) expect(verifyTransaction(tx, { hash: tx.hash })).toMatchObject({ ok: true })
  })

  test('is refused with another list of what it read and changed in its header', () => {
    for (const name of ['blockAccessListHash', 'slotNumber'] as const) {
      const changed = { ...header, [name]: name === 'slotNumber' ? '0x77' : `0x${'1'.repeat(64)}` }
      expect(verifyHeader(changed, expected)).toMatchObject({ ok: false })
      const { [name]: _, ...without } = header
      expect(verifyHeader(without, expected)).toMatchObject({ ok: false })
    }
  })
})

test('a transfer of Amsterdam has a log', () => {
  expect(blocks.map(({ receipts }) => receipts.map(({ logs }) => logs.length))).toEqual([[], [1], [0, 0, 1]])
})
