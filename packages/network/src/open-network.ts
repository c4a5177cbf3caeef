import { RpcError, type RpcHandler } from '@wayleave/jsonrpc-core'
import { issues, printPath, secret } from '@wayleave/jsonrpc-core/schema'
import { createMemoryPort, createSharedView } from '@wayleave/stores/shared-state'
import { openMemoryCache } from './cache/memory-cache.ts'
import {
  asWritten,
  type EvmNetworkConfig,
  networkSchema,
  type NetworkConfig,
  type PinnedNetwork,
} from './config/network-config.ts'
import { networkIssues } from './config/network-issues.ts'
import { withDefaults } from './config/setting.ts'
import { networkLimits } from './config/network-limits.ts'
import { aloneInProcess, ownCacheBytes } from './defaults.ts'
import { openFilterStores } from './filters/filter-stores.ts'
import { createRewrittenChains } from './heads/rewritten-chains.ts'
import { chainKey } from './kinds/chain-key.ts'
import { loadNetworkKinds } from './kinds/index.ts'
import { closeLife, createNetworkLife } from './life/network-life.ts'
import { createVerificationOpener } from './life/open-verification.ts'
import type { NetworkHost } from './network-host.ts'
import { createNetwork, type Network, type NetworkOptions } from './network.ts'
import { projectUpstreams } from './upstreams/project-upstreams.ts'
import type { StartCheckThread } from './verification/check-thread.ts'

const closed = 'the network is closed'

/** The chain of a network and its nodes, as in a configuration of the gateway. */
export type NetworkSettings = NetworkConfig | (Omit<EvmNetworkConfig, 'kind'> & { readonly kind?: 'evm' })

/** The parts of a network that its program may give; each has a default. */
export interface OpenNetworkOptions extends Partial<NetworkHost>, Partial<Pick<NetworkOptions, 'name' | 'projects'>> {
  /** Starts a thread for the verification of long answers, as `startCheckThread` does. Default: they are verified on this one. */
  readonly startThread?: StartCheckThread | undefined
}

/**
 * Opens a network in a process of its own: failover, heads, cache, filters and subscriptions over its upstreams, as one handler. Upstreams
 * are asked from the first call on. @throws TypeError for settings that are none
 */
export async function openNetwork(settings: NetworkSettings, options: OpenNetworkOptions = {}): Promise<Network> {
  const config = pinned(settings, options.name)
  const { name = String(config.chainId), projects = projectUpstreams({}, config), startThread, ...given } = options
  const host = withDefaults(aloneInProcess(), given)
  const { clock, log } = host
  const key = chainKey(name, config)
  const kind = (await loadNetworkKinds([config]))(config.kind)
  const verifications = createVerificationOpener({ startThread, clock, log })
  const verification = await verifications.open({ networks: { [name]: config } })
  const stores = openFilterStores({ limits: networkLimits, clock, log })
  const reported = createSharedView(createMemoryPort(clock), key)
  const rewritten = createRewrittenChains(log, { chainsReplaced: () => ({ add() {} }) })
  const life = createNetworkLife(reported, await stores.open(key), undefined, rewritten.of(name, key))
  const hasCache = config.cache !== false && kind.cache !== undefined
  const ownCache = host.cache === undefined && hasCache ? await openMemoryCache({}, ownCacheBytes) : undefined
  const cache = host.cache ?? ownCache
  const network = createNetwork({ ...host, cache, name, config, kind, life, verification, projects })
  network.activate()
  const { handler, nodes, close } = network
  let isClosed = false
  /** Has calls fail from the end on, also those that are under way then. */
  const untilClosed =
    (next: RpcHandler): RpcHandler =>
    async (request, context) => {
      if (isClosed) throw new RpcError('aborted', closed, { delivery: 'not_sent' })
      try {
        return await next(request, context)
      } catch (why) {
        throw isClosed ? new RpcError('aborted', closed, { cause: why }) : why
      }
    }
  return Object.assign(network, {
    handler: untilClosed(handler),
    nodes: untilClosed(nodes),
    async close() {
      isClosed = true
      closeLife(life)
      await close()
      await verifications.close()
      stores.close()
      await ownCache?.close()
      if (options.log === undefined) await log.close()
    },
  })
}

/** Checks settings, and names their chain. */
function pinned(settings: NetworkSettings, name = 'jsonrpc'): PinnedNetwork {
  const config = { kind: 'evm', ...settings } as NetworkConfig
  const [issue] = [...issues(secret(networkSchema), config), ...networkIssues(config, [])]
  if (issue !== undefined)
    throw new TypeError(`${printPath(issue.path) || 'a network'}: expected ${issue.expected}, got ${issue.received}`)
  const written = asWritten(name, config)
  if (written === undefined) throw new TypeError('chainId: expected the id of the chain, got nothing')
  return written
}
