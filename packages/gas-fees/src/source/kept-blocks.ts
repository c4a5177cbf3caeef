import type { Clock } from '@wayleave/jsonrpc-core'
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

/** A window's blocks over restarts. Neither method rejects: what the store cannot do costs a backfill. */
export interface KeptBlocks {
  /** What was saved, where the chain still has its newest block, and with it all the others. */
  load(signal: AbortSignal): Promise<ChainWindow | undefined>
  /** Saves a window that was not saved yet; one save at a time, and not more often than every 30 s unless it is the `last`. */
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
      // The follower asks for the head's fees again, so that this one is never told.
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
    return new Promise((resolve, reject) => {
      const end = (): void => {
        stopTimer()
        signal?.removeEventListener('abort', abort)
      }
      const fail = (why: Error): void => {
        end()
        reject(why)
      }
      const abort = (): void => fail(new Error('nobody waits for the store any more'))
      const late = (): void => fail(new Error(`the store has not answered within ${timeoutMs} ms`))
      const stopTimer = clock.after(timeoutMs, late)
      signal?.addEventListener('abort', abort, { once: true })
      work.then(resolve, reject).finally(end)
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
