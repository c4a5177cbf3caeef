import type { Plan, UpstreamPlan } from '../plan.ts'
import type { View } from './answers.ts'
import { type Chain, lastStrangeBlock } from './chain.ts'
import { ancestorAt, type Block, commonAncestor, makeBlock } from './evm/block.ts'
import { chainId, type LabTransaction } from './evm/transactions.ts'
import { catchUpMs, type Faults } from './faults.ts'
import type { VirtualClock } from './virtual-clock.ts'

/** The blocks that a node left and those that it took, each lowest first. */
export interface Move {
  readonly removed: readonly Block[]
  readonly added: readonly Block[]
}

/** The chain as one node sees it. */
export interface NodeView {
  /** All that its answers depend on now. */
  view(): View
  /** Takes a head of the network. */
  learn(block: Block): void
  /** Looks whether its head is another one now, as its faults have it. */
  refresh(): void
  readonly pool: Map<string, LabTransaction>
  /** Whether its chain is that of the network. */
  readonly isTrue: boolean
}

export interface NodeViewOptions {
  readonly plan: Plan
  readonly upstream: UpstreamPlan
  readonly chain: Chain
  readonly faults: Faults
  readonly clock: VirtualClock
  readonly onMove: (move: Move) => void
}

const otherChainId = 5
const mostAdded = 80

export function createNodeView(options: NodeViewOptions): NodeView {
  const { upstream, chain, faults, clock } = options
  const pool = new Map<string, LabTransaction>()
  const seen = new Set<string>()
  const first = chain.head
  let learnt = first
  let head = learnt
  /** The head when it froze. */
  let frozen: Block | undefined
  /** The tip of its own chain. */
  let forged: Block | undefined

  function headNow(): Block {
    if (faults.active('other_chain') !== undefined) return strangeAt(learnt.number)
    const forging = faults.active('forge')
    if (forging !== undefined) return forge(forging.amount ?? 1)
    forged = undefined
    if (faults.active('freeze') !== undefined) return (frozen ??= learnt)
    frozen = undefined
    const lag = faults.active('lag')
    if (lag !== undefined) return ancestorAt(learnt, learnt.number - (lag.amount ?? 1))!
    const restart = faults.active('restart_old')
    if (restart !== undefined) {
      const since = Math.floor((clock.now() - restart.at) / catchUpMs)
      return ancestorAt(learnt, Math.min(learnt.number, learnt.number - (restart.amount ?? 1) + since))!
    }
    return learnt
  }

  function forge(depth: number): Block {
    let tip = forged ?? ancestorAt(learnt, learnt.number - depth)!
    while (tip.number < learnt.number) {
      const timestamp = Math.max(tip.timestamp, ancestorAt(learnt, tip.number + 1)!.timestamp)
      tip = makeBlock(tip, [], { chain: 'forged', timestamp, extra: `forged by ${upstream.name}` })
    }
    return (forged = tip)
  }

  function refresh(): void {
    const before = head
    head = headNow()
    if (head === before) return
    const ancestor = commonAncestor(before, head)
    const move = { removed: between(ancestor, before), added: between(ancestor, head) }
    for (const { transactions } of move.removed)
      for (const each of transactions) if (chain.waiting.has(each.hash)) pool.set(each.hash, each)
    for (const { transactions } of move.added) for (const { hash } of transactions) pool.delete(hash)
    options.onMove(move)
  }

  /** Whether a block was there before the run: every node has it, replaced or not. */
  const isOld = (block: Block): boolean => ancestorAt(first, block.number) === block

  function byHash(hash: string): Block | undefined {
    for (let block: Block | undefined = head; block !== undefined; block = block.parent)
      if (block.hash === hash) return block
    const known = chain.byHash(hash)
    const block = seen.has(hash) || (known !== undefined && isOld(known)) ? known : undefined
    return block !== undefined && block.number <= head.number ? block : undefined
  }

  return {
    pool,
    get isTrue() {
      return faults.active('other_chain') === undefined && faults.active('forge') === undefined
    },
    view() {
      const pruned = faults.active('prune')
      const prunedTo = head.number - (pruned?.amount ?? 0)
      const oldest = (kept: number | undefined): number => (kept === undefined ? 0 : Math.max(0, head.number - kept))
      const oldestBlock = pruned?.variant === 1 ? prunedTo : oldest(upstream.keptBlocks)
      return {
        name: upstream.name,
        client: upstream.client,
        chainId: faults.active('other_chain')?.variant === 0 ? otherChainId : chainId,
        head,
        oldestBlock,
        oldestState:
          pruned === undefined ? Math.max(oldestBlock, oldest(upstream.stateBlocks)) : Math.max(oldestBlock, prunedTo),
        maxRange: upstream.maxRange ?? Number.POSITIVE_INFINITY,
        emptyForUnknown: upstream.emptyForUnknown ?? false,
        byHash,
        find: (hash) => chain.find(hash, head),
        pool,
      }
    },
    learn(block) {
      for (let at = block; at !== learnt && !seen.has(at.hash) && at.parent !== undefined; at = at.parent)
        seen.add(at.hash)
      learnt = block
      refresh()
    },
    refresh,
  }
}

/** The blocks above an ancestor, lowest first; without one, the block alone. */
function between(ancestor: Block | undefined, block: Block): readonly Block[] {
  if (ancestor === undefined) return [block]
  const blocks: Block[] = []
  for (let at = block; at !== ancestor && blocks.length < mostAdded; at = at.parent!) blocks.unshift(at)
  return blocks
}

const strange = new Map<number, Block>()

/** The block of another chain at a height; the same in every run. */
function strangeAt(number: number): Block {
  const last = lastStrangeBlock()
  if (number <= last.number) return ancestorAt(last, number)!
  const known = strange.get(number)
  if (known !== undefined) return known
  const parent = strangeAt(number - 1)
  const made = makeBlock(parent, [], { chain: 'other', timestamp: parent.timestamp + 2, extra: 'elsewhere' })
  strange.set(number, made)
  return made
}
