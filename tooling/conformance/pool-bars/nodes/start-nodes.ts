import { Child } from '../../starvation/measure/child.ts'
import type { NodeBehaviour, NodeFigures } from './pool-node.ts'

/** A node in a process of its own. */
export interface PoolNode {
  readonly name: string
  readonly url: string
  readonly figures: () => Promise<NodeFigures>
  /** Stops it amid its work: connections stay, nothing is answered. */
  readonly pause: () => void
  /** Ends it at once, as a loss of power would. */
  readonly kill: () => Promise<void>
}

const program = new URL('pool-node.ts', import.meta.url)

/** The chain of all nodes that are right. */
export const chainId = 1_338

/** Nodes of one chain, named by letters. Each ends with `stack`. */
export async function startNodes(
  stack: AsyncDisposableStack,
  behaviours: readonly Partial<NodeBehaviour>[],
): Promise<readonly PoolNode[]> {
  return Promise.all(
    behaviours.map(async (behaviour, i) => {
      const child = stack.use(new Child(program))
      const url = await child.ask<string>('start', { chainId, medianMs: 20, failing: 0, ...behaviour })
      return {
        name: 'abc'[i]!,
        url,
        figures: () => child.ask<NodeFigures>('figures'),
        pause: () => void process.kill(child.pid, 'SIGSTOP'),
        kill: () => child[Symbol.asyncDispose](),
      }
    }),
  )
}

/** The node that callers' calls went to most often so far. */
export async function busiest(nodes: readonly PoolNode[]): Promise<PoolNode> {
  const reads = await Promise.all(nodes.map(async (node) => (await node.figures()).reads))
  return nodes[reads.indexOf(Math.max(...reads))]!
}
