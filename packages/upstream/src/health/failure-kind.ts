import type { RpcError, RpcErrorCode } from '@wayleave/jsonrpc-core'

/**
 * How a call failed at one upstream.
 *
 * - `timeout`, `unreachable`: it said nothing. Both count against it.
 * - `internal`, `overloaded`: it answered that it cannot. Both count against it.
 * - `false_answer`: verification refuted its answer.
 * - `rate_limited`, `quota`, `unauthorized`: it refuses our key, for a second, for the rest of a day, until somebody sees to it.
 * - `method_missing`: it does not have the method.
 * - `lagging`, `pruned`, `range_too_large`: it cannot serve this one call.
 */
export type FailureKind =
  | 'timeout'
  | 'unreachable'
  | 'internal'
  | 'overloaded'
  | 'false_answer'
  | 'rate_limited'
  | 'quota'
  | 'unauthorized'
  | 'method_missing'
  | 'lagging'
  | 'pruned'
  | 'range_too_large'

/** Says whether the upstream was silent, so that the failure tells nothing of its being alive. */
export const wasSilent = (kind: FailureKind): boolean => kind === 'timeout' || kind === 'unreachable'

/** Says whether a failure counts against the upstream: its error rate and its circuit breaker. */
export const isFault = (kind: FailureKind): boolean => wasSilent(kind) || kind === 'internal' || kind === 'overloaded'

/** Says whether a refusal is about our key at the upstream: its words are not for callers. */
export const isAboutKey = (kind: FailureKind): boolean =>
  kind === 'rate_limited' || kind === 'quota' || kind === 'unauthorized'

const ofCode: Partial<Record<RpcErrorCode, FailureKind>> = {
  timeout: 'timeout',
  connect: 'unreachable',
  disconnected: 'unreachable',
  invalid_response: 'internal',
}

const ofStatus: Readonly<Record<number, FailureKind>> = {
  401: 'unauthorized',
  402: 'quota',
  403: 'unauthorized',
  408: 'timeout',
  425: 'overloaded',
  429: 'rate_limited',
  503: 'overloaded',
  504: 'timeout',
  529: 'overloaded',
}

/** Tells the kind of a call that got no JSON-RPC answer; undefined where the upstream is not to blame, as for a call that was cancelled. */
export function failureKindOf({ code, httpStatus }: RpcError): FailureKind | undefined {
  return code === 'http_status' ? (ofStatus[httpStatus ?? 0] ?? 'internal') : ofCode[code]
}

const words: Readonly<Record<FailureKind, string>> = {
  timeout: 'timed out',
  unreachable: 'unreachable',
  internal: 'failed',
  overloaded: 'overloaded',
  false_answer: 'answered falsely',
  rate_limited: 'rate limited',
  quota: 'out of quota',
  unauthorized: 'refused our key',
  method_missing: 'without the method',
  lagging: 'behind',
  pruned: 'without the state',
  range_too_large: 'refused the range',
}

/** Says of an upstream how it failed. */
export const wordsOf = (kind: FailureKind): string => words[kind]

/** Sums up failures for a person: `2 timed out, 1 rate limited`, the most frequent first. */
export const summariseFailures = (kinds: readonly FailureKind[]): string => tally(kinds.map(wordsOf))

/** Counts alike words, the most frequent first. */
export function tally(all: readonly string[]): string {
  const counts = new Map<string, number>()
  for (const one of all) counts.set(one, (counts.get(one) ?? 0) + 1)
  const sorted = [...counts].toSorted(([, a], [, b]) => b - a)
  return sorted.map(([one, count]) => `${count} ${one}`).join(', ')
}
