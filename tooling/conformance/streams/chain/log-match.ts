import type { Log } from './clock-chain.ts'

/** A filter as callers write it; hex digits of any case. */
export interface LogFilter {
  readonly address?: string | readonly string[] | null
  readonly topics?: readonly (string | readonly string[] | null)[] | null
}

/** Whether a log is one that a filter asks for. */
export function isMatch({ address, topics }: LogFilter, log: Pick<Log, 'address' | 'topics'>): boolean {
  return isOneOf(address, log.address) && (topics ?? []).every((wanted, i) => isOneOf(wanted, log.topics[i]))
}

function isOneOf(wanted: string | readonly string[] | null | undefined, value: string | undefined): boolean {
  if (wanted === null || wanted === undefined) return true
  if (value === undefined) return false
  const all = typeof wanted === 'string' ? [wanted] : wanted
  return all.length === 0 || all.some((each) => each.toLowerCase() === value)
}
