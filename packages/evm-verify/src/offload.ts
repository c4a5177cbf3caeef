import type { LogFilter } from '@wayleave/evm-types'
import type { RpcContext } from '@wayleave/jsonrpc-core'
import type { Verdict } from './verdict.ts'
import { type ExpectedBlock, verifyBlock } from './verify-block.ts'
import { type ExpectedBlockLogs, verifyBlockLogs } from './verify-block-logs.ts'
import { verifyLogText } from './verify-logs.ts'
import { type ExpectedReceipts, verifyReceipts } from './verify-receipts.ts'
import { type ExpectedTransaction, verifyTransaction } from './verify-transaction.ts'

/** A check that takes long where the answer is long. Plain data, which another thread can be sent. */
export type LongCheck =
  | { readonly check: 'block'; readonly answer: unknown; readonly expected: ExpectedBlock }
  | { readonly check: 'receipts'; readonly answer: unknown; readonly expected: ExpectedReceipts }
  | { readonly check: 'logs'; readonly answer: unknown; readonly expected: ExpectedBlockLogs }
  | { readonly check: 'logText'; readonly answer: string; readonly expected: LogFilter }
  | { readonly check: 'transaction'; readonly answer: unknown; readonly expected: ExpectedTransaction }

/**
 * Runs a check elsewhere, as {@link runCheck} would here. Rejects with an `RpcError` if it could not, or once the context
 * is cancelled.
 */
export type Offload = (check: LongCheck, context: RpcContext) => Promise<Verdict>

/** Runs a check on this thread; any value gets a verdict. */
export function runCheck(check: LongCheck): Verdict {
  if (check.check === 'block') return verifyBlock(check.answer, check.expected)
  if (check.check === 'receipts') return verifyReceipts(check.answer, check.expected)
  if (check.check === 'logs') return verifyBlockLogs(check.answer, check.expected)
  if (check.check === 'logText') return verifyLogText(check.answer, check.expected)
  return verifyTransaction(check.answer, check.expected)
}
