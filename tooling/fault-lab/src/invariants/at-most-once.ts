import type { Answer, SeenCall } from '../run/seen.ts'
import type { Evidence, Invariant } from './evidence.ts'

/** A transaction is given to no upstream again that has answered it, and none that all its callers were told has failed is ever mined. */
export const atMostOnce: Invariant = (evidence) => [...resent(evidence), ...minedAfterFailure(evidence)]

function resent({ truth, seen }: Evidence) {
  const askedAgain = new Set<string>()
  const answered = new Map<string, number>()
  const given = new Map<string, number>()
  return truth.sendings.flatMap(({ upstream, hash, at, answeredAt }) => {
    const key = `${upstream} ${hash}`
    const before = answered.get(key)
    const times = (given.get(key) ?? 0) + 1
    given.set(key, times)
    if (answeredAt !== undefined) answered.set(key, Math.min(before ?? Number.POSITIVE_INFINITY, answeredAt))
    if (before === undefined || before >= at || askedAgain.has(key)) return []
    // A caller may send a transaction again, also while another call has it on its way.
    const calls = sendersOf(seen.calls, hash, truth).filter((call) => call.at <= at)
    if (times <= calls.length || calls.some((call) => call.at > before)) return []
    askedAgain.add(key)
    return [
      {
        at,
        text: `${upstream} was given transaction ${hash.slice(0, 10)} again ${at - before} ms after it had answered it`,
      },
    ]
  })
}

function minedAfterFailure({ truth, seen }: Evidence) {
  const hashes = new Set(truth.sendings.map(({ hash }) => hash))
  return [...hashes].flatMap((hash) => {
    const calls = sendersOf(seen.calls, hash, truth)
    const [last] = calls.toReversed()
    if (last === undefined || !calls.every(({ answers }) => answers?.every(hasFailed) === true)) return []
    return truth.wasMined(hash)
      ? [
          {
            at: last.settledAt!,
            text: `transaction ${hash.slice(0, 10)} was mined, although call #${last.plan.id} was told that it failed`,
          },
        ]
      : []
  })
}

function sendersOf(calls: readonly SeenCall[], hash: string, truth: Evidence['truth']): readonly SeenCall[] {
  return calls.filter(({ questions }) =>
    questions.some(
      ({ method, params }) => method === 'eth_sendRawTransaction' && truth.hashOf(params[0] as string) === hash,
    ),
  )
}

/** Words of a node that refuses a transaction for good. Everything else leaves open whether it may have been taken. */
const refusals = /nonce too low|insufficient funds|underpriced|intrinsic gas|invalid (transaction|sender|signature)/i

function hasFailed({ error }: Answer): boolean {
  return error !== undefined && refusals.test(error.message)
}
