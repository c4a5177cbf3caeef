import type { KnownSpent } from './authority.ts'

/**
 * The spent credits of a bucket without inflow, at its authority. They survive the loss of its memory: each process then tells what it was
 * told last, and settles what it has spent since. Each member is a bound from below, or adds to one, so that nothing counts twice.
 */
export interface SpentQuota {
  /** Names this memory of the bucket. */
  readonly epoch: string
  /** Most that a process was told in an earlier memory. */
  told: number
  /** Debts that processes had when they first asked this memory. */
  owed: number
  /** Those that a store of usage had, with the debts of its reader. */
  least: number
  /** The process that told them, the first to ask. */
  reader?: string
  /** Debited otherwise. */
  spent: number
}

/** Debits up to `want` credits of `burst` for the process `asker`. Returns those that were debited, and those that are left. */
export function debitQuota(
  quota: SpentQuota,
  burst: number,
  want: number,
  asker: string,
  known: KnownSpent | undefined,
): { readonly granted: number; readonly remaining: number } {
  const isNew = quota.told + quota.owed + quota.least + quota.spent === 0
  const isFirst = known !== undefined && known.epoch !== quota.epoch
  const isFromStore = isFirst && known.epoch === '' && (isNew || quota.reader === asker)
  if (isFirst && known.epoch !== '') quota.told = Math.max(quota.told, known.credits)
  if (isFromStore && isNew) {
    quota.least = known.credits
    quota.reader = asker
  }
  const granted = Math.max(0, Math.min(want, burst - total(quota)))
  if (isFirst) quota.owed += granted
  else quota.spent += granted
  if (isFromStore) quota.least += granted
  return { granted, remaining: Math.max(0, burst - total(quota)) }
}

const total = ({ told, owed, least, spent }: SpentQuota): number => Math.max(told + owed, least) + spent
