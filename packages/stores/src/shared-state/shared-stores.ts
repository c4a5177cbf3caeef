import type { Clock } from '@wayleave/jsonrpc-core'
import { type Cordons, createCordons } from './cordons.ts'
import type { SharedPort } from './shared-port.ts'
import { createSharedSpend, type SharedSpend } from './shared-spend.ts'
import { createSharedUses, type SharedUses } from './shared-uses.ts'
import { createSharedView, type SharedView } from './shared-view.ts'

/** The state that the processes of a port share. */
export interface SharedStores {
  readonly cordons: Cordons
  /** The heads and nonces that callers of a network were told; the same ones for the same network. */
  view(network: string): SharedView
  /** The pushes of upstreams that filters of a network read, by name; the same ones for the same network. */
  pushes(network: string): SharedUses
  /** The units of a provider's plan that are spent; the same ones for the same plan. */
  spend(plan: string): SharedSpend
}

/** Opens the state of a port. */
export function createSharedStores(port: SharedPort, clock: Clock): SharedStores {
  return {
    cordons: createCordons(port, clock),
    view: once((network) => createSharedView(port, network)),
    pushes: once((network) => createSharedUses(port, `${network}:pushes`)),
    spend: once((plan) => createSharedSpend(port, plan, clock)),
  }
}

function once<T>(open: (name: string) => T): (name: string) => T {
  const opened = new Map<string, T>()
  return (name) => {
    const known = opened.get(name) ?? open(name)
    opened.set(name, known)
    return known
  }
}
