import type { NodeProcess } from './node-process.ts'

/** The progress of a chain, as the rig itself has made it. */
export interface Progress {
  readonly height: number
  /** The longest time between two blocks so far, in ms. */
  readonly longestGapMs: number
}

/** Nodes of one chain, which goes on while one of them is hurt. */
export interface TestChain extends AsyncDisposable {
  readonly chainId: number
  /** The nodes' software, for people. */
  readonly software: string
  readonly nodes: readonly [NodeProcess, ...NodeProcess[]]
  /** Shorter or longer times, for nodes that need them. */
  readonly pauses: { readonly downMs: number; readonly frozenMs: number; readonly settleMs: number }
  progress(): Progress
  /** Called when a node runs again after a kill. */
  restarted(node: NodeProcess): Promise<void>
}

/** Counts blocks, and the time between them. */
export function createProgress(): { readonly reported: () => Progress; readonly advanced: (height: number) => void } {
  let height = 0
  let longestGapMs = 0
  let advancedAt: number | undefined
  return {
    reported: () => ({ height, longestGapMs }),
    advanced(to) {
      const now = performance.now()
      if (advancedAt !== undefined) longestGapMs = Math.max(longestGapMs, now - advancedAt)
      advancedAt = now
      height = to
    },
  }
}
