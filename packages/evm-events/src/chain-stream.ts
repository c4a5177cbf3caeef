import { type CallContext, type Clock, createContext, type RawJson, RpcError, toRpcError } from '@wayleave/jsonrpc-core'
import { askOnce, attemptMs, backOffMs, pause } from './ask-once.ts'
import { type StreamBlock, streamBlockOf } from './block.ts'
import { findBranch } from './branch.ts'
import type { Ask, BlockPosition, ChainListener, ChainStream, ChainUpdate, HeadSource } from './chain-source.ts'
import { createPatience, type Patience } from './patience.ts'

/** Options of {@link createChainStream}. */
export interface ChainStreamOptions {
  readonly source: HeadSource
  /** Asked `eth_getBlockByHash` for what the source skipped. It chooses the node: each question may go to another one. */
  readonly ask: Ask
  readonly clock: Clock
  /** The most blocks that are filled in at once; more are `lost`. Default 1,024. */
  readonly maxMissed?: number
  /** The most blocks that a reorg may take away; more are `lost`. At most 192. Default 128. */
  readonly maxReorg?: number
  /** The longest time without an answer for a block that is needed, in ms. Default 30,000. */
  readonly patienceMs?: number
}

/** The most blocks that are remembered. */
const mostRecent = 256
/** Answers, and the time between them in ms, after which a block that was on the chain is gone where no node has it. */
const mostAsked = 5
const goneMs = 1_000
/** The same where the source has gone so many blocks back: it has waited for its nodes already. */
const setBackBlocks = 8
const mostAskedBack = 2

/** One time of following, from the first watcher to the last. */
interface Run {
  readonly context: CallContext
  /** The newest head of the source, with its header where that is at hand. */
  target: BlockPosition & { readonly block?: StreamBlock | undefined }
  /** The blocks that were asked for or told, and are not in the list yet. */
  readonly found: Map<string, StreamBlock>
  /** A block of the chain that no node had when it was asked for last, how often, and since when. */
  missing: { readonly hash: string; readonly times: number; readonly since: number } | undefined
  /** Counts while questions fail; undefined while none is asked again. */
  patience: Patience | undefined
  isFilling: boolean
  /** Ends the pauses before questions that are asked again. */
  readonly wakes: Set<() => void>
  forget: () => void
}

/** A newer head has come, so the way to it is looked for instead. */
const moved: unique symbol = Symbol('moved')

/**
 * Follows the heads of a source as one chain: fills what was skipped by parent hash, and takes away what a reorg replaced. One
 * fill runs at a time, towards the newest head. A head that is an ancestor of the end changes nothing.
 */
