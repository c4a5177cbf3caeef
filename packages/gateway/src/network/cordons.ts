import type { Clock } from '@wayleave/jsonrpc-core'
import type { Cordons as SharedCordons } from '@wayleave/stores'
import type { Network } from './network.ts'

/** The upstreams that operators have the gateway leave alone. */
export interface Cordons {
  /** The names of upstreams, by network. */
  readonly upstreams: Readonly<Record<string, readonly string[]>>
  /** Has upstreams that came with another configuration left alone, too. */
  refresh(): void
  /**
   * Leaves an upstream of {@link Cordons.upstreams} alone for the reason given, or no longer where it is undefined: here at once, and in
   * all replicas when it resolves with true. False: they are told later, since Redis cannot be used.
   */
  cordon(network: string, upstream: string, why: string | undefined): Promise<boolean>
  close(): void
}

export interface CordonsOptions {
  /** Read anew each time. */
  readonly networks: readonly Pick<Network, 'name' | 'upstreams' | 'cordon'>[]
  /** Undefined where this process is alone. */
  readonly shared: Pick<SharedCordons, 'list' | 'cordon' | 'uncordon' | 'watch'> | undefined
  readonly clock: Clock
}

/** Time between two attempts to tell replicas, in ms. */
const retryMs = 1_000

/** A decision that was made here and that replicas do not know yet. */
interface Decision {
  readonly network: string
  readonly upstream: string
  readonly why: string | undefined
}

/** Keeps the cordons of a gateway, those of its replicas included. */
export function createCordons(options: CordonsOptions): Cordons {
  const { shared, clock } = options
  /** The reasons that hold, by place. */
  const held = new Map<string, string>()
  const untold = new Map<string, Decision>()
  let stopRetry = (): void => {}
  let isClosed = false

  function apply(): void {
    const reasons = new Map(shared?.list().map((each) => [placeOf(each.network, each.upstream), each.reason]))
    for (const [place, { why }] of untold) {
      if (why === undefined) reasons.delete(place)
      else reasons.set(place, why)
    }
    for (const { name, upstreams, cordon } of options.networks) {
      for (const upstream of upstreams) {
        const place = placeOf(name, upstream)
        const why = reasons.get(place)
        if (held.get(place) === why) continue
        if (why === undefined) held.delete(place)
        else held.set(place, why)
        cordon(upstream, why)
      }
    }
  }

  /** Tells replicas of a decision; false where that fails. */
  async function share(place: string, decision: Decision): Promise<boolean> {
    const { network, upstream, why } = decision
    try {
      await (why === undefined ? shared!.uncordon(network, upstream) : shared!.cordon(network, upstream, why))
    } catch {
      return false
    }
    // Another one may have been made meanwhile.
    if (untold.get(place) === decision) untold.delete(place)
    apply()
    return true
  }

  function retryLater(): void {
    stopRetry()
    stopRetry = clock.after(retryMs, () => {
      const all = [...untold].map(([place, decision]) => share(place, decision))
      void Promise.all(all).then(() => untold.size > 0 && !isClosed && retryLater())
    })
  }

  const stopWatching = shared?.watch(apply)
  apply()
  return {
    get upstreams() {
      return Object.fromEntries(options.networks.map(({ name, upstreams }) => [name, upstreams]))
    },
    refresh() {
      // Those that are new know of none.
      held.clear()
      apply()
    },
    async cordon(network, upstream, why) {
      const decision = { network, upstream, why }
      const place = placeOf(network, upstream)
      untold.set(place, decision)
      apply()
      if (shared === undefined) return true
      const isTold = await share(place, decision)
      if (!isTold) retryLater()
      return isTold
    },
    close() {
      isClosed = true
      stopWatching?.()
      stopRetry()
    },
  }
}

function placeOf(network: string, upstream: string): string {
  return JSON.stringify([network, upstream])
}
