import type { SpoolFile, UsageBatch } from '@wayleave/metering'

/** A disk with one file. A crash may come at each operation, and keeps any first part of what is not synced yet. */
export interface Disk {
  readonly size: number
  /** Bytes that fit; a write beyond it fails half-way. */
  room: number
  open(): SpoolFile
  /** Crashes at the operation after `operations` more: nothing returns from there on. Resolves when it comes. */
  crashAfter(operations: number, keptBytes: number): Promise<void>
  /** Makes the disk usable after a crash. */
  restart(): void
  /** Counts an operation of somebody else. Does not return if the crash comes here. */
  step(): Promise<void>
}

const never = new Promise<never>(() => {})

export function createDisk(): Disk {
  let bytes = new Uint8Array(0)
  let left = Number.POSITIVE_INFINITY
  let kept = 0
  let crash: () => void = () => {}
  let life = 0

  const joined = (more: Uint8Array): Uint8Array<ArrayBuffer> => Uint8Array.from([...bytes, ...more])

  /** Runs an operation, unless the crash comes before it, which leaves what `torn` makes of it. */
  async function operate(of: number, torn: () => void): Promise<void> {
    if (of !== life || left < 0) return never
    if (left-- > 0) return
    torn()
    left = -1
    crash()
    return never
  }

  const disk: Disk = {
    get size() {
      return bytes.length
    },
    room: Number.POSITIVE_INFINITY,
    open() {
      const mine = life
      return {
        get size() {
          return bytes.length
        },
        async read(offset, length) {
          if (mine !== life) return never
          return bytes.slice(offset, offset + length)
        },
        async append(more) {
          await operate(mine, () => {
            bytes = joined(more.subarray(0, kept))
          })
          const fits = more.subarray(0, Math.max(0, disk.room - bytes.length))
          bytes = joined(fits)
          if (fits.length < more.length) throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })
          // The crash may come between the write and the end of the sync, too.
          await operate(mine, () => {})
        },
        async truncate(size) {
          await operate(mine, () => {
            if (kept % 2 === 0) bytes = bytes.slice(0, size)
          })
          bytes = bytes.slice(0, size)
        },
        close: async () => {},
      }
    },
    crashAfter(operations, keptBytes) {
      left = operations
      kept = keptBytes
      return new Promise((resolve) => {
        crash = resolve
      })
    },
    restart() {
      life++
      left = Number.POSITIVE_INFINITY
    },
    step: () => operate(life, () => {}),
  }
  return disk
}

/** A store that remembers the last batch of each process, in one transaction with its rows. */
export interface Store {
  fails: boolean
  hangs: boolean
  /** Calls of all rows that it holds. */
  readonly calls: number
  /** Batches that it took, in order. */
  readonly taken: readonly string[]
  readonly take: (batch: UsageBatch) => Promise<void>
  /** Lets a crash of the disk's machine come before a transaction, or between it and its acknowledgement. */
  crashWith(disk: Disk): void
}

export function createStore(): Store {
  const last = new Map<string, number>()
  const taken: string[] = []
  let calls = 0
  let machine: Disk | undefined
  const store: Store = {
    fails: false,
    hangs: false,
    get calls() {
      return calls
    },
    taken,
    async take({ process, seq, rows }) {
      await machine?.step()
      if (store.fails) throw new Error('the store is gone')
      if (store.hangs) return never
      if (seq > (last.get(process) ?? 0)) {
        last.set(process, seq)
        taken.push(`${process}:${seq}`)
        for (const row of rows) calls += row.calls
      }
      await machine?.step()
    },
    crashWith(disk) {
      machine = disk
    },
  }
  return store
}
