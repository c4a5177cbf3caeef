import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Clock } from '@wayleave/jsonrpc-core'
import { createSpool, createUsage, type SpoolFile, type Usage, type UsageRow } from '@wayleave/metering'
import { openSpoolFile } from '@wayleave/metering/node'
import type { UsageStore } from '@wayleave/stores'
import { withDefaults } from '@wayleave/network/config'
import { errorClass, type Log } from '@wayleave/telemetry'
import { type UsageDaysConfig, usageDaysDefaults } from '../config/metering-config.ts'
import { isDoneWithin, repeat } from '../waits.ts'

/** Counts usage and carries it to the store. */
export interface UsageKeeper {
  readonly usage: Usage
  /** Rows that wait for the store in memory; those of a long outage wait on the disk. */
  readonly waitingRows: number
  /** Calls whose usage was lost, as they found no place on the disk or in memory. */
  readonly droppedCalls: number
  /** Calls whose usage is in memory alone, and which a crash would lose: the disk does not take them. */
  readonly unsafeCalls: number
  /** Tells why the spool takes nothing: `its disk is full`. Undefined while it does, and where there is none. */
  spoolFault(): string | undefined
  /** Takes rows that another process counted. Resolves as they are safe like those of this one. */
  take(rows: readonly UsageRow[]): Promise<void>
  /** Hands over what was counted. What the store does not take in five seconds is for the next start. */
  close(): Promise<void>
}

export interface UsageKeeperOptions {
  readonly store: Pick<UsageStore, 'add' | 'prune'>
  /** The spool; undefined: memory, which a crash empties. */
  readonly path: string | undefined
  readonly keepDays: UsageDaysConfig | undefined
  /** Names this process: new with each start. */
  readonly process: string
  readonly clock: Clock
  readonly log: Log
}

const dayMs = 86_400_000
/** Rows of one transaction of the store. */
const rowsInBatch = 200
const pruneEveryMs = 3_600_000
/** Time from the start to the first look for usage that is too old, in ms. */
const firstPruneMs = 60_000
/** How long the end of the process, and its start, may wait for the store, in ms. */
const patienceMs = 5_000

/**
 * Opens the spool, hands on what an earlier process has left, and begins to count.
 * @throws MeteringError `in_use` where another process has the spool; the file system's error
 */
export async function keepUsage(options: UsageKeeperOptions): Promise<UsageKeeper> {
  const { store, path, keepDays = {}, process, clock, log } = options
  if (path !== undefined) await mkdir(dirname(path), { recursive: true })
  const file = path === undefined ? noFile : await openSpoolFile(path)
  const spool = createSpool({
    file,
    ...(path === undefined && { maxFileBytes: 0 }),
    clock,
    process,
    store: (batch) => store.add(batch.process, batch.seq, batch.rows),
    onFailure: failed,
    onDropped: (calls) => log.repeats.error(['usage', 'dropped'], { calls }, 'usage found no place and is lost'),
  })

  function failed(what: 'file' | 'store', why: unknown): void {
    const code = (why as { readonly code?: unknown } | undefined)?.code ?? errorClass(why)
    // The watch over the store has told it.
    if (code === 'store_gone') return
    const place = what === 'file' ? 'the spool' : 'the store'
    log.repeats.warn(['usage', what], { code }, `${place} did not take usage; it is tried again`)
  }

  async function prune(): Promise<void> {
    const { minutes, hours, days } = withDefaults(usageDaysDefaults, keepDays)
    const before = (kept: number): number => Math.max(0, clock.date() - kept * dayMs)
    try {
      await store.prune({
        minutes: before(minutes),
        hours: before(hours),
        days: before(days),
        // A spool may come back after a long time.
        processes: before(days),
      })
    } catch (why) {
      failed('store', why)
    }
  }

  try {
    await spool.open()
  } catch (why) {
    await file.close().catch(() => {})
    throw why
  }
  const stopPruning = repeat(prune, pruneEveryMs, clock, firstPruneMs)
  // Spent credits are read from the store next, so the spool is emptied first.
  await isDoneWithin(patienceMs, spool.drain(), clock)
  const usage = createUsage({ clock, add: spool.add, flush: spool.flush, onFailure: (why) => failed('file', why) })
  return {
    usage,
    get waitingRows() {
      return spool.waitingRows
    },
    get droppedCalls() {
      return spool.droppedCalls
    },
    get unsafeCalls() {
      return path === undefined ? 0 : spool.unsafeCalls
    },
    spoolFault: () => (path === undefined ? undefined : faultWords(spool.fileFault)),
    async take(rows) {
      for (let i = 0; i < rows.length; i += rowsInBatch) spool.add(rows.slice(i, i + rowsInBatch))
      await spool.flush()
    },
    async close() {
      void stopPruning()
      const ended = usage.close().then(() => spool.close())
      await isDoneWithin(patienceMs, ended, clock)
      const calls = spool.unsafeCalls
      if (calls > 0) log.error({ calls }, 'usage was neither on the disk nor in the store at the end, and is lost')
    },
  }
}

function faultWords(why: unknown): string | undefined {
  if (why === undefined) return undefined
  const { code } = why as { readonly code?: unknown }
  if (code === 'ENOSPC') return 'its disk is full'
  if (code === 'too_large') return 'it is as long as it may be'
  return `it cannot be written (${String(code ?? errorClass(why))})`
}

/** Stands for the file where there is none; nothing is written to one of at most 0 bytes. */
const noFile: SpoolFile = {
  size: 0,
  read: async () => new Uint8Array(),
  append: async () => {},
  truncate: async () => {},
  close: async () => {},
}
