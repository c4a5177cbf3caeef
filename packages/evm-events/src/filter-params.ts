import type { RpcErrorObject, RpcRequest } from '@wayleave/jsonrpc-core'
import type { StoredFilter } from './filter-store.ts'
import { invalidParams } from './invalid-params.ts'
import { heightOf } from './quantity.ts'
import { jsonType, logFilterProblem, subscriptionKinds } from './subscription-kinds.ts'

/** The longest filter that is kept, in characters of JSON: over 1,000 addresses. */
const longestCriteria = 65_536

/** Reads the params of a call that makes a filter; errors are in geth's words. */
export function newFilterIn(
  { method, params }: RpcRequest,
  hasPending: boolean,
): Pick<StoredFilter, 'kind' | 'criteria'> | RpcErrorObject {
  if (method === 'eth_newPendingTransactionFilter' && !hasPending) {
    return { code: -32601, message: `the method ${method} does not exist/is not available` }
  }
  const list = params?.value() ?? []
  if (!Array.isArray(list)) return invalidParams('non-array args')
  const most = method === 'eth_newBlockFilter' ? 0 : 1
  if (list.length > most) return invalidParams(`too many arguments, want at most ${most}`)
  const [first] = list as unknown[]
  if (method === 'eth_newBlockFilter') return { kind: 'blocks', criteria: null }
  if (method === 'eth_newPendingTransactionFilter') {
    const problem = subscriptionKinds['newPendingTransactions']!.problem(first)
    return problem === undefined
      ? { kind: 'pending', criteria: first === true }
      : invalidParams(`invalid argument 0: ${problem}`)
  }
  if (list.length === 0) return invalidParams('missing value for required argument 0')
  if (first === null) return { kind: 'logs', criteria: {} }
  const problem = logFilterProblem(first) ?? rangeProblem(first as object)
  if (problem !== undefined) return invalidParams(`invalid argument 0: ${problem}`)
  // A filter tells what comes: an end that moves, or lies behind, is none.
  if (/^(?:earliest|safe|finalized)$/i.test(String(Object(first).toBlock))) {
    return invalidParams('invalid block range params')
  }
  const { from, to } = heightsOf(first as object)
  if (from > to) return invalidParams('invalid block range params')
  const { address, topics, fromBlock, toBlock } = first as Record<string, unknown>
  const criteria = { address, topics, fromBlock, toBlock }
  if (JSON.stringify(criteria).length <= longestCriteria) return { kind: 'logs', criteria }
  return invalidParams(`the filter is longer than ${longestCriteria} characters: name fewer addresses or topics`)
}

function rangeProblem(filter: object): string | undefined {
  const { blockHash, fromBlock, toBlock } = filter as Record<string, unknown>
  if (blockHash !== undefined && blockHash !== null)
    return 'blockHash names one block, which never changes: use eth_getLogs'
  for (const place of [fromBlock, toBlock]) {
    if (place === undefined || place === null) continue
    if (typeof place !== 'string') return `json: cannot unmarshal ${jsonType(place)} into Go value of type string`
    if (place === 'pending') return 'pending logs are not supported'
    if (!/^(?:0x(?:0|[1-9a-f][\da-f]{0,12})|latest|earliest|safe|finalized)$/i.test(place)) {
      return 'expected a hex block number without leading zeros (0x1b4) or a tag'
    }
  }
  return undefined
}

/** The heights that a filter names; a tag is none. */
export function heightsOf(criteria: object): { readonly from: number; readonly to: number } {
  const { fromBlock, toBlock } = criteria as { readonly fromBlock?: unknown; readonly toBlock?: unknown }
  return { from: heightOf(fromBlock) ?? 0, to: heightOf(toBlock) ?? Number.POSITIVE_INFINITY }
}
