import { createGasApi, type FeeStore, type GasAnswer, type GasApi } from '@wayleave/gas-fees'
import type { Clock } from '@wayleave/jsonrpc-core'
import type { Log } from '../log.ts'
import { createGasSources, type GasNetwork, type GasSource } from './gas-sources.ts'
import { guardFeeStore } from './guard-fee-store.ts'

export interface GasServiceOptions {
  readonly networks: readonly GasNetwork[]
  readonly store: FeeStore
  readonly clock: Clock
  readonly log: Log
  /** How many streams may be open at once. */
  readonly maxStreams: number
}

/** Where a path of the gas API leads. */
export interface GasPlace {
  /** The path with the chain id in decimal, in its one spelling. */
  readonly path: string
  /** The slug of the network; undefined where the path names none that is here. */
  readonly network: string | undefined
  /** All networks of that chain. */
  readonly networks: readonly string[]
  /** `suggestedGasFees` and its kin, `supportedChainNames`, or `other`: as many as there are. */
  readonly endpoint: string
}

/** What is asked of the gas API, by a caller who may. */
interface GasCall {
  readonly method: string
  readonly place: GasPlace
  readonly ifNoneMatch: string | undefined
  /** Slugs of the networks that the caller may reach; undefined: all. */
  readonly allowed: readonly string[] | undefined
  /** Ends a stream. */
  readonly signal: AbortSignal | undefined
}

/** The gas API (Spec §4.11) over all networks of a gateway. */
export interface GasService {
  /** Reads `/networks/<chainId>/<endpoint>` or `/v1/supportedChainNames`. */
  find(path: string): GasPlace
  /** Without a promise where the answer is in memory. Never rejects. */
  answer(call: GasCall): GasAnswer | Promise<GasAnswer>
  readonly sources: readonly GasSource[]
  /** Stops following the networks, and saves. */
  close(): Promise<void>
}

const endpoints = new Set([
  'suggestedGasFees',
  'suggestedGasFees/stream',
  'baseFeeHistory',
  'baseFeePercentile',
  'busyThreshold',
])

/** Nothing is asked of a network before the first call that needs it. */
export function createGasService({ networks, store, clock, log, maxStreams }: GasServiceOptions): GasService {
  const sources = createGasSources(networks, { store: guardFeeStore(store, clock, log), clock, log })

  function apiFor(allowed: readonly string[] | undefined): GasApi {
    const named = [...sources].flatMap(([chainId, source]) => {
      const name = source.networks.find((network) => allowed?.includes(network) ?? true)
      return name === undefined ? [] : [[chainId, name] as const]
    })
    const names = Object.fromEntries(named)
    return createGasApi({ source: (chainId) => sources.get(chainId)?.source, names, clock, maxStreams })
  }

  const api = apiFor(undefined)

  return {
    find(path) {
      if (!path.startsWith(below)) return { path, network: undefined, networks: [], endpoint: 'supportedChainNames' }
      const slash = path.indexOf('/', below.length)
      const given = slash < 0 ? path.slice(below.length) : path.slice(below.length, slash)
      const rest = slash < 0 ? '' : path.slice(slash + 1)
      const chainId = inDecimal(decoded(given))
      const alike = sources.get(chainId)?.networks ?? []
      return {
        // As it was judged here, so that no spelling of it passes a check and means something else below.
        path: chainId === given ? path : `${below}${encodeURIComponent(chainId)}/${rest}`,
        network: alike[0],
        networks: alike,
        endpoint: endpoints.has(rest) ? rest : 'other',
      }
    },
    answer({ method, place, ifNoneMatch, allowed, signal }) {
      // Only names differ from caller to caller.
      const own = allowed !== undefined && place.endpoint === 'supportedChainNames' ? apiFor(allowed) : api
      const headers = ifNoneMatch === undefined ? none : { 'if-none-match': ifNoneMatch }
      return own({ method, path: place.path, headers, signal })
    },
    sources: [...sources.values()],
    async close() {
      await Promise.all([...sources.values()].map(({ source }) => source.close()))
    },
  }
}

const below = '/networks/'
const none = {}

/** Some clients know a chain as `eth_chainId` tells it. */
function inDecimal(chainId: string): string {
  return chainId.startsWith('0x') && /^0x[\da-f]{1,64}$/i.test(chainId) ? String(BigInt(chainId)) : chainId
}

function decoded(segment: string): string {
  if (!segment.includes('%')) return segment
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}
