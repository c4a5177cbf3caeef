import type { Clock } from '@wayleave/jsonrpc-core'
import type { HeldNumber, NumbersOptions, SharedNumber, SharedNumbers } from './shared-port.ts'

/** The numbers as one process knows them. */
export interface NumberCopy extends Omit<SharedNumbers, 'settled'> {
  /** The numbers of keys as processes exchange them. Keys whose number does not hold are left out; without keys, all numbers. */
  pick(keys?: Iterable<string>): readonly SharedNumber[]
  /** Takes numbers of other processes, and returns those that were not known here. */
  hear(numbers: readonly SharedNumber[]): readonly SharedNumber[]
}

interface Kept extends HeldNumber {
  /** The time of the clock at which this process forgets it, and that at which the others do. */
  until: number
  othersUntil: number
}

/** A number that is set again is passed on again once so much of its time is over, before the others forget it. */
const renewAfter = 1 / 4

/** Creates a copy. `send` is called with the key of each number that is set here, and that others may not know. */
export function createNumberCopy(
  { most, forMs: usualMs }: NumbersOptions,
  clock: Clock,
  send: (key: string) => void,
): NumberCopy {
  /** The one set last comes last. */
  const all = new Map<string, Kept>()
  const listeners = new Set<(number: SharedNumber) => void>()

  function get(key: string, now = clock.now()): Kept | undefined {
    const kept = all.get(key)
    return kept !== undefined && kept.until > now ? kept : undefined
  }

  /** Moves a number to the end. */
  function keep(key: string, kept: Kept): void {
    all.delete(key)
    if (all.size >= most) all.delete(all.keys().next().value!)
    all.set(key, kept)
  }

  /** Takes what was set here or elsewhere; undefined where a later one is known, or the same one for as long. */
  function take(key: string, epoch: number, number: number, note: string, now: number, until: number) {
    const known = get(key, now)
    const ahead = known === undefined ? 1 : epoch - known.epoch || number - known.number
    if (ahead < 0 || (ahead === 0 && until <= known!.until)) return undefined
    if (ahead > 0) keep(key, { epoch, number, note, until, othersUntil: until })
    else known!.until = until
    return ahead > 0 ? 'raised' : 'renewed'
  }

  /** Notes that the others know a number for its whole time. */
  function renew(key: string): void {
    const kept = all.get(key)!
    kept.othersUntil = kept.until
    keep(key, kept)
  }

  function set(key: string, epoch: number, number: number, note: string, now: number, forMs: number): void {
    const what = take(key, epoch, number, note, now, now + forMs)
    if (what === undefined) return
    if (what === 'renewed') {
      if (now + forMs - all.get(key)!.othersUntil <= forMs * renewAfter) return
      renew(key)
    }
    send(key)
  }

  const epochOf = (key: string): number => all.get(key)?.epoch ?? 0
  return {
    get,
    pick(keys = all.keys()) {
      const now = clock.now()
      return [...keys].flatMap((key) => {
        const kept = get(key, now)
        return kept === undefined
          ? []
          : [[key, kept.epoch, kept.number, kept.note, Math.ceil(kept.until - now)] as const]
      })
    },
    list: () => [...all].filter(([key]) => get(key) !== undefined),
    max: (key, number, note = '', now = clock.now(), forMs = usualMs) =>
      set(key, epochOf(key), number, note, now, forMs),
    reset: (key, number) => set(key, epochOf(key) + 1, number, '', clock.now(), usualMs),
    watch(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    hear(numbers) {
      const now = clock.now()
      return numbers.filter((heard) => {
        const [key, epoch, number, note, forMs] = heard
        const what = take(key, epoch, number, note, now, now + forMs)
        if (what === 'renewed') renew(key)
        if (what === 'raised') for (const listener of listeners) listener(heard)
        return what !== undefined
      })
    },
  }
}
