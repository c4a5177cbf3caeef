import type { Block, Receipt, Transaction } from '@wayleave/evm-types'
import { rawJsonFromValue, type RpcContext } from '@wayleave/jsonrpc-core'
import { expect, test } from 'vitest'
import { verifyBlock, verifyReceipts, verifyTransaction } from '../src/index.ts'
import { madeNode } from './middleware/made-chain.ts'

const node = madeNode()

/** The receipts, with the price where it needs no base fee. */
async function receiptsOf({ hash, transactions }: Block): Promise<readonly Receipt[]> {
  const call = { method: 'eth_getBlockReceipts', params: rawJsonFromValue([hash]), notification: false }
  const { result } = await node.handler(call, {} as RpcContext)
  return ((result as { value(): unknown }).value() as Receipt[]).map((receipt, i) => {
    const { type, gasPrice } = transactions[i] as Transaction
    return Number(type) < 2 ? { ...receipt, effectiveGasPrice: gasPrice! } : receipt
  })
}

function without(value: object, name: string): object {
  return Object.fromEntries(Object.entries(value).filter(([own]) => own !== name))
}

/** The names of members without which these values still pass, each with its name before. */
function passing(values: readonly object[], passes: (without: object, value: object) => boolean): string[] {
  const names = values.flatMap((value) => Object.keys(value).filter((name) => passes(without(value, name), value)))
  return [...new Set(names)].toSorted()
}

test('a node can leave out only what the README lists', async () => {
  const typesOf = ({ transactions }: Block): unknown[] => (transactions as Transaction[]).map(({ type }) => type)
  const blocks = ['0x0', '0x1', '0x2', '0x3', '0x4'].map((type) =>
    node.blocks.findLast((block) => typesOf(block).includes(type))!,
  )
  const ofBlocks = passing(
    blocks,
    (block, { hash }: Partial<Block>) => verifyBlock(block, { hash: hash! }).ok !== false,
  )
  expect(ofBlocks).toEqual(['uncles', 'withdrawals'])

  const transactions = blocks.flatMap((block) => block.transactions as Transaction[])
  const ofTransactions = passing(transactions, (tx, whole) => {
    const { hash, blockHash, blockNumber, transactionIndex } = whole as Transaction
    const place = { blockHash: blockHash!, blockNumber: blockNumber!, index: transactionIndex! }
    return verifyTransaction(tx, { hash, ...place }).ok === true
  })
  const mayLack = ['accessList', 'blockTimestamp', 'chainId', 'gasPrice', 'type', 'v', 'yParity']
  expect(mayLack).toEqual(expect.arrayContaining(ofTransactions))
  expect(ofTransactions).toContain('yParity')

  const lackable = new Set<string>()
  for (const block of blocks) {
    const list = await receiptsOf(block)
    const passes = (receipts: unknown): boolean => verifyReceipts(receipts, { block }).ok !== false
    for (const name of list.flatMap((one) => Object.keys(one)))
      if (passes(list.map((one) => without(one, name)))) lackable.add(name)
    for (const name of list.flatMap(({ logs }) => logs.flatMap((log) => Object.keys(log)))) {
      if (passes(list.map((one) => ({ ...one, logs: one.logs.map((log) => without(log, name)) })))) {
        lackable.add(`logs.${name}`)
      }
    }
  }
  expect([...lackable].toSorted()).toEqual([
    'contractAddress',
    'effectiveGasPrice',
    'logs.blockTimestamp',
    'logs.removed',
    'type',
  ])
})
