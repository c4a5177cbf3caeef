import type { Clock } from '@wayleave/jsonrpc-core'
import type { UsageDimension } from './usage-query.ts'

/** The first digit of an HTTP status. */
export type StatusClass = '1xx' | '2xx' | '3xx' | '4xx' | '5xx'

/** Calls and credits to add to what was counted before under the same names: ids of project and key, a known method or `other`. */
export interface UsageRow<Status extends string = StatusClass> extends Readonly<Record<UsageDimension, string>> {
  readonly status: Status
  /** Minutes since the Unix epoch. */
  readonly minute: number
  readonly calls: number
  readonly credits: number
}

export interface UsageOptions {
  readonly clock: Clock
  /** Takes counted rows, at most 200 at a time. Synchronous: `flush` makes them safe. */
  readonly add: (rows: readonly UsageRow[]) => void
  /** Makes safe what was added. Rejects where it could not; the rows are not given again. */
  readonly flush: () => Promise<void>
  /** Called with what `flush` rejected with. */
  readonly onFailure?: ((why: unknown) => void) | undefined
  /** Time between flushes, in ms. Default 1,000. */
  readonly flushMs?: number | undefined
  /** Most rows between two flushes; beyond, the calls of a project are counted in one. Default 100,000. */
  readonly maxRows?: number | undefined
}

/** Counts answers. */
export interface Usage {
  /** Makes a counter for the calls of a key to a network. `methods` are told apart, all others are `other`. Keep it with the caller. */
  recorder(
    caller: Pick<UsageRow, 'project' | 'key' | 'network'>,
    methods: Pick<ReadonlySet<string>, 'has'>,
  ): UsageRecorder
  /** Hands on all that was counted so far. */
  flush(): Promise<void>
  /** Stops the timer and flushes. */
  close(): Promise<void>
}

export interface UsageRecorder {
  /** Counts one answer by its HTTP status. Constant work; allocates for the first one of a method, status and minute. */
  count(method: string, status: number, credits: number): void
}

interface Cell extends UsageRow {
  calls: number
  credits: number
}

/** Rows of one turn of the event loop, and of one transaction of a store. */
const slice = 200
const minuteMs = 60_000

/** Creates counters that flush themselves while calls come. */
export function createUsage(options: UsageOptions): Usage {
  const { clock, add, flushMs = 1_000, maxRows = 100_000, onFailure } = options
  /** Cells that hold something. */
  let dirty: Cell[] = []
  let folded = new Map<string, Cell>()
  let stopTimer: (() => void) | undefined
  let flushing: Promise<void> = Promise.resolve()
  let closed = false

  function touch(cell: Cell): void {
    dirty.push(cell)
    if (stopTimer !== undefined || closed) return
    stopTimer = clock.after(flushMs, () => {
      stopTimer = undefined
      flush().catch((why: unknown) => onFailure?.(why))
    })
  }

  function foldedCell(project: string, status: StatusClass, minute: number): Cell {
    const name = `${status} ${minute} ${project}`
    let cell = folded.get(name)
    if (cell === undefined) {
      cell = { project, key: '', network: '', method: 'other', status, minute, calls: 0, credits: 0 }
      folded.set(name, cell)
    }
    return cell
  }

  async function hand(): Promise<void> {
    const cells = dirty
    dirty = []
    folded = new Map()
    for (let i = 0; i < cells.length; i += slice) {
      if (i > 0) await new Promise<void>((resolve) => void clock.after(0, resolve))
      const some = cells.slice(i, i + slice)
      add(some.map((cell) => ({ ...cell })))
      for (const cell of some) cell.calls = cell.credits = 0
    }
    if (cells.length > 0) await options.flush()
  }

  function flush(): Promise<void> {
    const handed = flushing.then(hand)
    flushing = handed.catch(() => {})
    return handed
  }

  return {
    recorder({ project, key, network }, methods) {
      let cells = new Map<string, (Cell | undefined)[]>()
      let minute = 0
      return {
        count(method, status, credits) {
          const now = Math.floor(clock.date() / minuteMs)
          if (now !== minute) {
            minute = now
            cells = new Map()
          }
          const name = methods.has(method) ? method : 'other'
          let byStatus = cells.get(name)
          if (byStatus === undefined)
            cells.set(name, (byStatus = [undefined, undefined, undefined, undefined, undefined, undefined]))
          const digit = status >= 100 && status < 600 ? Math.floor(status / 100) : 5
          let cell = byStatus[digit]
          if (cell === undefined) {
            const statusClass = `${digit}xx` as StatusClass
            if (dirty.length >= maxRows) cell = foldedCell(project, statusClass, minute)
            else
              byStatus[digit] = cell = {
                project,
                key,
                network,
                method: name,
                status: statusClass,
                minute,
                calls: 0,
                credits: 0,
              }
          }
          if (cell.calls === 0) touch(cell)
          cell.calls++
          cell.credits += credits
        },
      }
    },
    flush,
    async close() {
      closed = true
      stopTimer?.()
      stopTimer = undefined
      await flush()
    },
  }
}
