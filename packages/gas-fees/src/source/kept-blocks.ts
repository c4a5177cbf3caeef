import type { Clock } from '@wayleave/jsonrpc-core'
import { afterOrAbort } from '../after-or-abort.ts'
import type { FeeStrategy } from '../strategy.ts'
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
  load(signal: AbortSignal): Promise<ChainWindow | undefined>
  /** Saves a window that is not saved yet; one save at a time, and at most every 30 s unless it is the `last`. */
  save(window: ChainWindow, last?: boolean): Promise<void>
}

const saveEveryMs = 30_000

export function createKeptBlocks(options: KeptBlocksOptions): KeptBlocks {
  const { store, strategy, reader, clock, timeoutMs, onFailure } = options
  const { percentiles } = strategy
  let saved: ChainWindow | undefined
  let savedAt = clock.now()
  let saving = Promise.resolve()

  async function load(signal: AbortSignal): Promise<ChainWindow | undefined> {
    if (store === undefined) return undefined
    try {
      const record = await withDeadline(store.fees.load(store.network), signal)
      if (record === undefined || !isWhole(record, percentiles)) return undefined
      const { blocks, headHash } = record
      const head = await reader.block(blocks.at(-1)!.number, signal)
      if (head === undefined || head.hash !== headHash) return undefined
      // The follower asks for the head's fees again, so nobody is told this base fee.
      return { blocks, nextBaseFeePerGas: 0n, marks: [head] }
    } catch (thrown) {
      if (!signal.aborted) onFailure(thrown)
      return undefined
    }
  }

  async function write(window: ChainWindow): Promise<void> {
    try {
      const record: FeeRecord = { percentiles, headHash: window.marks.at(-1)!.hash, blocks: window.blocks }
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
    save(window, last = false) {
      const isDue = last || clock.now() - savedAt >= saveEveryMs
      if (store === undefined || window === saved || !isDue) return saving
      saved = window
      savedAt = clock.now()
      saving = saving.then(() => write(window))
      return saving
    },
  }
}

function isWhole({ blocks, percentiles }: FeeRecord, expected: readonly number[]): boolean {
  return (
    blocks.length > 0 &&
    percentiles.length === expected.length &&
    percentiles.every((percentile, i) => percentile === expected[i]) &&
    blocks.every(({ number }, i) => number === blocks[0]!.number + i)
  )
}
