import type { Clock } from '@wayleave/jsonrpc-core'
import type { CacheChain } from '@wayleave/rpc-cache'
import type { HeadReader, Position } from '@wayleave/upstream'
import type { CacheHeads } from '../kinds/cache-kind.ts'
import type { Chain } from '../heads/chain.ts'
import type { NetworkLife } from '../life/network-life.ts'
import { createFinalCheck, type FinalCheck, type FinalCheckOptions } from './final-check.ts'

/** The chain of a network as its cache sees it. */
export interface ServedChain extends CacheChain, Pick<FinalCheck, 'confirmed' | 'isUnsure'> {
  /** The heads that a caller may be told. `tenant`: the project of the call. */
  headsFor(tenant: string | undefined): CacheHeads
  /** Whether the last head that an endpoint told, by name, is a block. */
  isHeadOf(endpoint: string, hash: string): boolean
  /** Whether the last head that an endpoint told, by name, is at a height or above it. */
  hasReached(endpoint: string, height: number): boolean
  /** The hash of the served chain's block at a height; undefined where it is not known. */
  hashAt(height: number): string | undefined
  /** Resolves with whether an endpoint, by name, is at a height or above it by the last head that it told, and by the one that it tells from now on. Never rejects. */
  reaches(endpoint: string, height: number): Promise<boolean>
  /** Whether an endpoint, by name, stands with the served chain. */
  isGood(endpoint: string): boolean
  close(): void
}

export interface ServedChainOptions extends Pick<FinalCheckOptions, 'hashAt' | 'onConfirmed' | 'isUnshared'> {
  readonly chain: Pick<Chain, 'view' | 'headToPin' | 'pollSoon'>
  readonly reader: Pick<HeadReader, 'positionOfPush'>
  /** Told where blocks that were final have been replaced; tells of writes. */
  readonly life: Pick<NetworkLife, 'rewritten' | 'written'>
  /** Whether answers are verified: then no hash is taken from a header that nobody has hashed. Default: none is. */
  readonly verified?: object | undefined
  readonly clock: Clock
}

/** Served blocks whose hashes are remembered. */
const mostHashes = 128
/** A head is old after so many blocks' time, and so many ms at least: nodes that all stand still tell nothing new. */
const oldBlocks = 10
const oldMs = 30_000
/** Blocks, and the time in ms, that settled blocks are below the head: nodes behind a balancer may be that far apart. */
const settledBlocks = 16
const settledMs = 60_000
/** Block times below this let heads go by between two questions for them, in ms. */
const missedBelowMs = 1_000
/** Time for which reads of the head pass after a write, in ms, and tenants that are remembered. */
const afterWriteMs = 1_000
const mostTenants = 1_000

