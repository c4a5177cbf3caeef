import type { Plan } from '../plan.ts'
import type { Answer, SeenCall } from '../run/seen.ts'
import type { Evidence, Invariant } from './evidence.ts'
import { couldBeProven, hasTrueMajority } from './honest.ts'

/** Methods whose answers a proof covers, so that a false one is refused. */
const provable = new Set([
  'eth_getBlockByNumber',
  'eth_getBlockByHash',
  'eth_getBlockReceipts',
  'eth_getTransactionReceipt',
  'eth_getTransactionByHash',
  'eth_getLogs',
  'eth_getBalance',
  'eth_getTransactionCount',
])

/**
 * No result is false that verification vouches for: one that was proven, and under `verify: proven` each that can be, where an honest
 * upstream could answer. Both hold while most upstreams tell the truth.
 */
export const noWrongAnswer: Invariant = (evidence) =>
  evidence.seen.calls.flatMap((call) =>
    (call.answers ?? []).flatMap((answer, i) => {
      if (!isVouchedFor(call, i, answer, evidence)) return []
      const question = call.questions[i]!
      const wrong = evidence.truth.judge(question, answer.result, call.at, call.settledAt!, staleMs(evidence.plan))
      return wrong === undefined
        ? []
        : [
            {
              at: call.settledAt!,
              text: `call #${call.plan.id}: ${question.method} was answered falsely by ${answer.upstream ?? 'an upstream'}: ${wrong.why}`,
            },
          ]
    }),
  )

/** Blocks that the anchor of a proof may be behind, as the gateway says; beyond that it has none. */
const anchorLag = 34
const slackMs = 15_000

/** Time for which an answer may be out of date, in virtual ms. */
const staleMs = ({ blockMs }: Plan): number => slackMs + anchorLag * blockMs

function isVouchedFor(call: SeenCall, nth: number, { result, level }: Answer, { plan }: Evidence): boolean {
  const { method, params } = call.questions[nth]!
  // Nobody can show that something is not there.
  if (result === undefined || result === null || !provable.has(method)) return false
  // Nor what the next block will hold.
  if (params.includes('pending')) return false
  if (plan.verify === 'off' || !hasTrueMajority(plan, call.settledAt!)) return false
  if (level === 'proven') return true
  return plan.verify === 'proven' && couldBeProven(plan, call.at, call.settledAt!)
}
