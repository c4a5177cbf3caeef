import type { Clock } from '@wayleave/jsonrpc-core'
import type { Cordon, Cordons } from '@wayleave/stores'
import type { Channel } from './channel.ts'
import { askInTime } from './remote-methods.ts'

/** The cordons of the primary, which all workers hold, too. */
export interface CordonBook {
  readonly cordons: Cordons
  /** Tells a worker the cordons now and at each change, and takes its own. */
  serve(channel: Channel): void
}

type Change = Pick<Cordon, 'network' | 'upstream'> & { readonly reason: string | undefined }

const mostCordons = 1_000
/** Longest wait for the primary, in ms. */
const timeoutMs = 10_000

/** Creates a book without cordons. They end with the primary. */
export function createCordonBook({ clock }: { readonly clock: Clock }): CordonBook {
  const entries = new Map<string, Cordon>()
  const listeners = new Set<() => void>()
  const list = (): readonly Cordon[] => [...entries.values()]

  function set({ network, upstream, reason }: Change): void {
    const place = placeOf(network, upstream)
    if (reason === undefined) entries.delete(place)
    else if (entries.size < mostCordons || entries.has(place)) {
      entries.set(place, { network, upstream, reason, at: clock.date() })
    } else throw new Error(`there are ${mostCordons} cordons: lift some first`)
    for (const listener of listeners) listener()
  }

  return {
    cordons: cordonsOf(entries, listeners, async (change) => set(change)),
    serve(channel) {
      channel.serve('cordons.set', (change) => set(change as Change))
      channel.serve('cordons.list', list)
      const tell = (): void => channel.tell('cordons.all', list())
      listeners.add(tell)
      channel.onClose(() => listeners.delete(tell))
    },
  }
}

/** Opens the cordons of a worker: it answers from a copy, which the primary keeps. Rejects where that does not answer. */
export async function openWorkerCordons(channel: Channel, clock: Clock): Promise<Cordons> {
  const inTime = { clock, timeoutMs }
  const entries = new Map<string, Cordon>()
  const listeners = new Set<() => void>()

  function hear(all: unknown): void {
    entries.clear()
    for (const entry of all as readonly Cordon[]) entries.set(placeOf(entry.network, entry.upstream), entry)
    for (const listener of listeners) listener()
  }

  channel.serve('cordons.all', hear)
  hear(await askInTime(channel, 'cordons.list', undefined, inTime))
  return cordonsOf(entries, listeners, async (change) => void (await askInTime(channel, 'cordons.set', change, inTime)))
}

function cordonsOf(
  entries: ReadonlyMap<string, Cordon>,
  listeners: Set<() => void>,
  set: (change: Change) => Promise<void>,
): Cordons {
  return {
    isCordoned: (network, upstream) => entries.has(placeOf(network, upstream)),
    list: () => [...entries.values()],
    cordon: (network, upstream, reason) => set({ network, upstream, reason }),
    uncordon: (network, upstream) => set({ network, upstream, reason: undefined }),
    watch(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}

function placeOf(network: string, upstream: string): string {
  return JSON.stringify([network, upstream])
}
