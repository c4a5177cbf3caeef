import type { Hex } from '@wayleave/evm-types'
import { describeValue } from '@wayleave/jsonrpc-core/schema'
import type { ExpectedTransaction } from '../verify-transaction.ts'

/** The methods that give one transaction, each with what its params ask for. Source: Spec §4.4, §4.5, execution-apis. */
export const askedTransactions: ReadonlyMap<string, (params: readonly unknown[]) => ExpectedTransaction> = new Map([
  ['eth_getTransactionByHash', ([hash]: readonly unknown[]): ExpectedTransaction => ({ hash: textOf(hash) })],
  [
    'eth_getTransactionByBlockHashAndIndex',
    ([blockHash, index]: readonly unknown[]): ExpectedTransaction => ({
      blockHash: textOf(blockHash),
      index: textOf(index),
    }),
  ],
  [
    'eth_getTransactionByBlockNumberAndIndex',
    ([block, index]: readonly unknown[]): ExpectedTransaction => {
      // A pending transaction has no place yet, and a tag stands for a number that nobody here knows.
      if (block === 'pending') return {}
      const isNumber = typeof block === 'string' && block.startsWith('0x')
      return { index: textOf(index), ...(isNumber ? { blockNumber: block as Hex } : {}) }
    },
  ],
])

/** A param as the text to compare with. No answer equals what is no text. */
function textOf(param: unknown): Hex {
  return (typeof param === 'string' ? param : describeValue(param)) as Hex
}
