import type { Answer } from './clients/table-client.ts'
import type { Expected } from './fault.ts'
import { hashOf, type Kind, type Target } from './questions.ts'
import { values } from './table-node.ts'

/** Statuses of an outage, for one call over HTTP. */
const outageStatuses = [502, 503, 504]
/** Codes by which the gateway tells an outage: internal error, request timed out, and all upstreams rate limited. */
const outageCodes = [-32603, -32002, -32005]

/** Says what is wrong with the answers to a question, each in a sentence; nothing if they are as expected. */
export function judge(kind: Kind, target: Target, expected: Expected, answers: readonly Answer[]): readonly string[] {
  if (kind === 'batch' && answers.length !== 3) {
    // Libraries that give a batch one error for all.
    const isFailed = answers.length === 1 && 'message' in answers[0]!
    if (!isFailed) return [`${answers.length} answers came for 3 calls`]
  }
  return answers.flatMap((answer, i) => {
    if (kind === 'write' && mayHaveTaken(expected) && isInDoubt(answer, hashOf(target.transaction))) return []
    return faultOf(answer, expected, trueValue(kind, target, expected, i)) ?? []
  })
}

/** Whether a node may have taken a transaction although it failed so. */
function mayHaveTaken(expected: Expected): boolean {
  return typeof expected === 'object' && ('outage' in expected || expected.error.code === -32603)
}

/** Tells the error of a transaction that a node may have taken before it failed. */
function isInDoubt(answer: Answer, hash: string): boolean {
  if ('value' in answer) return false
  const { code, message, data, status } = answer
  const doubt = `may have been sent: look for ${hash}`
  // The only node that was asked is quoted, and the doubt stands beside its words.
  const { doubt: beside } = Object(data) as { readonly doubt?: unknown }
  const isReported = code === -32000 ? message.includes(doubt) : String(beside).includes(doubt)
  return isReported && (status ?? 200) === 200
}

function trueValue(kind: Kind, { transaction }: Target, expected: Expected, place: number): string {
  if (kind === 'write') return hashOf(transaction)
  return Object.values(values[expected === 'stale' ? 'stale' : 'true'])[place]!
}

function faultOf(answer: Answer, expected: Expected, value: string): string | undefined {
  const reported = JSON.stringify(answer, (_key, each: unknown) => (typeof each === 'bigint' ? String(each) : each))
  if (expected === 'value' || expected === 'stale') {
    return 'value' in answer && BigInt(String(answer.value)) === BigInt(value)
      ? undefined
      : `expected ${value}, got ${reported}`
  }
  if ('value' in answer) return `expected an error, got ${reported}`
  const { code, message, data, status } = answer
  if ('outage' in expected) {
    const isOne = outageCodes.includes(code!) && expected.outage.test(message)
    const isStatus = status === undefined || outageStatuses.includes(status)
    return isOne && isStatus ? undefined : `expected an outage, ${expected.outage}, got ${reported}`
  }
  const { error } = expected
  const isSame = code === error.code && message === error.message && data === error.data
  return isSame && (status ?? 200) === 200 ? undefined : `expected ${JSON.stringify(error)}, got ${reported}`
}
