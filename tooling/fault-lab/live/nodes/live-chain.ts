import type { TestChain } from '@wayleave/conformance/two-nodes/nodes/chain'
import type { NodeProcess } from '@wayleave/conformance/two-nodes/nodes/node-process'

/** Nodes of one chain without reorganisations, that may be killed and paused. */
export interface LiveChain extends TestChain {
  /** Ends a node at once. */
  kill(node: NodeProcess): Promise<void>
  /** Starts it again, at the same address. */
  start(node: NodeProcess): Promise<void>
  /** Stops a node amid its work; its connections stay. */
  pause(node: NodeProcess): Promise<void>
  resume(node: NodeProcess): void
  /** Runs what sends a transaction, at a time at which the chain can take it. */
  sending<T>(send: () => Promise<T>): Promise<T>
  /** Address of a node that is never hurt; undefined where the chain has none until all nodes are well again. */
  readonly referenceUrl: string | undefined
  /** Blocks that a node had otherwise than the chain, as a sentence each: faults of the rig, not of the gateway. */
  forks(): readonly string[]
}
