import type { NodeErrorKind } from '@wayleave/evm-types'
import { GasFeesError } from '../error.ts'
import type { FeeAnswer } from '../source/fee-answer.ts'
import { nodeErrorKindOf, nodeErrorOf } from '../source/node-error-of.ts'
import type { ChainTraits } from '../totals/chain-traits.ts'
import type { TotalFeeCall } from '../totals/read-transaction.ts'
import { printTotalFee, totalFeeFrom } from '../totals/total-fee.ts'
import type { RequestFunction } from '../wallets/suggest-from.ts'
import { ageOf, type GasAnswer, type ReadyFees, refuse } from './gas-answer.ts'

interface TotalFeeQuestion {
  /** The query of the request, without `?`. */
  readonly query: string
  readonly request: RequestFunction
  readonly chain: () => Promise<ChainTraits>
  readonly read: ReadyFees
}

const names = ['to', 'from', 'data', 'value', 'gas', 'nonce', 'signed']
/** Errors of nodes that are not about the call. */
const passing = new Set<NodeErrorKind | undefined>([
  'unavailable',
  'rate_limited',
  'quota_exceeded',
  'unauthorized',
  'limit_exceeded',
  'state_unavailable',
  'unknown_block',
  'timeout',
  'internal',
])

/** Answers `totalFee` by the newest suggestion, and by what the nodes tell of the transaction in the query. Never rejects. */
export async function totalFeeAnswer({ query, request, chain, read }: TotalFeeQuestion): Promise<GasAnswer> {
  const { answer } = read
  try {
    const suggest = (): Promise<FeeAnswer['fees']> => Promise.resolve(answer.fees)
    const total = await totalFeeFrom(request, transactionOf(query), { suggest, chain })
    const headers = {
      'content-type': 'application/json',
      'cache-control': 'no-store',
      'x-block-number': String(answer.blockNumber),
      ...ageOf(read),
    }
    return { status: 200, headers, body: printTotalFee(total) }
  } catch (thrown) {
    return refusalOf(thrown)
  }
}

/** @throws GasFeesError `malformed` */
function transactionOf(query: string): TotalFeeCall | string {
  const given = [...new URLSearchParams(query)]
  const members = Object.fromEntries(given)
  const stray = given.find(([name], i) => !names.includes(name) || given.findIndex(([other]) => other === name) < i)
  if (stray !== undefined || given.length === 0) {
    const got = stray === undefined ? 'none' : `${names.includes(stray[0]) ? 'twice ' : ''}${stray[0].slice(0, 40)}`
    throw new GasFeesError('malformed', `expected ${names.slice(0, -1).join(', ')} of a call, or signed, got ${got}`)
  }
  const { signed } = members
  if (signed === undefined) return members
  if (given.length > 1) throw new GasFeesError('malformed', 'expected signed alone: it has all of the transaction')
  return signed
}

function refusalOf(thrown: unknown): GasAnswer {
  if (thrown instanceof GasFeesError && thrown.code !== 'invalid_response') return refuse(400, thrown.message)
  const node = nodeErrorOf(thrown)
  const kind = nodeErrorKindOf(thrown)
  if (node !== undefined && !passing.has(kind)) {
    const words = node.message.slice(0, 1_000)
    return refuse(400, kind === 'method_not_found' ? words : `the node refuses this transaction: ${words}`)
  }
  const why = thrown instanceof GasFeesError ? `: ${thrown.message}` : ''
  return refuse(503, `the nodes of this network tell no total now${why}`, { 'retry-after': '5' })
}
