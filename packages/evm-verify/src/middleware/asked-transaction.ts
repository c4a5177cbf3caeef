import { type Hash, hashSchema, type Quantity, quantitySchema } from '@wayleave/evm-types'
import { describeValue } from '@wayleave/jsonrpc-core/schema'
import { VerifyError } from '../error.ts'
import type { ExpectedTransaction } from '../verify-transaction.ts'
import { askedBlock } from './asked-block.ts'
import { unproven } from './finding.ts'

/** What the methods that give one transaction ask for. Source: Spec §4.4, §4.5, execution-apis. @throws VerifyError */
export function askedTransaction(method: string, [asked, index]: readonly unknown[]): ExpectedTransaction {
  if (method === 'eth_getTransactionByHash') return { hash: askedHash(asked) }
  if (method === 'eth_getTransactionByBlockHashAndIndex')
    return { blockHash: askedHash(asked), index: askedIndex(index) }
  const { number, tag } = askedBlock(asked)
  // A pending transaction has no place yet, and a tag stands for a number that nobody here knows.
  if (tag === 'pending') return {}
  return { index: askedIndex(index), ...(number && { blockNumber: number }) }
}

/** The hash that a parameter is; nothing can be the answer to another one. @throws VerifyError `mismatch` */
export function askedHash(parameter: unknown): Hash {
  if (hashSchema.check(parameter, '') === undefined) return parameter as Hash
  throw new VerifyError('mismatch', 'hash', `an answer came to what is no hash: ${describeValue(parameter)}`)
}

/** The index that a parameter is. @throws VerifyError `unproven` */
export function askedIndex(parameter: unknown): Quantity {
  if (quantitySchema.check(parameter, '') === undefined) return parameter as Quantity
  throw unproven('the params have no index')
}
