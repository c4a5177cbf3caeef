import type { Clock } from '@wayleave/jsonrpc-core'
import {
  createCounters,
  createNumberCopy,
  type NumberCopy,
  type NumbersOptions,
  type OwnCount,
  type SharedNumber,
  type SharedNumbers,
  type SharedPort,
} from '@wayleave/stores/shared-state'
import type { Channel } from './channel.ts'

/** Numbers that were set, by the name of their set. */
export type NewNumbers = readonly (readonly [name: string, numbers: readonly SharedNumber[]])[]

/** A set of numbers that a worker opens. */
export interface OpenedNumbers {
  readonly name: string
  readonly options: NumbersOptions
}

/** Counts of a worker since its last word. */
export interface AddedCounts {
  readonly name: string
  readonly counts: readonly OwnCount[]
}

/** The state that all workers share, kept in the primary. */
export interface PrimaryPort extends SharedPort {
  /** Serves a worker from now on; it is forgotten once its channel has closed. */
  serve(channel: Channel): void
}

/**
 * Time after the last answer to a worker for which the primary waits until it has taken note of a number, in ms: then its lease is over, and it
 * announces nothing before it has caught up.
 */
export const patienceMs = 50
/** Time for which a worker may announce numbers after it asked the primary, in ms. Timers may be early, so it is below {@link patienceMs}. */
export const leaseMs = 45

export interface PrimaryPortOptions {
  readonly clock: Clock
  /** The number of processes that share counts. */
  readonly processes: () => number
}

/** Keeps the state of workers. News pass to all other workers before the process that set them goes on. */
export function createPrimaryPort({ clock, processes }: PrimaryPortOptions): PrimaryPort {
  const opened = new Map<string, { readonly copy: NumberCopy; readonly numbers: SharedNumbers }>()
  const counters = createCounters(clock)
  /** The time of the last answer to each worker. */
  const workers = new Map<Channel, number>()
  /** Resolves when all news so far have been spread. */
  let last = Promise.resolve(true)
  const settled = (): Promise<boolean> => last

  function open(name: string, options: NumbersOptions): { copy: NumberCopy; numbers: SharedNumbers } {
    let known = opened.get(name)
    if (known === undefined) {
      const copy = createNumberCopy(options, clock, (key) => {
        spread([[name, copy.pick([key])]])
      })
      opened.set(name, (known = { copy, numbers: { ...copy, settled } }))
    }
    return known
  }

  /** Sends news to all workers but one. */
  function spread(news: NewNumbers, from?: Channel): void {
    const own = noted(news, from)
    last = Promise.all([last, own]).then(() => true)
  }

  /** Sends news, and resolves when the workers took note, or can announce nothing any longer. */
  async function noted(news: NewNumbers, from: Channel | undefined): Promise<void> {
    const now = clock.now()
    const waited: Promise<unknown>[] = []
    let longest = 0
    for (const [worker, answeredAt] of workers) {
      if (worker === from) continue
      // A worker that has exited is skipped.
      const done = worker.ask('shared.news', news).catch(() => {})
      const left = answeredAt + patienceMs - now
      if (left <= 0) continue
      waited.push(done)
      longest = Math.max(longest, left)
    }
    if (waited.length === 0) return
    let stop = (): void => {}
    const tooLong = new Promise<void>((resolve) => {
      stop = clock.after(longest, resolve)
    })
    await Promise.race([Promise.all(waited), tooLong])
    stop()
  }

  async function hear(news: NewNumbers, from: Channel): Promise<void> {
    const fresh = news.flatMap(([name, numbers]) => {
      const heard = opened.get(name)?.copy.hear(numbers) ?? []
      return heard.length > 0 ? [[name, heard] as const] : []
    })
    if (fresh.length > 0) spread(fresh, from)
    // A number that another worker set may still be on its way to the rest.
    await last
  }

  return {
    numbers: (name, options) => open(name, options).numbers,
    add: async (name, counts) => ({ processes: processes(), totals: counters.add(name, counts) }),
    every: undefined,
    apart: () => undefined,
    serve(channel) {
      /** Takes note of an answer, which gives the worker a lease. */
      const answered = (): void => void workers.set(channel, clock.now())
      channel.serve('shared.open', (message) => {
        const { name, options } = message as OpenedNumbers
        answered()
        return open(name, options).copy.pick()
      })
      channel.serve('shared.set', (news) => hear(news as NewNumbers, channel).finally(answered))
      channel.serve('shared.renew', answered)
      channel.serve('shared.add', (message) => {
        const { name, counts } = message as AddedCounts
        return { processes: processes(), totals: counters.add(name, counts) }
      })
      channel.onClose(() => workers.delete(channel))
    },
  }
}
