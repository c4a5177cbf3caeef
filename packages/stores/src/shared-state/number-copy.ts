import type { Clock } from '../clock.ts'
import type { NumbersOptions, SharedNumber, SharedNumbers } from './shared-port.ts'

/** The numbers as one process knows them. */
export interface NumberCopy extends Omit<SharedNumbers, 'settled'> {
  /** Takes numbers of other processes, and returns those that were not known here. */
  hear(numbers: readonly SharedNumber[]): readonly SharedNumber[]
}

interface Kept {
  readonly epoch: number
  readonly number: number
  readonly note: string
  readonly until: number
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

  function living(key: string, now: number): Kept | undefined {
    const kept = all.get(key)
    return kept !== undefined && kept.until > now ? kept : undefined
  }

  /** Keeps a number unless a later one is known: `renewed` if only its time is, by more than `leastMs`. */
  function keep(key: string, next: Kept, now: number, leastMs: number): 'raised' | 'renewed' | undefined {
    const known = living(key, now)
    const ahead = known === undefined ? 1 : next.epoch - known.epoch || next.number - known.number
    if (ahead < 0 || (ahead === 0 && next.until - known!.until <= leastMs)) return undefined
    all.delete(key)
    if (all.size >= most) all.delete(all.keys().next().value!)
    all.set(key, ahead > 0 ? next : { ...known!, until: next.until })
    return ahead > 0 ? 'raised' : 'renewed'
  }

  function set(key: string, next: Kept, now: number): void {
    if (keep(key, next, now, usualMs * renewAfter) !== undefined) send(key)
  }

  function get(key: string, now = clock.now()): SharedNumber | undefined {
    const kept = living(key, now)
    return kept && [key, kept.epoch, kept.number, kept.note, Math.ceil(kept.until - now)]
  }

  return {
    get,
    list: () => [...all.keys()].map((key) => get(key)).filter((found) => found !== undefined),
    max(key, number, note = '', now = clock.now(), forMs = usualMs) {
      set(key, { epoch: all.get(key)?.epoch ?? 0, number, note, until: now + forMs }, now)
    },
    reset(key, number) {
      const now = clock.now()
      set(key, { epoch: (all.get(key)?.epoch ?? 0) + 1, number, note: '', until: now + usualMs }, now)
    },
    watch: (listener) => void listeners.add(listener),
    hear(numbers) {
      const now = clock.now()
      return numbers.filter((heard) => {
        const [key, epoch, number, note, forMs] = heard
        const what = keep(key, { epoch, number, note, until: now + forMs }, now, 0)
        if (what === 'raised') for (const listener of listeners) listener(heard)
        return what !== undefined
      })
    },
  }
}
