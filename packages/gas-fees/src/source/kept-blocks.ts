import type { Clock } from '@wayleave/jsonrpc-core'
import { afterOrAbort } from '../after-or-abort.ts'
import type { FeeStrategy } from '../strategy.ts'
import type { BaseFeeRun } from './base-fee-run.ts'
import type { ChainReader } from './chain-reader.ts'
import type { ChainWindow } from './chain-window.ts'
import type { FeeRecord, FeeStore } from './fee-store.ts'

export interface KeptBlocksOptions {
  readonly store: { readonly network: string; readonly fees: FeeStore } | undefined
  readonly strategy: FeeStrategy
  readonly reader: ChainReader
  readonly clock: Clock
  /** How long the store may take, in ms. */
  readonly timeoutMs: number
  readonly onFailure: (why: unknown) => void
}

/** Keeps a window's blocks over restarts. Neither method rejects: a failing store costs a backfill. */
export interface KeptBlocks {
  /** Loads what was saved, if the chain still has its newest block, and so all the others. */
  load(signal: AbortSignal): Promise<Kept | undefined>
  /** Saves what is not saved yet; one save at a time, and at most every 30 s unless it is the `last`. */
  save(kept: Kept, last?: boolean): Promise<void>
}

/** A window, and the base fees right before it. */
interface Kept {
  readonly window: ChainWindow
  readonly earlier: BaseFeeRun | undefined
}

const saveEveryMs = 30_000

export function createKeptBlocks(options: KeptBlocksOptions): KeptBlocks {
  const { store, strategy, reader, clock, timeoutMs, onFailure } = options
  const { percentiles } = strategy
  let saved: Kept | undefined
  let savedAt = clock.now()
  let saving = Promise.resolve()

  async function load(signal: AbortSignal): Promise<Kept | undefined> {
    if (store === undefined) return undefined
    try {
      const record = await withDeadline(store.fees.load(store.network), signal)
      if (record === undefined || !isWhole(record, percentiles)) return undefined
      const { blocks, headHash } = record
      const head = await reader.block(blocks.at(-1)!.number, signal)
      if (head === undefined || head.hash !== headHash) return undefined
      // The follower asks for the head's fees again, so nobody is told this base fee.
      return { window: { blocks, nextBaseFeePerGas: 0n, marks: [head] }, earlier: wholeRun(record) }
    } catch (thrown) {
      if (!signal.aborted) onFailure(thrown)
      return undefined
    }
  }

  async function write({ window, earlier }: Kept): Promise<void> {
    try {
      const record: FeeRecord = { percentiles, headHash: window.marks.at(-1)!.hash, blocks: window.blocks, earlier }
      await withDeadline(store!.fees.save(store!.network, record))
    } catch (thrown) {
      onFailure(thrown)
    }
  }

  function withDeadline<T>(work: Promise<T>, signal?: AbortSignal): Promise<T> {
    const late = `the store has not answered within ${timeoutMs} ms`
    return new Promise((resolve, reject) => {
      const stop = afterOrAbort(clock, timeoutMs, signal, (isAborted) =>
        reject(new Error(isAborted ? 'nobody waits for the store any more' : late)),
      )
      work.then(resolve, reject).finally(stop)
    })
  }

  return {
    load,
    save(kept, last = false) {
      const isDue = last || clock.now() - savedAt >= saveEveryMs
      const isSaved = kept.window === saved?.window && kept.earlier?.baseFees.length === saved.earlier?.baseFees.length
      if (store === undefined || isSaved || !isDue) return saving
      saved = kept
      savedAt = clock.now()
      saving = saving.then(() => write(kept))
      return saving
    },
  }
}

/** The base fees before a record's blocks, if they reach to them. */
function wholeRun({ earlier, blocks }: FeeRecord): BaseFeeRun | undefined {
  if (earlier === undefined || earlier.baseFees.length === 0) return undefined
  return earlier.firstNumber + earlier.baseFees.length === blocks[0]!.number ? earlier : undefined
}

function isWhole({ blocks, percentiles }: FeeRecord, expected: readonly number[]): boolean {
  return (
    blocks.length > 0 &&
    percentiles.length === expected.length &&
    percentiles.every((percentile, i) => percentile === expected[i]) &&
    blocks.every(({ number }, i) => number === blocks[0]!.number + i)
  )
}
