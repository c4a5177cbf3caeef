import type { Clock } from '@wayleave/jsonrpc-core'
import { MeteringError } from './error.ts'
import {
  callsOf,
  joinRecords,
  longestRecord,
  payloadLength,
  printRecord,
  readRecord,
  recordHead,
  type UsageBatch,
} from './spool-record.ts'
import type { UsageRow } from './usage.ts'

/** A file of the spool, on a disk or not. Its calls come one after the other. */
export interface SpoolFile {
  /** Bytes that it holds. */
  readonly size: number
  /** Reads up to `length` bytes from `offset` on. */
  read(offset: number, length: number): Promise<Uint8Array>
  /** Adds bytes at the end; resolves when they would survive a crash. Where it rejects, any first part of them may be there. */
  append(bytes: Uint8Array): Promise<void>
  /** Cuts the file; resolves when that would survive a crash. */
  truncate(size: number): Promise<void>
  close(): Promise<void>
}

export interface SpoolOptions {
  readonly file: SpoolFile
  readonly clock: Clock
  /** Names this process: new with each start. */
  readonly process: string
  /** Takes a batch for good, or rejects. A batch may come again, and must then change nothing. */
  readonly store: (batch: UsageBatch, signal: AbortSignal) => Promise<void>
  /** Longest time that the store may take for a batch, in ms. Default 10,000. */
  readonly timeoutMs?: number | undefined
  /** Most bytes of the file. Default 256 MiB. */
  readonly maxFileBytes?: number | undefined
  /** Most rows that wait in memory. Default 100,000. */
  readonly maxRows?: number | undefined
  /** Called with each failure of the file or the store. */
  readonly onFailure?: ((what: 'file' | 'store', why: unknown) => void) | undefined
  /** Called with the calls of rows that had no place on the disk or in memory. */
  readonly onDropped?: ((calls: number) => void) | undefined
}

/** Keeps usage until a store has taken it, over a crash. */
export interface Spool {
  /** Reads what an earlier process has left, and begins to hand it on. Call it first. */
  open(): Promise<void>
  /** Takes rows, in memory alone until `flush`. @throws MeteringError `too_large` for more than a record holds */
  add(rows: readonly UsageRow[]): void
  /**
   * Resolves when all added rows would survive a crash, or are kept in memory because the disk failed, or were dropped. What the disk did
   * not take before is written first.
   */
  flush(): Promise<void>
  /** Resolves when the store has taken everything, or has failed once more. */
  drain(): Promise<void>
  /** Flushes, tries the store once, and closes the file. What is left goes to the store after the next start. */
  close(): Promise<void>
  /** Rows that wait in memory. */
  readonly waitingRows: number
  /** Calls that were dropped. */
  readonly droppedCalls: number
  /** Calls that wait in memory alone, since the disk did not take them: a crash would lose them. */
  readonly unsafeCalls: number
  /** Why the file did not take what came last: its error, or that it is as long as it may be. Undefined while it takes all. */
  readonly fileFault: unknown
}

/** A batch in memory. */
interface Waiting {
  readonly batch: UsageBatch
  /** Its record as long as that is not on the disk. */
  record: Uint8Array | undefined
}

type Recorded = Waiting & { readonly record: Uint8Array }

const longestBackoffMs = 10_000

/**
 * Creates a spool over a file. A batch is on the disk before the store sees it; the file is emptied when the store has all of it. So a
 * batch may reach the store twice under one `(process, seq)`, and never under two.
 */
