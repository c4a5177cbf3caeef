import type { Cordons as SharedCordons } from '@wayleave/stores/shared-state'

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

/** A network as far as its upstreams can be left alone. */
export interface CordonedNetwork {
  readonly name: string
  readonly upstreams: readonly string[]
  /** Leaves an upstream alone from now on, or no longer where `why` is undefined; false where there is none of the name. */
  cordon(upstream: string, why: string | undefined): boolean
}

export interface CordonsOptions {
  /** Read anew each time. */
  readonly networks: readonly CordonedNetwork[]
  readonly shared: Pick<SharedCordons, 'list' | 'cordon' | 'uncordon' | 'watch'>
}

/** Has the networks of a gateway leave alone what any of its processes has cordoned. */
export function createCordons(options: CordonsOptions): Cordons {
  const { shared } = options
  /** The reasons that hold, by place. */
  const held = new Map<string, string>()

  function apply(): void {
    const reasons = new Map(shared.list().map((each) => [placeOf(each.network, each.upstream), each.reason]))
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

  const stopWatching = shared.watch(apply)
  apply()
  return {
    get upstreams() {
      return Object.fromEntries(options.networks.map(({ name, upstreams }) => [name, upstreams]))
    },
    refresh() {
      // Upstreams that are new know of none.
      held.clear()
      apply()
    },
    cordon: (network, upstream, why) =>
      why === undefined ? shared.uncordon(network, upstream) : shared.cordon(network, upstream, why),
    close: stopWatching,
  }
}

function placeOf(network: string, upstream: string): string {
  return JSON.stringify([network, upstream])
}
