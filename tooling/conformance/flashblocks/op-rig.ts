import { type BaseChain, baseChain } from '../other-chains/base-chain.ts'
import type { Hex } from '../other-chains/rig-chain.ts'
import { type RigNode, startRigNode } from '../other-chains/rig-node.ts'

/** A chain of the OP stack that goes on by itself, and its nodes. */
export interface OpRig extends AsyncDisposable {
  readonly chain: BaseChain
  /** A node with flashblocks, one whose flashblocks are late, and two without. */
  readonly flashblocks: RigNode
  readonly late: RigNode
  readonly plain: readonly [RigNode, RigNode]
  /** The last transaction that was preconfirmed. */
  readonly lastTransaction: () => Hex
  /** When the nodes without flashblocks had a block, by its height, in ms. */
  readonly heldAt: ReadonlyMap<number, number>
}

export interface OpRigOptions {
  readonly blockMs: number
  /** Time between two flashblocks, in ms. */
  readonly partMs: number
  /** Time from the seal of a block until the nodes have it, in ms. Flashblocks of the next one come before. */
  readonly lateMs: number
}

/** A chain like Base's begins with blocks that are finalized. */
const firstBlocks = 40

export async function startOpRig({ blockMs, partMs, lateMs }: OpRigOptions): Promise<OpRig> {
  const chain = baseChain(1_000)
  let last = chain.preconfirm()
  for (let i = 0; i < firstBlocks; i++) {
    chain.mine()
    last = chain.preconfirm()
  }
  const flashblocks = await startRigNode(chain, { flashblocks: true })
  const late = await startRigNode(chain, { flashblocks: true, partsBehind: 3 })
  const plain = [await startRigNode(chain), await startRigNode(chain)] as const
  const nodes = [...plain, flashblocks, late]
  const heldAt = new Map<number, number>()
  const waiting = new Set<NodeJS.Timeout>()

  function seal(): void {
    chain.mine()
    const timer = setTimeout(() => {
      waiting.delete(timer)
      heldAt.set(chain.blocks.at(-1)!.number, performance.now())
      for (const node of nodes) node.follow()
    }, lateMs)
    waiting.add(timer)
  }

  const parts = Math.round(blockMs / partMs)
  const ticking = setInterval(() => {
    if (chain.part >= parts) seal()
    last = chain.preconfirm()
    flashblocks.reportPart()
    late.reportPart()
  }, partMs)
  return {
    chain,
    flashblocks,
    late,
    plain,
    lastTransaction: () => last,
    heldAt,
    async [Symbol.asyncDispose]() {
      clearInterval(ticking)
      for (const timer of waiting) clearTimeout(timer)
      for (const node of nodes) await node[Symbol.asyncDispose]()
    },
  }
}
