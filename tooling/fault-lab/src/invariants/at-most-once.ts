import type { Answer, SeenCall } from '../run/seen.ts'
import type { Evidence, Invariant } from './evidence.ts'
import { hasLies } from './honest.ts'

/** A transaction is given to no upstream again that has answered it, and none that all its callers were told has failed is ever mined. */
export const atMostOnce: Invariant = (evidence) => [...resent(evidence), ...minedAfterFailure(evidence)]

/** Each call that sends a transaction may bring it to an upstream once. */
function resent({ truth, seen }: Evidence) {
  const given = Map.groupBy(truth.sendings, ({ upstream, hash }) => `${upstream} ${hash}`)
  return [...given.values()].flatMap((sendings) => {
    const [{ upstream, hash }] = sendings as [(typeof sendings)[number]]
    const extra = sendings[sendersOf(seen.calls, hash, truth).length]
    if (extra === undefined || !sendings.some(({ answeredAt }) => answeredAt !== undefined && answeredAt < extra.at))
      return []
    return [
      { at: extra.at, text: `${upstream} was given transaction ${hash.slice(0, 10)} again after it had answered it` },
    ]
  })
}

function minedAfterFailure({ plan, truth, seen }: Evidence) {
  // A node that lies may deny that it has one.
  if (hasLies(plan)) return []
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
