import { closeLife, type NetworkLife } from '@wayleave/network'
import type { OpenedNetwork } from './network.ts'

/** A network, whichever is opened in its place. */
export type LastingNetwork = Omit<OpenedNetwork, 'isBusy' | 'activate' | 'discard' | 'deactivate' | 'close'>

/** The place of a network in the gateway. What stands there may be replaced; whoever holds the place asks what stands there at the time. */
export interface NetworkPlace {
  readonly network: LastingNetwork
  readonly life: NetworkLife
  /** Puts a network here, and has what callers hold go on with it. */
  replace(network: OpenedNetwork, life: NetworkLife): void
}

export function createNetworkPlace(first: OpenedNetwork, firstLife: NetworkLife): NetworkPlace {
  let present = first
  let life = firstLife
  const { name, metrics } = first
  const network: LastingNetwork = {
    name,
    metrics,
    server: (body, context) => present.server(body, context),
    calls: (request, context) => present.calls(request, context),
    nodes: (request, context) => present.nodes(request, context),
    cordon: (upstream, why) => present.cordon(upstream, why),
    probe: () => present.probe(),
    rejected: (traceId, why) => present.rejected(traceId, why),
    showsUpstream: (project) => present.showsUpstream(project),
    get kind() {
      return present.kind
    },
    get config() {
      return present.config
    },
    get events() {
      return present.events
    },
    get place() {
      return present.place
    },
    get upstreams() {
      return present.upstreams
    },
    get apiVersions() {
      return present.apiVersions
    },
    get heads() {
      return present.heads && life.chain?.view
    },
    get pending() {
      return present.pending
    },
  }
  return {
    network,
    get life() {
      return life
    },
    replace(next, nextLife) {
      if (life !== nextLife) closeLife(life)
      present = next
      life = nextLife
      next.activate()
    },
  }
}