export function createChainStream(options: ChainStreamOptions): ChainStream {
  const { source, ask, clock, maxMissed = 1_024, maxReorg = 128, patienceMs = 30_000 } = options
  if (maxReorg > 192) throw new RangeError(`maxReorg: expected at most 192 blocks, got ${maxReorg}`)
  const watchers = new Set<ChainListener>()
  let recent: StreamBlock[] = []
  let run: Run | undefined
  let isClosed = false

  function start(): void {
    const context = createContext({ clock, timeoutMs: Number.POSITIVE_INFINITY })
    const { head } = source
    const now: Run = {
      context,
      target: head ?? { number: -1, hash: '' },
      found: new Map(),
      missing: undefined,
      patience: undefined,
      isFilling: false,
      wakes: new Set(),
      forget() {},
    }
    run = now
    const base = source.header && streamBlockOf(source.header)
    if (base !== undefined && base.hash === head?.hash.toLowerCase()) keep(now, base)
    now.forget = source.watch(({ kind, at, header }) => {
      if (kind === 'new' && run === now) aim(now, at, header)
    })
    if (head !== undefined) void fill(now, head)
  }

  function stop(why: RpcError): void {
    run?.forget()
    run?.context.cancel(why)
    run = undefined
    recent = []
  }

  function aim(now: Run, at: BlockPosition, header: RawJson | undefined): void {
    const hash = at.hash.toLowerCase()
    const block = header && streamBlockOf(header)
    const isIt = block?.hash === hash && block.number === at.number
    now.target = { number: at.number, hash, block: isIt ? block : undefined }
    for (const wake of now.wakes) wake()
    if (!now.isFilling) void fill(now, undefined)
  }

  /** Moves the list to the target, and on while that changes. `base`: the block that the first watcher knows. */
  async function fill(now: Run, base: BlockPosition | undefined): Promise<void> {
    now.isFilling = true
    try {
      if (base !== undefined) {
        const block = await firstBlock(now, base)
        if (run === now) {
          recent = [block]
          const present = [...watchers]
          for (const watcher of present) watcher.begun?.(block)
        }
      }
      for (;;) {
        const { target } = now
        if (run !== now || target.hash === recent.at(-1)?.hash) break
        const branch = await branchTo(now, target)
        if (branch === moved) continue
        if (run === now) apply(now, branch)
        // It is an ancestor of the end.
        if (branch.length === 0 && now.target === target) break
      }
    } catch (thrown) {
      if (run === now) lose(toRpcError(thrown, 'unavailable', 'the chain could not be followed'))
    } finally {
      now.isFilling = false
    }
  }

  /** Gives the block that the first watcher knows, or the newest head where the chain has lost it meanwhile. */
  async function firstBlock(now: Run, base: BlockPosition): Promise<StreamBlock> {
    for (let { number, hash } = base; ; { number, hash } = now.target) {
      hash = hash.toLowerCase()
      try {
        return await blockAt(now, hash, number, number, true)
      } catch (thrown) {
        if (run !== now || now.target.hash.toLowerCase() === hash) throw thrown
      }
    }
  }

  async function branchTo(now: Run, target: Run['target']): Promise<readonly ChainUpdate[] | typeof moved> {
    const isStale = (): boolean => now.target !== target
    try {
      if (target.block !== undefined) keep(now, target.block)
      return await findBranch({
        recent,
        target,
        maxMissed,
        maxReorg,
        blockAt: (hash, highest, lowest, isPast) => blockAt(now, hash, highest, lowest, isPast, isStale),
      })
    } catch (thrown) {
      if (thrown === moved) return moved
      throw thrown
    }
  }

  function apply(now: Run, updates: readonly ChainUpdate[]): void {
    for (const update of updates) {
      if (update.kind === 'removed') recent.pop()
      else {
        recent.push(update.block)
        if (recent.length > mostRecent) recent.shift()
      }
      // One that joins meanwhile is told what follows.
      const present = [...watchers]
      for (const watcher of present) if (watchers.has(watcher)) watcher.update(update)
      if (run !== now) return
    }
    now.found.clear()
  }

  /**
   * Gives a block, asked for until a node has it. Throws `moved` once `isStale` says so, and past the patience, or where nodes have lost a
   * block that was on the chain.
   */
  async function blockAt(
    now: Run,
    hash: string,
    highest: number,
    lowest: number,
    isPast: boolean,
    isStale = () => false,
  ): Promise<StreamBlock> {
    const known = now.found.get(hash)
    if (known !== undefined) return known
    for (let attempt = 2; ; attempt++) {
      const deadline = now.patience?.attempt() ?? clock.now() + Math.min(attemptMs, patienceMs)
      const { context, release } = now.context.fork({ deadline })
      let why: RpcError
      let isLost = false
      try {
        const answer = await askOnce(ask, 'eth_getBlockByHash', [hash, false], context)
        const reported = streamBlockOf(answer)
        if (reported?.hash === hash && reported.number <= highest && reported.number >= lowest) {
          now.patience = undefined
          keep(now, reported)
          return reported
        }
        isLost = isPast && answer.text() === 'null' && isGone(now, hash)
        why = new RpcError('invalid_response', `expected block ${highest} (${hash}), got another or none`)
      } catch (thrown) {
        why = toRpcError(thrown, 'unavailable', 'eth_getBlockByHash: the handler failed')
      } finally {
        release()
      }
      if (now.context.cancelled !== undefined) throw now.context.cancelled
      if (isLost) throw new RpcError('unavailable', 'the chain was set back', { cause: why })
      now.patience ??= createPatience(patienceMs, clock)
      if (!now.patience.mayWait(backOffMs(attempt))) {
        throw new RpcError('unavailable', 'the next block is missing', { cause: why })
      }
      // A head that came meanwhile did not find a pause to end.
      if (!isStale()) {
        let ownWake = (): void => {}
        await pause(backOffMs(attempt), clock, now.context, (wake) => now.wakes.add((ownWake = wake)))
        now.wakes.delete(ownWake)
        if (now.context.cancelled !== undefined) throw now.context.cancelled
      }
      if (isStale()) throw moved
    }
  }

  /** Notes that no node had a block that was on the chain; whether that was so often and long enough. */
  function isGone(now: Run, hash: string): boolean {
    const missing = now.missing?.hash === hash ? now.missing : { hash, times: 0, since: clock.now() }
    now.missing = { ...missing, times: missing.times + 1 }
    const isBack = now.target.number < (recent.at(-1)?.number ?? 0) - setBackBlocks
    if (isBack) return now.missing.times >= mostAskedBack
    return now.missing.times >= mostAsked && clock.now() - missing.since >= goneMs
  }

  function keep(now: Run, block: StreamBlock): void {
    now.found.set(block.hash, block)
    for (const oldest of now.found.keys()) {
      if (now.found.size <= maxMissed + maxReorg) break
      now.found.delete(oldest)
    }
  }

  function lose(why: RpcError): void {
    const reported = [...watchers]
    const after = recent.at(-1)
    watchers.clear()
    stop(why)
    for (const watcher of reported) watcher.lost(after, why)
  }

  return {
    get head() {
      return recent.at(-1)
    },
    get recent() {
      return recent
    },
    watch(listener) {
      if (isClosed) throw new RpcError('aborted', 'the chain stream is closed', { delivery: 'not_sent' })
      const own: ChainListener = {
        begun: (after) => listener.begun?.(after),
        update: (update) => listener.update(update),
        lost: (after, why) => listener.lost(after, why),
      }
      watchers.add(own)
      if (run === undefined) start()
      return () => {
        if (watchers.delete(own) && watchers.size === 0) stop(new RpcError('aborted', 'nobody follows the chain'))
      }
    },
    close() {
      isClosed = true
      lose(new RpcError('aborted', 'the chain stream is closed'))
    },
  }
}
