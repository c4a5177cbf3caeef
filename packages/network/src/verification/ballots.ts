import { contradictionOf, type Verification, VerifyError } from '@wayleave/evm-verify'
import type { RpcRequest } from '@wayleave/jsonrpc-core'

/** The answers to calls that nothing proves, by endpoint: they may agree, and a proof may refute them later. */
export interface Ballots {
  /** Adds an answer; true where so many nodes have given it as must. */
  add(request: RpcRequest, endpoint: string, answer: unknown): boolean
  /** The endpoints whose answers a proven one shows to be false, each with the reason. */
  refutedBy(request: RpcRequest, proven: unknown, found: Verification): readonly (readonly [string, VerifyError])[]
}

/** Makes ballots; `atLeast`: how many nodes must give an answer. `nodeOf` names the node of an endpoint, by default itself. */
export function createBallots(atLeast: number, nodeOf = (endpoint: string): string => endpoint): Ballots {
  const answers = new WeakMap<RpcRequest, Map<string, unknown>>()
  return {
    add(request, endpoint, answer) {
      let ofCall = answers.get(request)
      if (ofCall === undefined) answers.set(request, (ofCall = new Map()))
      ofCall.set(endpoint, answer)
      if (ofCall.size < atLeast) return false
      const own = canonical(answer)
      const same = [...ofCall].filter(([, other]) => canonical(other) === own)
      return new Set(same.map(([name]) => nodeOf(name))).size >= atLeast
    },
    refutedBy(request, proven, found) {
      return [...(answers.get(request) ?? [])].flatMap(([endpoint, answer]): [string, VerifyError][] => {
        const fields = comparable(request.method, answer, proven, found)
        const refusal = fields && contradictionOf(answer, proven, fields)
        return refusal === undefined ? [] : [[endpoint, new VerifyError('mismatch', refusal.field, refusal.reason)]]
      })
    },
  }
}

/** The same text for answers that differ in absent members, their order and the case of digits alone. */
function canonical(answer: unknown): string {
  return JSON.stringify(answer, (_name, value: unknown) => {
    if (typeof value === 'string') return value.toLowerCase()
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
    const members = Object.entries(value).filter(([, member]) => member !== null)
    return Object.fromEntries(members.toSorted(([a], [b]) => (a < b ? -1 : 1)))
  })
}

/** Members of a transaction that change when its block is replaced. */
const placeMembers = ['blockHash', 'blockNumber', 'blockTimestamp', 'transactionIndex', 'gasPrice']

/** The members to compare; undefined where both may be true: blocks may have been replaced between two answers. */
function comparable(
  method: string,
  answer: unknown,
  proven: unknown,
  { anchor, fields }: Verification,
): Verification['fields'] | undefined {
  const block = blockOf(proven)
  if (anchor === 'question' || (block !== undefined && block === blockOf(answer))) return fields
  if (method !== 'eth_getTransactionByHash') return undefined
  return { ...fields, ...Object.fromEntries(placeMembers.map((name) => [name, 'unverifiable' as const])) }
}

/** The hash of the block that an answer is, or is of. */
function blockOf(answer: unknown): unknown {
  const { blockHash, hash } = Object(Array.isArray(answer) ? answer[0] : answer) as Record<string, unknown>
  const named = blockHash === undefined ? hash : blockHash
  return typeof named === 'string' ? named.toLowerCase() : undefined
}
