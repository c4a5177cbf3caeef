import { isDeepStrictEqual } from 'node:util'
import type { Clock } from '@wayleave/jsonrpc-core'
import { createMemoryPort, createSharedView } from '@wayleave/stores/shared-state'
import { createFairShare, createTurns } from '@wayleave/upstream'
import {
  chainKey,
  closeLife,
  createNetworkLife,
  createRewrittenChains,
  createVerificationOpener,
  loadNetworkKinds,
  type NetworkLife,
  openFilterStores,
  projectUpstreams,
  showsUpstream,
} from '@wayleave/network'
import type { NetworkOptions, NetworksOptions } from './network-options.ts'
import { type PinnedConfig, pinnedAsWritten } from '../chains/pinned-config.ts'
import type { Config } from '../config/config.ts'
import type { Limits, UpstreamLimits } from '../config/limits.ts'
import { openCache } from '../answers/open-cache.ts'
import { deniedMethods } from '../config/denied-methods.ts'
import { openNetwork, type OpenedNetwork } from './network.ts'
import { createNetworkPlace, type LastingNetwork, type NetworkPlace } from './network-place.ts'

/** The networks of a gateway. */
export interface Networks {
  /** Those that are served at the moment, in the order of the configuration. */
  readonly present: readonly LastingNetwork[]
  /** Opens the networks of a configuration that differ from those present, and waits until they know heads, or the signal aborts. Nothing changes before `commit`. */
  prepare(config: PinnedConfig, limits: Limits, signal?: AbortSignal): Promise<NextNetworks>
  /** Ends all calls and closes everything. */
  close(): Promise<void>
}

/** Networks that were opened to be served. */
export interface NextNetworks {
  readonly networks: readonly LastingNetwork[]
  /** The same, as they will be configured. */
  readonly configured: readonly Pick<LastingNetwork, 'name' | 'kind' | 'config' | 'calls' | 'nodes' | 'heads'>[]
  /** Names of those present that are not among them. */
  readonly removed: readonly string[]
  /** Serves them. Those that were replaced or removed are closed once their calls have ended, within `drainMs`. */
  commit(drainMs: number): void
  /** Closes those that were opened. */
  abandon(): Promise<void>
}

/** A network on its way to its place. */
interface Arriving {
  readonly place: NetworkPlace
  readonly life: NetworkLife
  readonly network: OpenedNetwork
  readonly settings: Settings
}

/** All that a network is made of; one with equal settings need not be replaced. */
type Settings = Pick<NetworkOptions, 'config' | 'denyMethods' | 'pricedMethods'> & {
  readonly limits: UpstreamLimits
  readonly projects: readonly unknown[]
}

/** Longest wait for a network to know a head that the one before has told, in ms. */
const warmMs = 5_000
/** Cost of what upstreams sent that is read in a turn, about 64 kB: a hundred connections at once would stop everything else. */
const readPerTurn = 16
/** Time between two looks whether calls have ended, in ms. */
const lookEveryMs = 50

