import type { Clock } from '@wayleave/jsonrpc-core'
import type { HeldNumber, SharedPort } from './shared-port.ts'

/** An upstream that an operator has taken out of service. */
export interface Cordon {
  readonly network: string
  readonly upstream: string
  readonly reason: string
  /** Unix time in ms, by the clock of the process that took it out. */
  readonly at: number
}

/** The cordons of all processes. A change holds here at once, and in every other process within 1 s, or once it can be reached. */
export interface Cordons {
  /** Answers from a copy in this process, as {@link Cordons.list} does. */
  isCordoned(network: string, upstream: string): boolean
  list(): readonly Cordon[]
  /** Takes an upstream out of service. Resolves when all processes know: with false where they are told later. */
  cordon(network: string, upstream: string, reason: string): Promise<boolean>
  /** Takes it into service again, likewise. */
  uncordon(network: string, upstream: string): Promise<boolean>
  /** Calls `listener` after each change; the function returned ends that. */
  watch(listener: () => void): () => void
}

/** Far more than upstreams: beyond that the cordon that was set longest ago is forgotten. */
const mostCordons = 10_000
/** Time for which it is remembered that a cordon was lifted, in ms. */
const liftedForMs = 86_400_000
/** Cordons do not end by themselves: ten years, in ms. */
const alwaysMs = 315_360_000_000

/** How often a change is made again that another process' clock has overruled. */
const mostTries = 3

/** Opens the cordons. The number of an upstream is the time of its last change, and the note the reason, after an `=`; empty: it is lifted. */
export function createCordons(port: SharedPort, clock: Clock): Cordons {
  const numbers = port.numbers('cordons', { most: mostCordons, forMs: alwaysMs, isReread: true })
  const listeners = new Set<() => void>()
  const report = (): void => {
    for (const listener of listeners) listener()
  }

  async function set(network: string, upstream: string, note: string, forMs: number): Promise<boolean> {
    const key = JSON.stringify([network, upstream])
    try {
      for (let tries = mostTries; ; tries--) {
        // The clock of another process may be ahead.
        const at = Math.max(clock.date(), (numbers.get(key)?.number ?? 0) + 1)
        numbers.max(key, at, note, clock.now(), forMs)
        report()
        const isSettled = (await numbers.settled?.()) ?? true
        // The earlier cordon may have been on its way: the operator who asked here spoke last.
        if (!isSettled || tries === 0 || numbers.get(key)?.note === note) return isSettled
      }
    } catch {
      return false
    }
  }

  numbers.watch(report)
  return {
    isCordoned(network, upstream) {
      return (numbers.get(JSON.stringify([network, upstream]))?.note ?? '') !== ''
    },
    list: () => numbers.list().flatMap(([key, number]) => cordonOf(key, number) ?? []),
    cordon: (network, upstream, reason) => set(network, upstream, `=${reason}`, alwaysMs),
    uncordon: (network, upstream) => set(network, upstream, '', liftedForMs),
    watch(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}

function cordonOf(key: string, { number: at, note }: HeldNumber): Cordon | undefined {
  if (note === '') return undefined
  const [network, upstream] = JSON.parse(key) as readonly [string, string]
  return { network, upstream, reason: note.slice(1), at }
}
