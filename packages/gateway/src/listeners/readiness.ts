import type { HttpAnswer } from '../errors.ts'
import type { Probed } from '../serving.ts'

/** A line for each network, and for the IPFS API: whether it can serve, or why not. The endpoints are named to an operator only. */
export async function readiness(probed: Iterable<Probed>, toOperator: boolean): Promise<HttpAnswer> {
  const all = [...probed]
  const failures = await Promise.all(all.map(({ probe }) => probe()))
  const lines = all.map(({ name }, i) => {
    const reasons = failures[i]!.map(({ endpoint, reason }) => (toOperator ? `${endpoint}: ${reason}` : reason))
    return `${name}: ${reasons.length === 0 ? 'ok' : [...new Set(reasons)].join('; ')}\n`
  })
  const status = failures.every(({ length }) => length === 0) ? 200 : 503
  return { status, contentType: 'text/plain; charset=utf-8', body: lines.join(''), headers: [] }
}
