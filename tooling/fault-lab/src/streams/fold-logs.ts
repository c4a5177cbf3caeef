import { logsIn, matcher } from '../world/answers.ts'
import type { SeenEvent } from '../run/seen-streams.ts'
import type { Block, Log } from '../world/evm/block.ts'
import { type Finding, isBefore, type Start, startAt, type Timeline, type Until } from './fold.ts'

/** A log that a caller keeps. */
interface Kept {
  readonly block: Block
  readonly log: Log
}

export interface FoldLogsOptions {
  readonly filter: Readonly<Record<string, unknown>>
  readonly timeline: Timeline
  /** Whether logs below the start may be taken back: where the place was given by a block's hash, nobody knows which were told. */
  readonly mayTakeBackMore: boolean
}

/**
 * Holds told logs against the chain: each follows the one before it on its chain, those of replaced blocks are taken back last first before
 * others come, and at the end exactly those of the chain are kept.
 */
export function foldLogs(
  events: readonly SeenEvent[],
  begin: Start,
  until: Until | undefined,
  { filter, timeline, mayTakeBackMore }: FoldLogsOptions,
): readonly Finding[] {
  const findings: Finding[] = []
  let start = begin
  let isFirst = true
  const kept: Kept[] = []
  /** The logs of `kept`. */
  const keptLogs = new Set<Log>()
  const matches = matcher(filter['address'], filter['topics'])
  const ofBlock = new Map<Block, readonly Log[]>()
  const find = (kind: Finding['kind'], at: number, text: string): void => void findings.push({ kind, at, text })

  function wantedOf(block: Block): readonly Log[] {
    let known = ofBlock.get(block)
    if (known === undefined) ofBlock.set(block, (known = logsIn(block).filter(matches)))
    return known
  }

  /** The last log of a block or below it that belongs to the stream. */
  function lastLog(from: Block | undefined): Kept | undefined {
    for (let block = from; block !== undefined && !isBefore(start, block, timeline); block = block.parent) {
      const log = wantedOf(block).at(-1)
      if (log !== undefined) return { block, log }
    }
    return undefined
  }

  function takeBack(at: number, block: Block, log: Log): void {
    const nth = keptLogs.delete(log) ? kept.findLastIndex((each) => each.log === log) : -1
    if (nth >= 0) kept.splice(nth, 1)
    const isBelow = nth < 0 && mayTakeBackMore && isBefore({ ...start, fromBlock: undefined }, block, timeline)
    // All that follows on it is told anew.
    if (isBelow) start = { ...start, fromBlock: Math.min(block.number, start.fromBlock ?? block.number) }
    else if (nth < 0) find('order', at, `${nameOf(block, log)} was taken back, and had not been told`)
    else if (nth < kept.length) find('order', at, `${nameOf(block, log)} was taken back before a later one`)
  }

  function add(at: number, block: Block, log: Log): void {
    const own = wantedOf(block)
    const i = own.indexOf(log)
    if (isFirst && lastLog(block.parent) === undefined) start = startAt(start, block, timeline)
    isFirst = false
    const before = i > 0 ? { block, log: own[i - 1]! } : lastLog(block.parent)
    const last = kept.at(-1)
    if (i < 0) return find('order', at, `${nameOf(block, log)} does not match`)
    if (keptLogs.has(log)) return find('duplicate', at, `${nameOf(block, log)} was told twice`)
    if (before?.log !== last?.log) {
      const nth = kept.findLastIndex((each) => each.log === before?.log)
      const about = last === undefined ? 'first' : `after ${nameOf(last.block, last.log)}`
      if (before !== undefined && nth < 0)
        find('gap', at, `${nameOf(block, log)} was told ${about}, but not ${nameOf(before.block, before.log)}`)
      else find('order', at, `${nameOf(block, log)} was told ${about}, which was not taken back`)
      if (nth >= 0 || before === undefined) for (const gone of kept.splice(nth + 1)) keptLogs.delete(gone.log)
    }
    kept.push({ block, log })
    keptLogs.add(log)
  }

  for (const { at, result } of events) {
    const { blockHash, logIndex, removed } = Object(result) as Record<string, unknown>
    const block = timeline.byHash(String(blockHash))
    const log = block && logsIn(block).find((each) => each['logIndex'] === logIndex)
    if (block === undefined || log === undefined || !isSame(result, log)) {
      find('order', at, `${JSON.stringify(result)} is not of the chain`)
    } else if (removed === true) takeBack(at, block, log)
    else add(at, block, log)
  }
  if (until === undefined) return findings
  const last = kept.at(-1)?.log
  const isWhole = timeline.headsIn(until.from, until.to).some((head) => lastLog(head)?.log === last)
  if (!isWhole) {
    const [head] = timeline.headsIn(until.to, until.to)
    const missing = lastLog(head)
    const about = missing === undefined ? 'none' : nameOf(missing.block, missing.log)
    find(
      'gap',
      until.to,
      `the last log that is kept is ${last === undefined ? 'none' : nameOf(kept.at(-1)!.block, last)}; the chain's is ${about}`,
    )
  }
  return findings
}

const nameOf = ({ number, hash }: Block, log: Log): string =>
  `log ${Number(log['logIndex'])} of block ${number} ${hash.slice(0, 10)}`

/** Compares a told log with the chain's, whether it was taken back or not. */
function isSame(reported: unknown, log: Log): boolean {
  const other = reported as Readonly<Record<string, unknown>>
  return Object.entries(log).every(
    ([name, value]) => name === 'removed' || JSON.stringify(other[name]) === JSON.stringify(value),
  )
}
