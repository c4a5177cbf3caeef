import type { SeenEvent } from '../run/seen-streams.ts'
import type { Block } from '../world/evm/block.ts'
import { type Finding, isBefore, type Start, type Timeline, type Until } from './fold.ts'

/**
 * Holds announced heads against the chain: each is the child of the one before it, or of one below where the chain was replaced; the last
 * one is the chain's. `events` tell hashes of blocks.
 */
export function foldHeads(
  events: readonly SeenEvent[],
  start: Start,
  until: Until | undefined,
  timeline: Timeline,
): readonly Finding[] {
  const findings: Finding[] = []
  let kept: Block[] = []
  const find = (kind: Finding['kind'], at: number, text: string): void => void findings.push({ kind, at, text })

  for (const { at, result } of events) {
    const block = timeline.byHash(String(result))
    if (block === undefined) {
      find('order', at, `head ${String(result)} is not of the chain`)
      continue
    }
    const { number, parent } = block
    const below = kept.findLastIndex(({ hash }) => hash === parent?.hash)
    if (kept.includes(block)) {
      find('duplicate', at, `head ${number} was told twice`)
      continue
    }
    const last = kept.at(-1)
    const isFirst = parent === undefined || isBefore(start, parent, timeline)
    if (below >= 0) kept.length = below + 1
    else if (isFirst && (last === undefined || number <= kept[0]!.number)) kept = []
    else if (last === undefined)
      find('gap', at, `head ${number} was told first, but block ${number - 1} is younger than the stream`)
    else if (number > last.number + 1) find('gap', at, `head ${number} was told after ${last.number}`)
    else find('order', at, `head ${number} was told after ${last.number}, and its parent never`)
    kept.push(block)
  }
  if (until === undefined) return findings
  const last = kept.at(-1)
  const isWhole = timeline
    .headsIn(until.from, until.to)
    .some((head) => head === last || (last === undefined && isBefore(start, head, timeline)))
  if (!isWhole)
    find('gap', until.to, `the last head that was told is ${last?.number ?? 'none'}, which is not the chain's`)
  return findings
}
