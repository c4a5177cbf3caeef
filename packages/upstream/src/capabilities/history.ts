import type { Clock } from '@wayleave/jsonrpc-core'

/** How far back an upstream says that it keeps one resource. */
export interface Retention {
  /** The oldest block that it has, as a height; infinity: it has none. */
  readonly oldest: number
  /** The number of blocks up to the head that it keeps; undefined: it removes none. */
  readonly blocks?: number | undefined
}

/**
 * The part of a chain's history that each upstream has, by resource: state, receipts, or any other name of the host's. It has three values:
 * yes, no, and undefined for unknown. What an upstream says of itself goes before what its answers teach, unless two errors contradict it:
 * one wrong word must not put an archive out.
 */
export interface History {
  /** Whether nobody is known to lack anything. */
  readonly isWhole: boolean
  /** Whether nothing was learnt yet. */
  readonly isEmpty: boolean
  /** Whether an upstream has told of a resource, and nothing has contradicted it since. */
  isReported(upstream: string, resource: string): boolean
  /** Whether an upstream has a resource at a height. */
  has(upstream: string, resource: string, block: number): boolean | undefined
  /** Whether an upstream has refused a height once, which may mean nothing. */
  isDoubtful(upstream: string, resource: string, block: number): boolean
  /** The oldest height at which an upstream is known to have a resource; undefined: none is known. */
  oldestOf(upstream: string, resource: string): number | undefined
  /** Notes what an upstream says of itself. */
  reported(upstream: string, resource: string, retention: Retention): void
  /** Notes that an upstream has answered from a height. */
  served(upstream: string, resource: string, block: number): void
  /**
   * Notes that an upstream has nothing at a height, nor below it. Unless it `isSure`, as the host has looked itself, two different heights are
   * believed, up to the lower one.
   */
  lacked(upstream: string, resource: string, block: number, isSure?: boolean): void
  /** Forgets all about an upstream: another node may have come in its place. */
  forget(upstream: string): void
}

export interface HistoryOptions {
  /** The resources, each with those without which no node has it. */
  readonly needs: Readonly<Record<string, readonly string[]>>
  /** The height of the chain; undefined while it is unknown. */
  readonly head: () => number | undefined
  /** The knowledge of each upstream, by name; it is added to. Handed to another pool, it goes on there. Default: there is none. */
  readonly known?: Map<string, KnownHistory> | undefined
  readonly clock: Clock
  /** Time after which knowledge fades, in ms. Default 15 minutes: a node may be replaced by one that has more. */
  readonly forMs?: number
  /** Blocks so near to the head teach nothing, as no node prunes them: an error has another reason. Default 64. */
  readonly nearHead?: number
}

/** The knowledge of one upstream, by resource. */
export type KnownHistory = Map<string, KnownResource>

/** Knowledge of one resource at one upstream. */
interface KnownResource {
  retention: Retention | undefined
  reportedAt: number
  /** The highest block that it lacks; -1: none is known. */
  lacks: number
  lackedAt: number
  /** A higher block that it has refused once; -1: none. */
  doubted: number
  doubtedAt: number
  /** The most blocks below the head at which it has answered; -1: never. A bound that follows the head leaves it true. */
  depth: number
  servedAt: number
}

const never = Number.NEGATIVE_INFINITY

