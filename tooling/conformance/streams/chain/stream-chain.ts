import type { NodeProcess } from '../../two-nodes/nodes/node-process.ts'
import type { LogFilter } from './log-match.ts'

/** Nodes of one chain without forks, each of which may be killed and paused, with logs in its blocks. */
export interface StreamChain extends AsyncDisposable {
  readonly chainId: number
  /** The nodes' software, for people. */
  readonly software: string
  readonly nodes: readonly NodeProcess[]
  readonly blockMs: number
  /** The logs that clients ask for: those of `event Ticked()` at one address. */
  readonly filter: LogFilter & { readonly address: string; readonly topics: readonly [string] }
  /** The height, whatever the nodes say. */
  height(): number
  /** Called when a node runs again after a kill. */
  restarted(node: NodeProcess): Promise<void>
}
