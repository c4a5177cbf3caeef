import type { Block, Receipt, Transaction } from '@wayleave/evm-types'
import { describe, expect, test } from 'vitest'
import { verifyAccountProof, verifyBlock, verifyReceipts, verifyTransaction } from '../src/index.ts'
import { chainBlocks, recordedAnswers } from './chain.ts'
import { expectAdditionsUncovered } from './mutations.ts'
import { recordedTransactions } from './vectors.ts'

const chain = chainBlocks().map(({ block }) => block)
const members = ['chainId', 'yParity', 'accessList', 'authorizationList', 'mint', 'depositNonce', 'toString']

/** With transactions of several types, so that each lacks what others have. */
const mixed = chain.filter(({ transactions }) => new Set(transactions.map((tx) => (tx as Transaction).type)).size > 1)

describe('a member that was added to a genuine answer is called neither proven nor consistent', () => {
  test('in a transaction of each type', () => {
    const byType = Map.groupBy(recordedTransactions(), ({ type }) => type)
    for (const [tx] of byType.values()) {
      expect(
        expectAdditionsUncovered(tx, (answer) => verifyTransaction(answer, { hash: tx!.hash }), members),
      ).toBeGreaterThan(20)
    }
    expect(byType.size).toBeGreaterThan(3)
  })

  test('in a block and its transactions', { timeout: 60_000 }, () => {
    const byLength = mixed.toSorted((a, b) => a.transactions.length - b.transactions.length)
    const some = process.env['DIFFERENTIAL'] === undefined ? byLength.slice(0, 1) : mixed
    for (const block of some) {
      expect(
        expectAdditionsUncovered(block, (answer) => verifyBlock(answer, { hash: block.hash! }), members),
      ).toBeGreaterThan(100)
    }
  })

  test('in receipts and their logs', { timeout: 60_000 }, () => {
    for (const { result } of recordedAnswers('eth_getBlockReceipts')) {
      const list = (result ?? []) as Receipt[]
      const block = chain.find(({ hash }) => hash === list[0]?.blockHash) as Block | undefined
      if (block === undefined) continue
      for (const known of [{ block }, { receiptsRoot: block.receiptsRoot }, {}]) {
        expectAdditionsUncovered(list.slice(0), (answer) => verifyReceipts(answer, known), [
          ...members,
          'root',
          'l1Fee',
        ])
      }
    }
  })

  test('in a proof of an account', () => {
    const { stateRoot } = chain.at(-1)!
    for (const { params, result } of recordedAnswers('eth_getProof', 'recorded-state.json')) {
      const [address, positions] = params as [`0x${string}`, `0x${string}`[]]
      expectAdditionsUncovered(
        result,
        (answer) => verifyAccountProof(answer, { stateRoot, address, positions }),
        members,
      )
    }
  })
})