export function createSpool(options: SpoolOptions): Spool {
  const { file, clock, process, store, timeoutMs = 10_000, maxFileBytes = 256 * 1024 * 1024 } = options
  const { maxRows = 100_000, onFailure, onDropped } = options
  let added: Recorded[] = []
  const queue: Waiting[] = []
  let fileFault: unknown
  let waitingRows = 0
  let droppedCalls = 0
  let seq = 0
  /** The end of the last whole record; the file is longer after a failed write. */
  let soundSize = 0
  /** Whether the file holds batches that the queue does not. */
  let isSpilled = false
  /** The last batch of each process that the store took. */
  const taken = new Map<string, number>()
  let fileWork: Promise<unknown> = Promise.resolve()
  let draining: Promise<void> | undefined
  let failures = 0
  let stopTimer: (() => void) | undefined
  let closed = false

  /** Runs work on the file after all that was begun before. */
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = fileWork.then(work)
    fileWork = done.catch(() => {})
    return done
  }

  function enqueue(batch: UsageBatch, record: Uint8Array | undefined): void {
    queue.push({ batch, record })
    waitingRows += batch.rows.length
  }

  /** Fills the queue with what is on the disk and was not taken, as far as memory allows. Returns the end of the last whole record. */
  async function load(): Promise<number> {
    let at = 0
    let spills = false
    while (at < file.size) {
      const head = await file.read(at, recordHead)
      const length = payloadLength(head)
      const batch = length === undefined ? undefined : readRecord(head, await file.read(at + recordHead, length))
      if (batch === undefined) break
      at += recordHead + length!
      if (batch.process === process) seq = Math.max(seq, batch.seq)
      if (batch.seq <= (taken.get(batch.process) ?? 0)) continue
      if (spills || (queue.length > 0 && waitingRows + batch.rows.length > maxRows)) spills = true
      else enqueue(batch, undefined)
    }
    isSpilled = spills
    return at
  }

  /** Writes records. Returns whether they are safe. */
  async function write(bytes: Uint8Array): Promise<boolean> {
    if (soundSize + bytes.length > maxFileBytes) {
      fileFault = new MeteringError('too_large', `the spool may have at most ${maxFileBytes} bytes`)
      return false
    }
    try {
      // A write that failed may have left a part, behind which nothing would be read.
      if (file.size > soundSize) await file.truncate(soundSize)
      await file.append(bytes)
      soundSize += bytes.length
      fileFault = undefined
      return true
    } catch (why) {
      fileFault = why
      onFailure?.('file', why)
      return false
    }
  }

  /** Writes batches, behind those that the disk did not take before: on the disk, too, those of a process are in their order. */
  async function save(batches: readonly Recorded[]): Promise<void> {
    const unsafe = queue.filter(({ record }) => record !== undefined)
    if (unsafe.length + batches.length === 0) return
    const isSafe = await write(
      joinRecords([...unsafe.map(({ record }) => record!), ...batches.map(({ record }) => record)]),
    )
    if (isSafe) for (const waiting of unsafe) waiting.record = undefined
    for (const { batch, record } of batches) {
      // Batches of a process reach the store in their order, so that behind spilled ones none may go through memory.
      const fits = !isSpilled && waitingRows + batch.rows.length <= maxRows
      if (fits) enqueue(batch, isSafe ? undefined : record)
      else if (isSafe) isSpilled = true
      else drop(batch)
    }
  }

  function drop({ rows }: UsageBatch): void {
    const calls = callsOf(rows)
    droppedCalls += calls
    onDropped?.(calls)
  }

  /** Hands on batch by batch until the store has all, or fails. */
  async function handOn(): Promise<void> {
    for (;;) {
      const batch = queue[0]?.batch
      if (batch === undefined) {
        await inTurn(reclaim)
        if (queue.length === 0) return
        continue
      }
      await give(batch)
      taken.delete(batch.process)
      taken.set(batch.process, batch.seq)
      if (taken.size > maxProcesses) taken.delete(taken.keys().next().value!)
      queue.shift()
      waitingRows -= batch.rows.length
    }
  }

  /** Reads spilled batches back, or empties the file. */
  async function reclaim(): Promise<void> {
    if (queue.length > 0 || file.size === 0) return
    try {
      if (isSpilled) await load()
      if (queue.length > 0) return
      await file.truncate(0)
      soundSize = 0
    } catch (why) {
      onFailure?.('file', why)
    }
  }

  async function give(batch: UsageBatch): Promise<void> {
    const abort = new AbortController()
    const late = new Promise<never>((_resolve, reject) => {
      const stop = clock.after(timeoutMs, () => {
        abort.abort()
        reject(new MeteringError('timeout', `the store did not take a batch of usage within ${timeoutMs} ms`))
      })
      abort.signal.addEventListener('abort', stop)
    })
    try {
      await Promise.race([store(batch, abort.signal), late])
    } finally {
      late.catch(() => {})
      abort.abort()
    }
  }

  function drain(): Promise<void> {
    stopTimer?.()
    stopTimer = undefined
    return (draining ??= handOn().then(
      () => {
        failures = 0
        draining = undefined
      },
      (why: unknown) => {
        draining = undefined
        onFailure?.('store', why)
        if (closed) return
        const wait = Math.min(longestBackoffMs, 250 * 2 ** Math.min(failures++, 10))
        stopTimer = clock.after(wait, () => {
          void inTurn(() => save([]))
          void drain()
        })
      },
    ))
  }

  async function flush(): Promise<void> {
    const batches = added
    added = []
    if (batches.length > 0) await inTurn(() => save(batches))
    // While the store fails, its timer decides.
    if (stopTimer === undefined && (queue.length > 0 || isSpilled)) void drain()
  }

  return {
    async open() {
      soundSize = await inTurn(load)
      if (file.size > soundSize) await inTurn(() => file.truncate(soundSize))
      if (queue.length > 0) void drain()
    },
    add(rows) {
      if (closed) throw new MeteringError('closed', 'the spool was closed before these rows were added')
      const batch = { process, seq: seq + 1, rows }
      const record = printRecord(batch)
      if (record.length > longestRecord)
        throw new MeteringError('too_large', `a batch of usage is ${record.length} bytes; at most ${longestRecord} fit`)
      seq++
      added.push({ batch, record })
    },
    flush,
    drain,
    async close() {
      closed = true
      await flush()
      await drain()
      await inTurn(() => file.close())
    },
    get waitingRows() {
      return waitingRows
    },
    get droppedCalls() {
      return droppedCalls
    },
    get unsafeCalls() {
      return queue.reduce((sum, { batch, record }) => sum + (record === undefined ? 0 : callsOf(batch.rows)), 0)
    },
    get fileFault() {
      return fileFault
    },
  }
}

/** Processes of earlier starts whose last batch is remembered. */
const maxProcesses = 1_000
