import type { HeadUpdate } from '@wayleave/upstream'
import type { FollowedChain } from '../heads/followed-chain.ts'

/** The chain of a network whose upstreams may be replaced. Its watchers stay. */
export interface PresentChain extends FollowedChain {
  /** Follows another view of the same chain from now on, and tells watchers its head. */
  present(chain: FollowedChain): void
}

interface Watcher {
  readonly listener: (update: HeadUpdate) => void
  unwatch: () => void
}

/** Makes a chain that is replaced as a whole. */
export function createPresentChain(first: FollowedChain): PresentChain {
  let current = first
  const watchers = new Set<Watcher>()
  return {
    view: {
      get head() {
        return current.view.head
      },
      get header() {
        return current.view.header
      },
      wanted: () => current.view.wanted(),
      watch(listener) {
        const own: Watcher = { listener, unwatch: current.view.watch(listener) }
        watchers.add(own)
        return () => {
          watchers.delete(own)
          own.unwatch()
        }
      },
    },
    headToPin: (context) => current.headToPin(context),
    reportHead: () => current.reportHead(),
    progress: (groups) => current.progress(groups),
    present(chain) {
      if (chain === current) return
      current = chain
      const { view } = chain
      if (watchers.size > 0) view.wanted()
      for (const own of watchers) {
        own.unwatch()
        own.unwatch = view.watch(own.listener)
      }
      const { head, header } = view
      // A head that the old view had not told is told here; one that it had told changes nothing.
      if (head === undefined) return
      const reported = [...watchers]
      for (const own of reported) if (watchers.has(own)) own.listener({ kind: 'new', at: head, header })
    },
  }
}
