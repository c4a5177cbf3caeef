import type { Evidence, Invariant } from './evidence.ts'
import { hasSteadyMajority } from './honest.ts'

/** One time that callers were told how far something has come. */
interface Reported {
  /** Its subject: the head, or an account. */
  readonly of: string
  readonly askedAt: number
  readonly reportedAt: number
  readonly value: number
  readonly by: string
}

/** Time after a reorganisation in which upstreams may still leave the old branch, in virtual ms. */
const reorgMs = 40_000
/** Time for which a pending nonce is remembered, in virtual ms: a transaction may be dropped by all nodes in the end. */
const nonceMs = 60_000

/** Heads and nonces that callers are told never go back, whichever upstream tells them, unless the chain itself has gone back. */
export const viewsMonotonic: Invariant = (evidence) => {
  const { plan, truth } = evidence
  // The chain is what most upstreams tell.
  if (plan.upstreams.length < 2 || !hasSteadyMajority(plan)) return []
  const reported = reportedIn(evidence)
  // One subscription may be later than another; a call that comes after a push may not be.
  const all = [...reported, ...pushedIn(evidence)]
  return reported.flatMap((later) => {
    const earlier = all.find(
      (each) =>
        each.of === later.of &&
        each.reportedAt < later.askedAt &&
        each.value > later.value &&
        (each.of === head || later.askedAt - each.reportedAt < nonceMs) &&
        !truth.reorgs.some((at) => at >= each.askedAt - reorgMs && at <= later.reportedAt),
    )
    return earlier === undefined
      ? []
      : [
          {
            at: later.reportedAt,
            text: `${later.by} told ${later.of} ${later.value}, and ${earlier.by} had told ${earlier.value}`,
          },
        ]
  })
}

const head = 'head'

function reportedIn({ seen }: Evidence): readonly Reported[] {
  return seen.calls.flatMap(({ plan, questions, answers = [], at, settledAt }) =>
    answers.flatMap(({ result }, i) => {
      const { method, params } = questions[i]!
      const of = subjectOf(method, params)
      const value = of === undefined ? undefined : numberOf(result)
      if (of === undefined || value === undefined) return []
      return [{ of, value, askedAt: at, reportedAt: settledAt!, by: `call #${plan.id}` }]
    }),
  )
}

function pushedIn({ seen }: Evidence): readonly Reported[] {
  return seen.subscriptions.flatMap(({ id, kind, events }) =>
    events.flatMap(({ at, result }) => {
      const value = kind === 'newHeads' ? numberOf(result) : undefined
      return value === undefined ? [] : [{ of: head, value, askedAt: at, reportedAt: at, by: `subscription ${id}` }]
    }),
  )
}

function subjectOf(method: string, params: readonly unknown[]): string | undefined {
  if (method === 'eth_blockNumber') return head
  if (method === 'eth_getBlockByNumber' && params[0] === 'latest') return head
  if (method === 'eth_getTransactionCount' && params[1] === 'pending')
    return `the pending nonce of ${String(params[0])}`
  return undefined
}

function numberOf(result: unknown): number | undefined {
  const text = typeof result === 'object' && result !== null && 'number' in result ? result.number : result
  return typeof text === 'string' && /^0x[\da-f]+$/i.test(text) ? Number(text) : undefined
}
