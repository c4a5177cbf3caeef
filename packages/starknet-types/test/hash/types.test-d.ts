import type { BroadcastDeployAccount, BroadcastInvoke } from '../../src/broadcast-transaction.ts'
import { type HashableTransaction, transactionHash } from '../../src/hash/index.ts'
import type { Transaction } from '../../src/transaction.ts'

// Transactions as nodes answer and take them go in as they are, in the types of every version; only a DECLARE of version 1 that
// holds a class in place of its hash does not.
export const answered = (tx: Transaction): HashableTransaction => tx
export const sent = (tx: BroadcastInvoke | BroadcastDeployAccount): HashableTransaction => tx

// @ts-expect-error -- a chain is named by a felt
transactionHash({} as Transaction, 1n)
