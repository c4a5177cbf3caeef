import type { FailureKind } from '@wayleave/upstream'
import type { CallOutcome, CallRecord } from './call-record.ts'
import type { RecentCall } from './recent-calls.ts'

/** A call as a process remembers it: plain data, which workers send. */
export interface RecordedCall {
  /** Unix time in ms at which it began. */
  readonly at: number
  readonly network: string
  readonly method: string
  readonly project: string
  readonly keyId: string
  readonly outcome: CallOutcome
  /** The upstream that answered, and the ms that it took, or the whole call; undefined where none did, or where the cache answered. */
  readonly upstream: string | undefined
  readonly ms: number
  /** Upstreams that were asked and gave no answer, with the kind of their failure and the ms until then. */
  readonly failed: readonly { readonly upstream: string; readonly kind: FailureKind; readonly ms: number }[]
}

/** Records a call that went well; `zero`: the Unix time in ms at which the clock was 0. */
export function recordOfRecent(call: RecentCall, zero: number): RecordedCall {
  const { network, method, project, keyId, begunAt, upstream, ms, error } = call
  const outcome = error === undefined ? 'answered' : 'node_error'
  return { at: zero + begunAt, network, method, project, keyId, outcome, upstream, ms, failed: [] }
}

/** Records a call that did not, likewise. */
export function recordOfKept({ trace, ms, outcome, upstream }: CallRecord, zero: number): RecordedCall {
  const { network, method, project, keyId, begunAt, marks } = trace
  const own = marks.find(({ kind, name }) => kind === 'answered' && name === upstream)
  return {
    at: zero + begunAt,
    network,
    method,
    project,
    keyId,
    outcome,
    upstream,
    ms: own?.ms ?? ms,
    failed: marks
      .filter(({ kind }) => kind === 'failed')
      .map((mark) => ({ upstream: mark.name, kind: mark.why!.split('\n')[0] as FailureKind, ms: mark.ms })),
  }
}
