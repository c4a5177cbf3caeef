import { RpcError } from '@wayleave/jsonrpc-core'
import type { StreamBlock } from './block.ts'
import type { BlockPosition, ChainUpdate } from './chain-source.ts'

export interface BranchOptions {
  /** The list as it is, oldest first. Older blocks of it are put before it where they are needed. */
  readonly recent: StreamBlock[]
  readonly target: BlockPosition
  readonly maxMissed: number
  readonly maxReorg: number
  /** Gives the block of this hash, whose height is within these. `isPast`: it was on the chain, and may be gone. */
  readonly blockAt: (hash: string, highest: number, lowest: number, isPast: boolean) => Promise<StreamBlock>
}

/**
 * Finds the changes that make the target the end of the list: blocks to remove, newest first, then blocks to add, oldest first. A
 * parent is the block that `parentHash` names, at whatever height. None where the target is in the list.
 * @throws RpcError `unavailable` where more blocks were missed, replaced or taken back than may be
 */
export async function findBranch(options: BranchOptions): Promise<ChainUpdate[]> {
  const { recent, target, maxMissed, maxReorg, blockAt } = options
  const head = recent.at(-1)
  if (head === undefined) {
    return [{ kind: 'added', block: await blockAt(target.hash, target.number, target.number, false) }]
  }
  if (target.number - head.number > maxMissed) {
    throw new RpcError('unavailable', `over ${maxMissed} blocks missed`)
  }
  const lowest = Math.max(0, head.number - maxReorg)
  const added: ChainUpdate[] = []
  let { hash } = target
  /** The greatest height that the block of this hash can have. */
  let highest = target.number
  const readOlder = async (): Promise<void> => {
    const oldest = recent[0]!
    const older = await blockAt(oldest.parentHash, oldest.number - 1, 0, true)
    // A search that a newer head ended may have a block on its way still.
    if (recent[0] === oldest) recent.unshift(older)
  }
  const readDownTo = async (number: number): Promise<void> => {
    while (number < recent[0]!.number) await readOlder()
  }
  const indexOf = (): number => recent.findLastIndex((block) => block.hash === hash)
  if (indexOf() >= 0) return []
  if (highest < lowest) throw new RpcError('unavailable', `the chain went back by more than ${maxReorg} blocks`)
  for (;;) {
    await readDownTo(highest)
    if (indexOf() >= 0) break
    if (highest <= lowest) throw new RpcError('unavailable', `reorg deeper than ${maxReorg}`)
    // Both chains go down at once: a deep fork would take twice the time.
    const isLowest = highest === recent[0]!.number
    const exact = added.length === 0 ? highest : 0
    const [block] = await Promise.all([blockAt(hash, highest, exact, false), isLowest ? readOlder() : undefined])
    // A parent further down may be of the list itself.
    await readDownTo(block.number)
    if (indexOf() >= 0) break
    if (block.number <= lowest) throw new RpcError('unavailable', `reorg deeper than ${maxReorg}`)
    added.push({ kind: 'added', block })
    hash = block.parentHash
    highest = block.number - 1
  }
  // A head that goes back to an ancestor removes nothing.
  if (added.length === 0) return []
  const removed = recent.slice(indexOf() + 1).map((block): ChainUpdate => ({ kind: 'removed', block }))
  return [...removed.toReversed(), ...added.toReversed()]
}
