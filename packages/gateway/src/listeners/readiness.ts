import type { HttpAnswer } from '../errors.ts'
import type { ServedNetwork } from '../serving.ts'

/** A line for each network: whether it can serve, or why not. The endpoints are named to an operator only. */
export async function readiness(networks: Iterable<ServedNetwork>, toOperator: boolean): Promise<HttpAnswer> {
  const all = [...networks]
  const failures = await Promise.all(all.map(({ probe }) => probe()))
  const lines = all.map(({ name }, i) => {
    const reasons = failures[i]!.map(({ endpoint, reason }) => (toOperator ? `${endpoint}: ${reason}` : reason))
    return `${name}: ${reasons.length === 0 ? 'ok' : [...new Set(reasons)].join('; ')}\n`
  })
  const status = failures.every(({ length }) => length === 0) ? 200 : 503
  return { status, contentType: 'text/plain; charset=utf-8', body: lines.join(''), headers: [] }
}
