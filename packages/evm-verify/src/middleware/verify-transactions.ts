import {
  collectStream,
  isStream,
  type RawJson,
  type RpcContext,
  RpcError,
  type RpcHandler,
  type RpcMiddleware,
  type RpcRequest,
  type RpcResponse,
  type RpcResult,
} from '@wayleave/jsonrpc-core'
import { describeValue } from '@wayleave/jsonrpc-core/schema'
import type { Verdict } from '../verdict.ts'
import { verifyTransaction } from '../verify-transaction.ts'
import { askedTransactions } from './asked-transaction.ts'

export interface VerifyTransactionsOptions {
  /** What becomes of a transaction that nothing can be told of: of an unknown type, or unsigned. Default `pass`. */
  readonly unverifiable?: 'pass' | 'reject'
  /** Hears what was found of each transaction that came. What it throws surfaces on its own. */
  readonly onVerdict?: (verdict: Verdict, method: string) => void
  /** Longest answer that is held, in bytes. Default 32 MiB. */
  readonly maxBytes?: number
}

/**
 * Verifies what the three methods answer that give one transaction; all other calls pass untouched. Errors, null and
 * what nothing is wrong with pass as they came.
 * Rejects with an `RpcError`: `invalid_response` for anything else, `too_large` past the cap.
 */
export function verifyTransactions(options: VerifyTransactionsOptions = {}): RpcMiddleware<RpcContext> {
  const { unverifiable = 'pass', onVerdict, maxBytes = 32 * 1024 * 1024 } = options

  function judge(result: RawJson, { method, params }: RpcRequest): void {
    const tx = result.value()
    if (tx === null) return
    const value = params?.value()
    const asked: readonly unknown[] = Array.isArray(value) ? value : []
    const verdict = verifyTransaction(tx, askedTransactions.get(method)?.(asked))
    if (onVerdict !== undefined) tell(() => onVerdict(verdict, method))
    if (verdict.ok === true || (verdict.ok === undefined && unverifiable === 'pass')) return
    const call = `${method}(${asked.slice(0, 2).map(describeValue).join(', ')})`
    throw new RpcError('invalid_response', `${call}: ${verdict.reason}`)
  }

  async function verified(next: RpcHandler, request: RpcRequest, context: RpcContext): Promise<RpcResponse> {
    const fork = context.acceptStream ? context.fork({ acceptStream: false }) : undefined
    try {
      const response = await next(request, fork?.context ?? context)
      if (response.error !== undefined) return response
      const result = await hold(response, maxBytes)
      judge(result, request)
      return { ...response, result }
    } finally {
      fork?.release()
    }
  }

  return (next) => (request, context) =>
    askedTransactions.has(request.method) ? verified(next, request, context) : next(request, context)
}

async function hold({ result }: RpcResult, maxBytes: number): Promise<RawJson> {
  if (isStream(result)) return collectStream(result, maxBytes)
  if (result.byteLength <= maxBytes) return result
  throw new RpcError('too_large', `the result is longer than ${maxBytes} bytes`)
}

function tell(listener: () => void): void {
  try {
    listener()
  } catch (thrown) {
    queueMicrotask(() => {
      throw thrown
    })
  }
}
