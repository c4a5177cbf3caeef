import { congestionWindow } from '../statistics.ts'
import type { ChainWindow } from './chain-window.ts'

/** Base fees of consecutive blocks. */
export interface BaseFeeRun {
  /** The oldest block's number. */
  readonly firstNumber: number
  /** Wei per gas, oldest first. Never empty. */
  readonly baseFees: readonly bigint[]
}

/** The base fees known of a chain: of its newest blocks, and of older ones beyond a gap, as after a pause. */
export interface KnownBaseFees {
  readonly newest: BaseFeeRun
  readonly older?: BaseFeeRun | undefined
}

/** The run of a window's blocks. */
export function runOf({ blocks }: Pick<ChainWindow, 'blocks'>): BaseFeeRun {
  return { firstNumber: blocks[0]!.number, baseFees: blocks.map(({ baseFeePerGas }) => baseFeePerGas) }
}

/** Takes in the newest blocks. Fees that another chain left behind are dropped, and so are those beyond the congestion window. */
export function withNewest(known: KnownBaseFees | undefined, newest: BaseFeeRun): KnownBaseFees {
  if (known === undefined) return { newest }
  const { newest: before, older } = known
  const { firstNumber } = newest
  const overlaps = before.firstNumber <= firstNumber && endOf(before) >= firstNumber
  if (overlaps && before.baseFees[firstNumber - before.firstNumber] !== newest.baseFees[0]) return { newest }
  if (before.firstNumber < firstNumber && endOf(before) < firstNumber - 1) return trimmed({ newest, older: before })
  return trimmed(joined({ newest: joinRuns(before, newest), older }))
}

/** Finds the blocks to fetch next: up to `newest`, and how many at most. Undefined if none is missing. */
export function gapOf({
  newest,
  older,
}: KnownBaseFees): { readonly newest: number; readonly count: number } | undefined {
  const lowest = older === undefined ? lowestOf(newest) : endOf(older) + 1
  const count = newest.firstNumber - lowest
  return count > 0 ? { newest: newest.firstNumber - 1, count } : undefined
}

/** Takes in blocks of the gap. Those that do not end right before the newest run change nothing. */
export function withOlder(known: KnownBaseFees, found: BaseFeeRun): KnownBaseFees {
  const { newest, older } = known
  if (endOf(found) !== newest.firstNumber - 1) return known
  return trimmed(joined({ newest: joinRuns(found, newest), older }))
}

/** The part of a run before a block; undefined if it does not reach to it. */
export function runBefore(run: BaseFeeRun, number: number): BaseFeeRun | undefined {
  const baseFees = run.baseFees.slice(0, Math.max(0, number - run.firstNumber))
  return baseFees.length > 0 && endOf(run) >= number - 1 ? { firstNumber: run.firstNumber, baseFees } : undefined
}

function endOf({ firstNumber, baseFees }: BaseFeeRun): number {
  return firstNumber + baseFees.length - 1
}

function lowestOf(newest: BaseFeeRun): number {
  return Math.max(0, endOf(newest) - congestionWindow)
}

/** Joins two runs that touch or overlap; the second one's fees prevail. */
function joinRuns(older: BaseFeeRun, newer: BaseFeeRun): BaseFeeRun {
  if (older.firstNumber >= newer.firstNumber) return newer
  const kept = older.baseFees.slice(0, newer.firstNumber - older.firstNumber)
  return { firstNumber: older.firstNumber, baseFees: [...kept, ...newer.baseFees] }
}

function joined({ newest, older }: KnownBaseFees): KnownBaseFees {
  if (older === undefined || endOf(older) < newest.firstNumber - 1) return { newest, older }
  return { newest: joinRuns(older, newest) }
}

function trimmed({ newest, older }: KnownBaseFees): KnownBaseFees {
  const lowest = lowestOf(newest)
  return {
    newest: from(lowest, newest),
    older: older === undefined || endOf(older) < lowest ? undefined : from(lowest, older),
  }
}

function from(lowest: number, run: BaseFeeRun): BaseFeeRun {
  const surplus = lowest - run.firstNumber
  return surplus > 0 ? { firstNumber: lowest, baseFees: run.baseFees.slice(surplus) } : run
}