/** Creates the cache's chain over the view of a network. */
export function createServedChain(options: ServedChainOptions): ServedChain {
  const { chain, reader, life, clock } = options
  const { view } = chain
  const check = createFinalCheck({
    ...options,
    view,
    known: life.rewritten,
    onOther() {
      replaced()
      reportReorg(-1)
    },
  })
  const listeners = new Set<(lastKept: number) => void>()
  const hashes = new Map<number, string>()
  const writtenAt = new Map<string, number>()
  let last: Position | undefined
  /** Whether the chain makes no block at some heights: a parent that is not known is not the one right below. */
  let hasHoles = false
  /** The pace of the chain before its last head. */
  let paceMs = view.blockTimeMs
  let newAt = Number.NEGATIVE_INFINITY
  let finalized: number | undefined
  /** The final block of a chain that is gone, as long as the view has no later one. */
  let gone: Position | undefined
  let resetAt = Number.NEGATIVE_INFINITY

  function reportReorg(lastKept: number): void {
    hashes.clear()
    for (const listener of listeners) listener(lastKept)
  }

  function replaced(): void {
    finalized = undefined
    gone = view.finalized
    life.rewritten.note('nodes')
  }

  /** Whether heads come so fast that some are missed, and the chain can have gone on from one to the other since. */
  function isMissing(from: Position, to: Position): boolean {
    if (paceMs >= missedBelowMs) return false
    const most = 2 + (2 * (clock.now() - newAt)) / paceMs
    return to.number > from.number && to.number - from.number <= most
  }

  const stop = view.watch(({ kind, at, header }) => {
    if (kind === 'dropped') {
      // Which blocks below it were replaced is not always known.
      if (finalized !== undefined && at.number <= finalized) replaced()
      check.doubt(true)
      reportReorg(finalized ?? -1)
      last = undefined
      return
    }
    const reported = header && reader.positionOfPush?.(header)
    const isNext = last !== undefined && at.number > last.number && reported?.parentHash === last.hash
    if (isNext && at.number > last!.number + 1 && !hasHoles) {
      hasHoles = true
      // Parents that were taken to be right below may be further down.
      reportReorg(finalized ?? -1)
      hashes.set(last!.number, last!.hash)
    }
    const isBelowFinal = finalized !== undefined && at.number < finalized
    if (isBelowFinal) replaced()
    // Blocks between two heads that do not follow on one another may have replaced some.
    if (!isNext && last !== undefined) check.doubt(!isMissing(last, at))
    if (isBelowFinal || (!isNext && last !== undefined)) reportReorg(finalized ?? -1)
    // Heads between were missed.
    const isRightBelow = options.verified === undefined && last !== undefined && !isNext && !hasHoles
    if (isRightBelow && reported?.parentHash !== undefined) hashes.set(at.number - 1, reported.parentHash)
    last = at
    // By its arrival: the clock of those who make blocks may be another one.
    newAt = clock.now()
    paceMs = view.blockTimeMs
    hashes.set(at.number, at.hash)
    for (const height of hashes.keys()) {
      if (hashes.size <= mostHashes) break
      hashes.delete(height)
    }
  })

  function knownHead(): Position | undefined {
    const head = chain.headToPin()
    const isOld = clock.now() - newAt > Math.max(oldBlocks * view.blockTimeMs, oldMs)
    return isOld || head?.hash !== last?.hash ? undefined : head
  }

  function knownFinalized(): number | undefined {
    view.wanted('finalized')
    const now = view.finalized
    if (now !== undefined && now.number > (finalized ?? -1) && now.number <= (last?.number ?? -1)) settle(now)
    return isReset() ? undefined : finalized
  }

  function settle(at: Position): void {
    if (at.hash === gone?.hash) return
    finalized = at.number
    life.rewritten.final ??= at
  }

  /** Whether a command has changed the chain a moment ago. */
  function isReset(): boolean {
    return resetAt !== Number.NEGATIVE_INFINITY && clock.now() - resetAt < afterWriteMs
  }

  /** Whether a tenant waits to see what it wrote. */
  function isWriting(tenant: string): boolean {
    const written = writtenAt.get(tenant)
    if (written === undefined) return false
    if (clock.now() - written < afterWriteMs) return true
    writtenAt.delete(tenant)
    return false
  }

  /** A chain that makes blocks on demand has one more by now, and nobody would look for it soon. */
  function look(): void {
    if (last !== undefined && clock.now() - newAt > 2 * view.blockTimeMs) chain.pollSoon(last.number + 1)
  }

  /** The reads of a tenant that wrote pass at the head for a second: a head that comes meanwhile may be an earlier one. */
  function wrote(tenant: string): void {
    writtenAt.delete(tenant)
    if (writtenAt.size >= mostTenants) writtenAt.delete(writtenAt.keys().next().value!)
    writtenAt.set(tenant, clock.now())
    look()
  }

  /** Forgets all, as a command may have changed blocks that were final. */
  function reset(): void {
    resetAt = clock.now()
    life.rewritten.note('command')
    finalized = undefined
    gone = undefined
    reportReorg(-1)
    if (last !== undefined) chain.pollSoon(last.number + 1)
  }

  const written = (tenant = '', resets: boolean): void => (resets ? reset() : wrote(tenant))
  life.written.add(written)

  /** The heads for a tenant, each looked up when it is asked for: most calls need one. */
  class Heads implements CacheHeads {
    readonly #tenant: string

    constructor(tenant: string) {
      this.#tenant = tenant
    }

    get head(): Position | undefined {
      return isReset() || (writtenAt.size > 0 && isWriting(this.#tenant)) ? undefined : knownHead()
    }

    get finalized(): number | undefined {
      return knownFinalized()
    }

    get settled(): number | undefined {
      const { head } = this
      return head && head.number - Math.max(settledBlocks, Math.ceil(settledMs / view.blockTimeMs))
    }

    hashAt(height: number): string | undefined {
      const { head } = this
      return head === undefined || height > head.number ? undefined : hashes.get(height)
    }
  }

  return {
    confirmed: check.confirmed,
    isUnsure: check.isUnsure,
    get head() {
      const head = knownHead()
      return head && { height: head.number, hash: head.hash }
    },
    get finalized() {
      const height = knownFinalized()
      return height === undefined ? undefined : { height }
    },
    get blockTimeMs() {
      return view.blockTimeMs
    },
    has: ({ height, hash }) => hashes.get(height) === hash,
    onReorg(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    headsFor(tenant = '') {
      return new Heads(tenant)
    },
    hashAt: (height) => hashes.get(height),
    isHeadOf: (name, hash) => view.of({ name } as Parameters<typeof view.of>[0]).head?.hash === hash,
    hasReached: (name, height) => (view.of({ name } as Parameters<typeof view.of>[0]).head?.number ?? -1) >= height,
    async reaches(name, height) {
      const reported = view.of({ name } as Parameters<typeof view.of>[0]).head?.number ?? -1
      return reported >= height && ((await view.headAfter({ name }))?.number ?? -1) >= height
    },
    isGood(name) {
      const { health, chain: named, isStrange, isLost } = view.of({ name } as Parameters<typeof view.of>[0])
      return health === 'good' && named !== 'wrong' && !isStrange && !isLost
    },
    close() {
      stop()
      life.written.delete(written)
      listeners.clear()
    },
  }
}
