import { type Config, type NetworkConfig, limitsOf } from '@wayleave/gateway'
import { createLog, realSurroundings } from '@wayleave/gateway'
import { createContext, type HttpPort, rawJsonFromText, type RpcHandler } from '@wayleave/jsonrpc-core'
import { onTestFinished } from 'vitest'
import { createByteBudget } from '@wayleave/http-server'
import { createTurns } from '@wayleave/upstream'
import { openFilterStores, type ViewOpener } from '@wayleave/network'
import { pinnedAsWritten } from '../../src/chains/pinned-config.ts'
import { createMetrics } from '../../src/telemetry/metrics.ts'
import { openCache } from '../../src/answers/open-cache.ts'
import type { SharedNetworks } from '../../src/rpc/network-options.ts'
import { createNetworks } from '../../src/rpc/networks.ts'
import { unmetered } from '../support.ts'

/** The networks of one process of a gateway, without its listeners. */
export interface Core {
  /** Asks as a caller of a project does, and returns the whole answer. */
  ask(network: string, method: string, params?: readonly unknown[]): Promise<{ result?: unknown; error?: unknown }>
  /** Asks as the gateway itself does. */
  nodes(network: string): RpcHandler
}

export interface CoreOptions {
  readonly networks: Readonly<Record<string, NetworkConfig>>
  readonly port: HttpPort
  readonly cache?: Config['cache']
  readonly shared?: SharedNetworks | undefined
  readonly views?: ViewOpener | undefined
}

/** Opens the networks of one process over simulated nodes; they are closed when the test has finished. */
export async function openCore({
  networks: configured,
  port,
  cache: caching,
  shared,
  views,
}: CoreOptions): Promise<Core> {
  const { clock, nextTurn, random, newFilterId } = realSurroundings
  const config = { networks: configured, ...(caching !== undefined && { cache: caching }) } as Config
  const log = createLog({ level: 'silent' })
  const limits = limitsOf(config, 1_000_000_000)
  const metrics = createMetrics()
  const turns = createTurns({ nextTurn })

  const cache = await openCache(config, 1_000_000_000, { metrics, clock, log })
  const networks = createNetworks({
    limits,
    budget: createByteBudget({ turns, capacity: limits.maxHeldBytes, onRefused: () => {} }),
    turns,
    rollupNodes: {},
    metrics,
    cache,
    shared,
    views,
    filterStores: openFilterStores({ limits, clock, log }),
    clock,
    nextTurn,
    random,
    newFilterId,
    noteDenial: () => {},
    metering: unmetered,
    log,
    openPort: () => ({ http: port, renew() {}, close: async () => {} }),
  })
  const next = await networks.prepare(pinnedAsWritten(config), limits)
  next.commit(0)
  onTestFinished(async () => {
    await networks.close()
    await cache?.close()
  })
  const named = (name: string) => networks.present.find((network) => network.name === name)!
  return {
    async ask(name, method, params = []) {
      const context = createContext({ clock, timeoutMs: 30_000, tenant: 'project' })
      try {
        const response = await named(name).nodes(
          { method, params: rawJsonFromText(JSON.stringify(params)), notification: false },
          context,
        )
        if (response.error !== undefined) return { error: response.error }
        return { result: (response.result as { value(): unknown }).value() }
      } finally {
        context.release()
      }
    },
    nodes: (name) => named(name).nodes,
  }
}
