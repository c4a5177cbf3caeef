import type { SeenEvent } from '../run/seen-streams.ts'
import type { Block } from '../world/evm/block.ts'
import { type Finding, isBefore, type Start, startAt, type Timeline, type Until } from './fold.ts'

/** Holds told receipts against the chain: those of each block with transactions are told once, whole, in the order of the chain. */
export function foldReceipts(
  events: readonly SeenEvent[],
  begin: Start,
  until: Until | undefined,
  timeline: Timeline,
): readonly Finding[] {
  const findings: Finding[] = []
  let start = begin
  const reported = new Set<Block>()
  const find = (kind: Finding['kind'], at: number, text: string): void => void findings.push({ kind, at, text })

  /** The last block with receipts among a block and those below it; undefined: none since the start. */
  function lastOf(from: Block | undefined): Block | undefined {
    for (let block = from; block !== undefined && !isBefore(start, block, timeline); block = block.parent) {
      if (block.receipts.length > 0) return block
    }
    return undefined
  }

  for (const { at, result } of events) {
    const receipts = result as readonly { readonly blockHash: string; readonly transactionHash: string }[]
    const block = timeline.byHash(String(receipts[0]?.blockHash))
    if (
      block === undefined ||
      receipts.some(({ transactionHash }, i) => block.receipts[i]?.transactionHash !== transactionHash)
    ) {
      find('order', at, `receipts of ${String(receipts[0]?.blockHash)} are not the chain's`)
      continue
    }
    if (receipts.length < block.receipts.length)
      find('gap', at, `${receipts.length} of ${block.receipts.length} receipts of block ${block.number}`)
    if (reported.has(block)) find('duplicate', at, `receipts of block ${block.number} were told twice`)
    const before = lastOf(block.parent)
    if (reported.size === 0 && before === undefined) start = startAt(start, block, timeline)
    if (before !== undefined && !reported.has(before))
      find('gap', at, `receipts of block ${block.number} were told, but not of ${before.number}`)
    reported.add(block)
  }
  if (until === undefined) return findings
  const isWhole = timeline.headsIn(until.from, until.to).some((head) => {
    const last = lastOf(head)
    return last === undefined || reported.has(last)
  })
  if (!isWhole) find('gap', until.to, `the chain's last receipts were not told`)
  return findings
}