export function createHistory(options: HistoryOptions): History {
  const { needs, head, clock, forMs = 900_000, nearHead = 64 } = options
  const { known: upstreams = new Map<string, KnownHistory>() } = options
  /** The time at which the last that speaks against an upstream fades; no earlier than that. */
  let wholeAt = upstreams.size === 0 ? never : clock.now() + forMs

  const recordOf = (upstream: string, resource: string): KnownResource | undefined =>
    upstreams.get(upstream)?.get(resource)

  function open(upstream: string, resource: string): KnownResource {
    let all = upstreams.get(upstream)
    if (all === undefined) upstreams.set(upstream, (all = new Map()))
    let known = all.get(resource)
    if (known === undefined) {
      const nothing = {
        retention: undefined,
        reportedAt: never,
        lacks: -1,
        lackedAt: never,
        doubted: -1,
        doubtedAt: never,
      }
      known = { ...nothing, depth: -1, servedAt: never }
      all.set(resource, known)
    }
    return known
  }

  /** The oldest block of a retention, at the head as it is now. */
  function startOf({ oldest, blocks }: Retention): number {
    return blocks === undefined ? oldest : Math.max(oldest, (head() ?? 0) - blocks + 1)
  }

  /** Looks at one resource alone. */
  function look(known: KnownResource | undefined, block: number, now: number): boolean | undefined {
    if (known === undefined) return undefined
    if (block <= known.lacks && now - known.lackedAt < forMs) return false
    if (isDoubted(known, block, now)) return undefined
    if (known.retention !== undefined && now - known.reportedAt < forMs) return block >= startOf(known.retention)
    const top = head()
    if (top === undefined || known.depth < 0 || now - known.servedAt >= forMs) return undefined
    return top - block <= known.depth ? true : undefined
  }

  const isDoubted = (known: KnownResource, block: number, now: number): boolean =>
    block <= known.doubted && now - known.doubtedAt < forMs

  /** Forgets what has faded, so that nothing need be looked at where nothing is known. */
  function fade(): void {
    if (wholeAt === never || clock.now() < wholeAt) return
    wholeAt = never
    const now = clock.now()
    for (const all of upstreams.values()) {
      for (const { reportedAt } of all.values()) if (now - reportedAt < forMs) return
    }
    upstreams.clear()
  }

  return {
    get isWhole() {
      fade()
      return wholeAt === never
    },
    get isEmpty() {
      fade()
      return upstreams.size === 0
    },
    isReported(upstream, resource) {
      const known = recordOf(upstream, resource)
      return known?.retention !== undefined && known.lacks === -1 && known.doubted === -1
    },
    has(upstream, resource, block) {
      const now = clock.now()
      for (const other of needs[resource] ?? []) {
        if (look(recordOf(upstream, other), block, now) === false) return false
      }
      return look(recordOf(upstream, resource), block, now)
    },
    isDoubtful(upstream, resource, block) {
      const now = clock.now()
      return [resource, ...(needs[resource] ?? [])].some((each) => {
        const known = recordOf(upstream, each)
        return known !== undefined && isDoubted(known, block, now)
      })
    },
    oldestOf(upstream, resource) {
      const known = recordOf(upstream, resource)
      const now = clock.now()
      if (known === undefined) return undefined
      const start =
        known.retention !== undefined && now - known.reportedAt < forMs
          ? startOf(known.retention)
          : known.depth >= 0 && now - known.servedAt < forMs
            ? Math.max(0, (head() ?? 0) - known.depth)
            : undefined
      if (start === undefined || start === Number.POSITIVE_INFINITY) return undefined
      return now - known.lackedAt < forMs ? Math.max(start, known.lacks + 1) : start
    },
    reported(upstream, resource, retention) {
      const known = open(upstream, resource)
      known.retention = retention
      known.reportedAt = clock.now()
      // It knows best; an older error may be another node's.
      known.lacks = -1
      known.doubted = -1
      if (startOf(retention) > 0) wholeAt = known.reportedAt + forMs
    },
    served(upstream, resource, block) {
      const top = head()
      // Every node keeps the first block.
      if (top === undefined || block === 0) return
      const known = open(upstream, resource)
      const now = clock.now()
      const depth = Math.max(0, top - block)
      if (depth >= known.depth || now - known.servedAt >= forMs) {
        known.depth = depth
        known.servedAt = now
      }
      if (block <= known.lacks) known.lacks = block - 1
      if (block <= known.doubted) known.doubted = -1
    },
    lacked(upstream, resource, block, isSure = false) {
      const top = head()
      if (top === undefined || top - block < nearHead) return
      const known = open(upstream, resource)
      const now = clock.now()
      wholeAt = now + forMs
      if (now - known.lackedAt >= forMs) known.lacks = -1
      if (now - known.doubtedAt >= forMs) known.doubted = -1
      if (block <= known.lacks) {
        known.lackedAt = now
        return
      }
      if (isSure) known.lacks = block
      else {
        const other = known.doubted
        if (block >= other) {
          known.doubted = block
          known.doubtedAt = now
        }
        if (other === -1 || other === block) return
        known.lacks = Math.min(other, block)
      }
      known.lackedAt = now
      if (top - known.lacks <= known.depth) known.depth = Math.max(-1, top - known.lacks - 1)
    },
    forget(upstream) {
      upstreams.delete(upstream)
    },
  }
}
