import { RpcError } from '@wayleave/jsonrpc-core'
import { type FailureKind, summariseFailures } from './health/failure-kind.ts'

/**
 * Makes the error of a call that no upstream answered. One upstream's own failure says it best; several are summed up. `refusals`: the kinds
 * of errors that upstreams answered with, and that nobody may see; `reasons`: why each upstream of the pool was not asked, read only where
 * none could be.
 */
export function noAnswer(
  candidates: number,
  failures: readonly { readonly why: RpcError; readonly kind: FailureKind | undefined }[],
  refusals: readonly FailureKind[],
  reasons: () => readonly string[],
  isFalse: ((why: RpcError) => boolean) | undefined,
): RpcError {
  const last = failures.at(-1)?.why
  if (last !== undefined && (candidates === 1 || (failures.length === 1 && last.code === 'overloaded'))) return last
  return new RpcError('unavailable', candidates === 0 ? nobody(reasons()) : failed(failures, refusals), {
    // A false answer says more than an upstream that was not there.
    cause: (isFalse && failures.map(({ why }) => why).findLast(isFalse)) ?? last,
    delivery: failures.some(({ why }) => why.delivery === 'unknown') ? 'unknown' : 'not_sent',
    retryAfterMs: last?.retryAfterMs,
  })
}

function failed(
  failures: readonly { readonly kind: FailureKind | undefined }[],
  refusals: readonly FailureKind[],
): string {
  const kinds = [...failures.flatMap(({ kind }) => (kind === undefined ? [] : [kind])), ...refusals]
  return `no upstream answered: ${summariseFailures(kinds)}`
}

/** Says why no upstream could be asked: `no upstream can take this call: 2 behind, 1 wrong chain`. */
function nobody(reasons: readonly string[]): string {
  const counts = new Map<string, number>()
  for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + 1)
  const told = [...counts].map(([reason, count]) => `${count} ${reason.replaceAll('_', ' ')}`)
  return ['no upstream can take this call', ...(told.length === 0 ? [] : [told.join(', ')])].join(': ')
}
