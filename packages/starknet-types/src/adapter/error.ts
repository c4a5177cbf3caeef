import type { RpcErrorObject } from '@wayleave/jsonrpc-core'
import { type StarknetErrorCode, starknetErrorsOf } from '../errors.ts'
import { isBefore } from '../versions.ts'
import { printExact } from './exact-json.ts'
import { isMembers, type Members } from './members.ts'
import type { Pair } from './untranslatable.ts'

/** The members of a JSON-RPC error. */
export type ErrorParts = Pick<RpcErrorObject, 'code' | 'message' | 'data'>

const estimates = ['starknet_estimateFee', 'starknet_simulateTransactions']

/** Makes the adapter of the errors of one call; `transactions` is the param that holds those that are tried out. */
export type ErrorAdapterOf = (method: string, transactions: unknown) => (error: ErrorParts) => ErrorParts

/**
 * Makes the function that translates errors of the endpoint's version: into the nearest code that the caller's version
 * documents, with the code, message and data as they came under `data`. Codes that the endpoint's version does not document
 * pass.
 */
export function errorAdapter(pair: Pair): ErrorAdapterOf {
  const known = starknetErrorsOf(pair.caller)
  const theirs = starknetErrorsOf(pair.endpoint)
  return (method, transactions) => (error) => {
    const code = error.code as StarknetErrorCode
    if (theirs[code] === undefined) return error
    if (code === 25 && known[25] === undefined) return { ...error, code: 29, message: known[29]!.message }
    if (code === 29 && known[25] !== undefined && method === 'starknet_traceTransaction')
      return { ...error, code: 25, message: known[25].message }
    if (code === 40 && theirs[41] === undefined) return toIndexed(error, method, transactions)
    return known[code] === undefined ? toKnownCode(pair, error) : toKnownData(pair, error)
  }
}

/** From 0.6 on an estimate names the transaction that failed; where there was only one, that is known. */
function toIndexed(error: ErrorParts, method: string, transactions: unknown): ErrorParts {
  const data = isMembers(error.data) ? error.data : {}
  const isOne = Array.isArray(transactions) && transactions.length === 1
  if (!isOne || !estimates.includes(method) || data['revert_error'] === undefined) return error
  const { revert_error, ...rest } = data
  const indexed = { ...rest, transaction_index: 0, execution_error: revert_error }
  return { code: 41, message: 'Transaction execution error', data: indexed }
}

/** An error whose code the caller's version does not have. */
function toKnownCode(pair: Pair, error: ErrorParts): ErrorParts {
  const { code, message } = error
  const wayleave = { adapted_from: pair.endpoint, code, message, ...(error.data !== undefined && { data: error.data }) }
  const data = isMembers(error.data) ? error.data : {}
  if (code === 41) {
    const revert_error = executionText(data['execution_error'] ?? message)
    return { code: 40, message: 'Contract error', data: { revert_error, wayleave } }
  }
  if (code === 21) return { code: 40, message: 'Contract error', data: { revert_error: message, wayleave } }
  // A fee below the minimum: the resources do not cover it.
  if (code === 65) return { code: 53, message, data: { wayleave } }
  const more = error.data === undefined ? '' : `: ${textOf(error.data)}`
  const text = `${message} (code ${code} of Starknet RPC ${pair.endpoint})${more}`
  return { code: 63, message: 'An unexpected error occurred', data: text }
}

/** Up to 0.7 the error of an execution is a text, from 0.8 on it may be an object for each call. */
function toKnownData(pair: Pair, error: ErrorParts): ErrorParts {
  if (!isBefore(pair.caller, '0.8') || !isMembers(error.data)) return error
  const name = error.code === 41 ? 'execution_error' : 'revert_error'
  const { [name]: nested } = error.data
  if ((error.code !== 40 && error.code !== 41) || !isMembers(nested)) return error
  const { wayleave } = error.data
  const mark = { ...(wayleave !== undefined && { wayleave }), adapted_from: pair.endpoint, [name]: nested }
  return { ...error, data: { ...error.data, [name]: executionText(nested), wayleave: mark } }
}

/** The error of an execution as a text: a line for each call, outermost first, and the reason. */
function executionText(error: unknown): string {
  const lines: string[] = []
  let at = error
  while (isMembers(at) && at['error'] !== undefined) {
    const { contract_address, class_hash, selector }: Members = at
    lines.push(
      `Error in contract ${textOf(contract_address)}, class ${textOf(class_hash)}, selector ${textOf(selector)}:`,
    )
    at = at['error']
  }
  lines.push(textOf(at))
  return lines.join('\n')
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : printExact(value)
}
