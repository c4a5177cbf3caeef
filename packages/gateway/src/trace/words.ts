import type { Refusal } from '@wayleave/metering'

/** Why an upstream failed, by the kind of its failure. */
const failures: Readonly<Record<string, string>> = {
  timeout: 'did not answer in time',
  unreachable: 'could not be reached, or the connection broke',
  internal: 'answered with a failure of its own',
  overloaded: 'answered that it is overloaded',
  false_answer: 'gave an answer that verification refuted',
  rate_limited: 'limited the rate of our key',
  quota: 'has no quota left for our key',
  unauthorized: 'refused our key',
  method_missing: 'does not have the method',
  method_untried: 'is a fallback that is not tried for the method now',
  lagging: 'does not have the block yet',
  pruned: 'no longer has the state of so old a block',
  range_too_large: 'refused so long a range',
  given_up: 'had not answered when the call ended',
}

/** Why an upstream was left alone, by the reason of the selection. */
const exclusions: Readonly<Record<string, string>> = {
  cordoned: 'is cordoned by an operator',
  wrong_chain: 'is a node of another chain',
  behind: 'is behind the others',
  ahead: 'is on another branch than the others',
  silent: 'does not tell its head',
  unasked: 'has not told its chain yet',
  budget_spent: 'has spent its budget',
  budget_rate: 'has no credits left this second in its budget',
  suspected: 'was silent a moment ago, and is asked last',
  cooling_down: 'failed often, so that its circuit breaker is open',
  half_open: 'failed often, and its circuit breaker tries it again with a few calls',
  false_answers: 'gave false answers, and is asked last',
  rate_limited: 'limited our rate, and is left alone for a while',
  quota_spent: 'has no quota left for our key',
  unauthorized: 'refused our key',
  cannot_push: 'cannot push, which a subscription needs',
  group: 'is in no group that the project may use',
  method_denied: 'is not to be asked for the method (methods of the upstream)',
  method_missing: 'does not have the method',
  needs_block: 'does not have the block',
  not_chosen: 'was not chosen for the call',
  api_version: 'does not speak the API version',
  pruned: 'does not have so old a block',
  chain_untold: 'has not told its chain, while another one has',
  range_too_large: 'does not take so long a range',
  range_doubtful: 'may not take so long a range',
}

/** Says how an attempt failed. */
export const failureText = (kind: string): string => failures[kind] ?? kind.replaceAll('_', ' ')

/** Says why an upstream was left alone. */
export const exclusionText = (reason: string): string => exclusions[reason] ?? reason.replaceAll('_', ' ')

/** Names the limit that a caller has used up. */
export function limitText({ limit, credits }: Refusal): string {
  const part = limit.part === 'all' ? '' : limit.part === 'method' ? ' for the method' : ' for one visitor'
  const whose = `of the ${limit.scope}${part}, ${credits} credits a ${limit.window}`
  return limit.window === 'second' ? `the rate ${whose}, is exceeded` : `the quota ${whose}, is spent`
}

/** Prints a time for people. */
export function printMs(ms: number): string {
  if (ms >= 10_000) return `${Math.round(ms / 1_000)} s`
  return ms >= 1_000 ? `${(ms / 1_000).toFixed(1)} s` : `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`
}

/** Longest message that is kept, in characters. */
const longest = 300

/**
 * Takes everything that may repeat a caller's params out of a message of ours, and cuts it: quoted text, hex, URLs. The copy holds no piece
 * of the original, which may be long.
 */
export function withoutParams(message: string): string {
  const short = message
    .slice(0, 2 * longest)
    .replace(/\b[a-z][a-z0-9+.-]*:\/\/\S+/gi, '<url>')
    .replace(/"[^"]*"?|0x[0-9a-f]*/gi, '…')
    .slice(0, longest)
  return Buffer.from(short).toString()
}