/** Creates the networks of a gateway; there are none before the first `commit`. */
export function createNetworks(options: NetworksOptions): Networks {
  const { clock } = options
  const calls = createFairShare(options.limits.maxCalls)
  const filters = createFairShare(options.limits.maxFilters)
  // Each is read where it is applied, and a commit writes others into it.
  const callerLimits: Limits = { ...options.limits }
  const readingTurns = createTurns({ nextTurn: options.nextTurn, perTurn: readPerTurn })
  const verifications = createVerificationOpener(options)
  const rewritten = createRewrittenChains(options.log, options.metrics)
  const stores = options.filterStores ?? openFilterStores(options)
  let present: ReadonlyMap<string, Arriving> = new Map()
  /** Networks that were replaced or removed, with functions that close them now. */
  const retiring = new Map<OpenedNetwork, () => void>()
  const closing = new Set<Promise<void>>()

  async function lifeOf(name: string, config: Settings['config']): Promise<NetworkLife> {
    const known = present.get(name)
    const isSame = known?.network.config.kind === config.kind && known.network.config.chainId === config.chainId
    if (isSame) return known.place.life
    const key = chainKey(name, config)
    const reported = options.shared?.view(key) ?? createSharedView(createMemoryPort(clock), key)
    return createNetworkLife(reported, await stores.open(key), options.shared?.pushes(key), rewritten.of(name, key))
  }

  /** Closes a network once its calls have ended. */
  function retire(network: OpenedNetwork, drainMs: number): void {
    network.deactivate()
    const until = clock.now() + drainMs
    let wasBusy = true
    let stop = clock.after(lookEveryMs, look)
    function look(): void {
      const { isBusy } = network
      if (!isBusy && !wasBusy) return end()
      if (clock.now() >= until) return end()
      wasBusy = isBusy
      stop = clock.after(lookEveryMs, look)
    }
    function end(): void {
      stop()
      retiring.delete(network)
      const closed = network.close().finally(() => {
        closing.delete(closed)
        if (!present.has(network.name)) options.metrics.forgetNetwork(network.name)
      })
      closing.add(closed)
    }
    retiring.set(network, end)
  }

  async function open(
    name: string,
    settings: Settings,
    shared: Omit<NetworkOptions, 'name' | 'life' | 'projects' | keyof Settings>,
    config: Config,
  ): Promise<Arriving> {
    const life = await lifeOf(name, settings.config)
    const { config: network, denyMethods, pricedMethods, limits } = settings
    const opened = openNetwork({
      ...shared,
      name,
      life,
      config: network,
      limits,
      denyMethods,
      pricedMethods,
      projects: projectUpstreams(config, network),
    })
    const before = present.get(name)
    return { place: before?.place ?? createNetworkPlace(opened, life), life, network: opened, settings }
  }

  return {
    get present() {
      return [...present.values()].map(({ place }) => place.network)
    },
    async prepare(config, limits, signal) {
      const kindOf = await loadNetworkKinds(Object.values(config.networks))
      const shared = {
        ...options,
        callerLimits,
        calls,
        filters,
        readingTurns,
        verification: await verifications.open(config),
        showsUpstream: showsUpstream(config),
      }
      const opened: Arriving[] = []
      async function closeOpened(): Promise<void> {
        for (const { network } of opened) network.discard()
        await Promise.all(opened.map(({ network }) => network.close()))
      }
      async function arriving(name: string, network: Settings['config']): Promise<Arriving> {
        const settings = settingsOf(config, network, limits)
        const known = present.get(name)
        if (known !== undefined && isDeepStrictEqual(known.settings, settings)) return known
        const made = await open(name, settings, { ...shared, kind: kindOf(network.kind) }, config)
        opened.push(made)
        return made
      }
      let all: readonly Arriving[]
      try {
        all = await everyOne(Object.entries(config.networks).map(([name, network]) => arriving(name, network)))
        await Promise.all(opened.map((each) => warm(each, present.get(each.network.name), clock, signal)))
      } catch (thrown) {
        await closeOpened()
        throw thrown
      }
      const next: ReadonlyMap<string, Arriving> = new Map(all.map((each) => [each.network.name, each]))
      return {
        networks: [...next.values()].map(({ place }) => place.network),
        configured: [...next.values()].map(({ place, life, network: { name, kind, config: own, heads } }) => ({
          name,
          kind,
          config: own,
          calls: place.network.calls,
          nodes: place.network.nodes,
          heads: heads && life.chain?.view,
        })),
        removed: [...present.keys()].filter((name) => !next.has(name)),
        commit(drainMs) {
          const before = present
          present = next
          Object.assign(callerLimits, limits)
          for (const { place, life, network } of opened) {
            const replaced = before.get(network.name)
            place.replace(network, life)
            if (replaced !== undefined) retire(replaced.network, drainMs)
          }
          for (const { place, network } of before.values()) {
            if (next.has(network.name)) continue
            closeLife(place.life)
            network.metrics.watchUpstreams(() => [])
            retire(network, drainMs)
          }
        },
        abandon: closeOpened,
      }
    },
    async close() {
      for (const end of retiring.values()) end()
      for (const { place } of present.values()) closeLife(place.life)
      await Promise.all([...closing, ...[...present.values()].map(({ network }) => network.close())])
      present = new Map()
      await verifications.close()
    },
  }
}

/** A network that stays as it is, with its connections. */
export type OpenNetwork = LastingNetwork & Pick<OpenedNetwork, 'close'>

/** Opens the networks of a configuration that stays as it is, and names their chains. To close one closes all. @throws ConfigError if it does not */
export async function openNetworks(config: Config, options: NetworksOptions): Promise<readonly OpenNetwork[]> {
  const cache = await openCache(config, Number.POSITIVE_INFINITY, options)
  const networks = createNetworks({ ...options, cache })
  const next = await networks.prepare(pinnedAsWritten(config), options.limits)
  next.commit(0)
  let closed: Promise<void> | undefined
  return next.networks.map((network) =>
    Object.assign(network, { close: () => (closed ??= networks.close().then(() => cache?.close())) }),
  )
}

/** Picks all of a configuration that a network is made of. */
function settingsOf(config: Config, network: Settings['config'], limits: Limits): Settings {
  const { maxUpstreamBytes, maxUpstreamCalls } = limits
  const projects = (config.projects ?? []).flatMap(({ id, name, upstreams, transactions, showUpstream }) =>
    (upstreams ?? transactions ?? showUpstream) === undefined
      ? []
      : [[id ?? name, upstreams, transactions, showUpstream]],
  )
  return {
    config: network,
    denyMethods: deniedMethods(config),
    pricedMethods: Object.keys({ ...config.prices?.evm, ...config.prices?.[network.kind] }),
    // All others change under a network that goes on.
    limits: { maxUpstreamBytes, maxUpstreamCalls },
    projects,
  }
}

/** Waits for all of them; rejects as the first one that does, once all have settled. */
async function everyOne<T>(all: readonly Promise<T>[]): Promise<readonly T[]> {
  await Promise.allSettled(all)
  return Promise.all(all)
}

/** Waits until a network knows the head that callers were told by the one before, for a while. */
async function warm(
  { network, life }: Arriving,
  before: Arriving | undefined,
  clock: Clock,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { heads } = network
  const known = before?.network.heads?.head?.number
  if (heads === undefined || known === undefined || before?.place.life !== life || signal?.aborted === true) return
  const height = Math.max(known, life.reported.head)
  heads.wanted()
  if ((heads.head?.number ?? -1) >= height) return
  await new Promise<void>((resolve) => {
    const end = (): void => {
      stop()
      unwatch()
      signal?.removeEventListener('abort', end)
      resolve()
    }
    const stop = clock.after(warmMs, end)
    const unwatch = heads.watch(({ at }) => {
      if (at.number >= height) end()
    })
    signal?.addEventListener('abort', end)
  })
}
