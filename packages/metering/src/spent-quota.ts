import type { KnownSpent } from './authority.ts'

/**
 * The spent credits of a bucket without inflow, at its authority. They survive the loss of its memory: each process then tells what it was
 * told last, and settles what it has spent since. Each member is a bound from below, or adds to one, so that nothing counts twice.
 */
export interface SpentQuota {
  /** Names this memory of the bucket. */
  readonly epoch: string
  /** Most that a process was told in an earlier memory. */
  reported: number
  /** Debts that processes had when they first asked this memory. */
  owed: number
  /** Those that a store of usage had, with the debts of its reader. */
  least: number
  /** The process that told them, the first to ask. */
  reader?: string
  /** Debited otherwise, less what was given back: it may be below 0. */
  spent: number
}

/** Debits up to `want` credits of `burst` for the process `asker`; below 0, it takes them back, as far as they were spent. The
 * `undivided` part of them is debited whole or not at all. Returns those that were debited, and those that are left. */
export function debitQuota(
  quota: SpentQuota,
  burst: number,
  want: number,
  asker: string,
  known: KnownSpent | undefined,
  undivided = 0,
): { readonly granted: number; readonly remaining: number } {
  const isNew = quota.reported + quota.owed + quota.least + quota.spent === 0
  const isFirst = known !== undefined && known.epoch !== quota.epoch
  const isFromStore = isFirst && known.epoch === '' && (isNew || quota.reader === asker)
  if (isFirst && known.epoch !== '') quota.reported = Math.max(quota.reported, known.credits)
  if (isFromStore && isNew) {
    quota.least = known.credits
    quota.reader = asker
  }
  const left = burst - total(quota)
  const most = want > left ? Math.min(want - undivided, left) : want
  const granted = want < 0 ? Math.max(want, -total(quota)) : Math.max(0, most)
  if (isFirst && granted > 0) quota.owed += granted
  else quota.spent += granted
  if (isFromStore && granted > 0) quota.least += granted
  return { granted, remaining: Math.max(0, burst - total(quota)) }
}

const total = ({ reported, owed, least, spent }: SpentQuota): number => Math.max(reported + owed, least) + spent
