import { RpcError } from '@wayleave/jsonrpc-core'
import type { StreamBlock } from './block.ts'
import type { BlockPosition, ChainUpdate } from './chain-source.ts'

export interface BranchOptions {
  /** The list as it is, oldest first. Older blocks of it are put before it where they are needed. */
  readonly recent: StreamBlock[]
  readonly target: BlockPosition
  readonly maxMissed: number
  readonly maxReorg: number
  /** Gives the block of this hash and height. */
  readonly blockAt: (hash: string, number: number) => Promise<StreamBlock>
}

/**
 * Finds the changes that make the target the end of the list: blocks to remove, newest first, then blocks to add, oldest first.
 * None where the target is in the list, or too low to be told from it.
 * @throws RpcError `unavailable` where more blocks were missed, or replaced, than may be
 */
export async function findBranch(options: BranchOptions): Promise<ChainUpdate[]> {
  const { recent, target, maxMissed, maxReorg, blockAt } = options
  const head = recent.at(-1)
  if (head === undefined) return [{ kind: 'added', block: await blockAt(target.hash, target.number) }]
  if (target.number - head.number > maxMissed) {
    throw new RpcError('unavailable', `over ${maxMissed} blocks missed`)
  }
  const lowest = head.number - maxReorg
  if (target.number < lowest) return []
  const added: ChainUpdate[] = []
  let { hash, number } = target
  const readOlder = async (): Promise<void> => {
    const oldest = recent[0]!
    const older = await blockAt(oldest.parentHash, oldest.number - 1)
    // A search that a newer head ended may have a block on its way still.
    if (recent[0] === oldest) recent.unshift(older)
  }
  for (;;) {
    while (number < recent[0]!.number) await readOlder()
    const oldest = recent[0]!
    if (recent[number - oldest.number]?.hash === hash) break
    if (number <= lowest || number <= 0) throw new RpcError('unavailable', `reorg deeper than ${maxReorg}`)
    // Both chains go down at once: a deep fork would take twice the time.
    const [block] = await Promise.all([blockAt(hash, number), number === oldest.number ? readOlder() : undefined])
    added.push({ kind: 'added', block })
    hash = block.parentHash
    number--
  }
  // A head that goes back to an ancestor removes nothing.
  if (added.length === 0) return []
  const removed = recent.slice(number + 1 - recent[0]!.number).map((block): ChainUpdate => ({ kind: 'removed', block }))
  return [...removed.toReversed(), ...added.toReversed()]
}
