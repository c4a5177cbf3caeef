import {
  createFeeSource,
  createGasApi,
  createPromiseLedger,
  type FeeReading,
  type FeeSource,
  type FeeStore,
  type FeeStrategy,
  type GasAnswer,
  type GasApi,
  type GasRequest,
  type HeadSource,
  metamask,
  type PromiseLedger,
  type RequestFunction,
  wayleave,
} from '@wayleave/gas-fees'
import type { Clock, RpcHandler } from '@wayleave/jsonrpc-core'
import { evmSettings, type GasConfig, gasDefaults, type PinnedNetwork } from '@wayleave/network/config'
import type { Log } from '@wayleave/telemetry'
import type { NetworkKind } from '@wayleave/network'
import { createMethodDenial } from '../config/denied-methods.ts'
import type { GatewayContext } from '../context/context.ts'
import { decoded, inDecimal } from './chain-ids.ts'
import { guardFeeStore } from './guard-fee-store.ts'
import { askFor, noTotal, type TotalCall } from './total-call.ts'

export interface GasServiceOptions {
  readonly networks: readonly GasNetwork[]
  /** Methods that nobody may call: names, or prefixes that end in `*`. */
  readonly denyMethods: readonly string[]
  readonly store: FeeStore
  readonly clock: Clock
  readonly log: Log
  /** The most time that a `totalFee` may take, in ms. */
  readonly totalTimeoutMs: number
  /** How many streams may be open at once. */
  readonly maxStreams: number
  /** The sources of the service before: those of networks that are the same go on. Default: none. */
  readonly known?: readonly GasSource[] | undefined
}

/** The destination of a path of the gas API. */
export interface GasPlace {
  /** The path with the chain id in decimal, in its one spelling. */
  readonly path: string
  /** The slug of the network; undefined where the path names none that is here. */
  readonly network: string | undefined
  /** All networks of that chain. */
  readonly networks: readonly string[]
  /** `suggestedGasFees` and its kin, `supportedChainNames`, or `other`. */
  readonly endpoint: string
}

/** A question of an admitted caller. */
interface GasCall {
  readonly method: string
  readonly place: GasPlace
  /** Present for a `totalFee`. */
  readonly total?: TotalCall | undefined
  readonly ifNoneMatch: string | undefined
  /** Slugs of the networks that the caller may reach; undefined: all. */
  readonly allowed: readonly string[] | undefined
  /** Ends a stream, and the questions of a `totalFee`. */
  readonly signal: AbortSignal | undefined
}

/** The gas API (Spec §4.11) over all networks of a gateway. */
export interface GasService {
  /** Reads `/networks/<chainId>/<endpoint>`, `/v1/supportedChainNames` or `/gasprices/blockprices`, whose chain the URL's query names. */
  find(path: string, url: string): GasPlace
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
  'totalFee',
])

/** Creates the service; nothing is asked of a network before the first call that needs it. */
export function createGasService(options: GasServiceOptions): GasService {
  const { networks, store, clock, log, maxStreams, totalTimeoutMs, known } = options
  const isDenied = createMethodDenial(options.denyMethods)
  const sources = createGasSources(networks, { store: guardFeeStore(store, clock, log), clock, log, known })

  function apiFor(allowed: readonly string[] | undefined): GasApi<OwnRequest> {
    const named = [...sources].flatMap(([chainId, source]) => {
      const name = source.networks.find((network) => allowed?.includes(network) ?? true)
      return name === undefined ? [] : [[chainId, name] as const]
    })
    const names = Object.fromEntries(named)
    return createGasApi({ source: (chainId) => sources.get(chainId)?.source, request, names, clock, maxStreams })
  }

  /** Asks for one `totalFee` on the first network of its chain that the caller may use. */
  function request(chainId: string, { total, allowed, signal }: OwnRequest): RequestFunction {
    const alike = networks.filter((network) => String(network.chainId) === chainId)
    const { name, calls } = alike.find((network) => allowed?.includes(network.name) ?? true)!
    return askFor(total!, { network: name, calls, clock, timeoutMs: totalTimeoutMs, signal })
  }

  const api = apiFor(undefined)

  function blockPricesPlace(path: string, url: string): GasPlace {
    const params = new URLSearchParams(url.split('?', 2)[1])
    const [given = '1', second] = params.getAll('chainid')
    const chainId = inDecimal(given)
    // Several are left for the API to refuse.
    if (second === undefined && params.has('chainid')) params.set('chainid', chainId)
    const alike = (second === undefined ? sources.get(chainId)?.networks : undefined) ?? []
    return { path: `${path}?${params}`, network: alike[0], networks: alike, endpoint: 'blockprices' }
  }

  return {
    find(path, url) {
      if (!path.startsWith(below)) {
        if (path !== '/v1/supportedChainNames') return blockPricesPlace(path, url)
        return { path, network: undefined, networks: [], endpoint: 'supportedChainNames' }
      }
      const slash = path.indexOf('/', below.length)
      const given = slash < 0 ? path.slice(below.length) : path.slice(below.length, slash)
      const rest = slash < 0 ? '' : path.slice(slash + 1)
      const chainId = inDecimal(decoded(given))
      const alike = sources.get(chainId)?.networks ?? []
      return {
        // In the spelling that was judged here, so that none passes a check and means something else below.
        path: chainId === given ? path : `${below}${encodeURIComponent(chainId)}/${rest}`,
        network: alike[0],
        networks: alike,
        endpoint: endpoints.has(rest) ? rest : 'other',
      }
    },
    answer({ method, place, total, ifNoneMatch, allowed, signal }) {
      if (total !== undefined && isDenied('eth_estimateGas')) return noTotal
      // Only names differ from caller to caller.
      const own = allowed !== undefined && place.endpoint === 'supportedChainNames' ? apiFor(allowed) : api
      const headers = ifNoneMatch === undefined ? none : { 'if-none-match': ifNoneMatch }
      const path = total === undefined ? place.path : `${place.path}?${total.query}`
      return own({ method, path, headers, signal, total, allowed })
    },
    sources: [...sources.values()],
    async close() {
      await Promise.all([...sources.values()].map(({ source }) => source.close()))
    },
  }
}

/** A request with what `totalFee` asks nodes by. */
type OwnRequest = GasRequest & Pick<GasCall, 'total' | 'allowed'>

const below = '/networks/'
const none = {}

/** A network with all that its fees are computed from. */
export interface GasNetwork {
  readonly name: string
  readonly chainId: number
  readonly gas: GasConfig
  /** Answers callers. */
  readonly calls: RpcHandler<GatewayContext>
  /** Answers the gateway's own questions. */
  readonly nodes: RpcHandler
  /** Tells its heads, where they are followed already. */
  readonly heads: HeadSource | undefined
}

/** A network as it will be configured, with the parts of it that stay. */
export interface ConfiguredNetwork extends Pick<GasNetwork, 'name' | 'calls' | 'nodes' | 'heads'> {
  readonly kind: NetworkKind
  readonly config: PinnedNetwork
}

/** Picks the networks that have gas fees to suggest. */
export function gasNetworksOf(networks: readonly ConfiguredNetwork[]): readonly GasNetwork[] {
  return networks.flatMap(({ name, kind, config, calls, nodes, heads }) => {
    const { gas: chosen = true } = evmSettings(config) ?? {}
    const gas = chosen === true ? {} : chosen
    return kind.servesGas && gas !== false ? [{ name, chainId: Number(config.chainId), gas, calls, nodes, heads }] : []
  })
}

interface GasSourcesOptions extends Pick<GasServiceOptions, 'known'> {
  readonly store: FeeStore
  readonly clock: Clock
  readonly log: Log
}

/** The source of one chain's fees, and the age of what it told. */
export interface GasSource {
  /** Another text for any other settings. */
  readonly identity: string
  /** Tells the heads that it follows. */
  readonly heads: HeadSource | undefined
  readonly chainId: number
  /** Slugs of the networks of this chain; the first is followed. */
  readonly networks: readonly string[]
  readonly source: FeeSource
  /** The offers of its last blocks, and what became of them. */
  readonly ledger: PromiseLedger
  /** Undefined where its strategy promises nothing. */
  readonly promises: FeeStrategy['promises']
  /** How old the suggestion was when somebody asked last, in ms; undefined before there was one. Asks nobody. */
  ageMs(): number | undefined
}

const strategies = { wayleave, metamask }

/** Creates a source for each chain, by its id in decimal. Networks may share a chain, which is followed by the first one. */
function createGasSources(networks: readonly GasNetwork[], options: GasSourcesOptions): ReadonlyMap<string, GasSource> {
  const byChain = new Map<string, GasNetwork[]>()
  for (const network of networks) {
    const chainId = String(network.chainId)
    byChain.set(chainId, [...(byChain.get(chainId) ?? []), network])
  }
  return new Map(
    [...byChain].map(([chainId, alike]) => {
      const identity = identityOf(alike)
      const { heads } = alike[0]!
      const source = options.known?.find((each) => each.identity === identity && each.heads === heads)
      return [chainId, source ?? createGasSource(identity, alike, options)]
    }),
  )
}

function identityOf(alike: readonly GasNetwork[]): string {
  const { chainId, gas } = alike[0]!
  return JSON.stringify([chainId, gas, alike.map(({ name }) => name)])
}

function createGasSource(
  identity: string,
  alike: readonly GasNetwork[],
  { store, clock, log }: GasSourcesOptions,
): GasSource {
  const { name, chainId, gas, nodes, heads } = alike[0]!
  const strategy = strategies[gas.strategy ?? gasDefaults.strategy]
  const ledger = createPromiseLedger(strategy)
  const source = createFeeSource({
    handler: nodes,
    heads,
    clock,
    strategy,
    ledger,
    store: { network: name, fees: store },
    maxAgeMs: gas.maxAgeMs,
    blocksOnDemand: gas.blocksOnDemand,
    // The pool has logged already which endpoint failed.
    onFailure: (why) => log.debug({ network: name, code: codeOf(why) }, 'the gas fees could not be brought up to date'),
  })
  let madeAt: number | undefined
  let askedAt = 0

  function note(reading: FeeReading): FeeReading {
    askedAt = clock.now()
    if (reading.state === 'ready') madeAt = askedAt - reading.ageMs
    return reading
  }

  return {
    identity,
    heads,
    chainId,
    networks: alike.map((network) => network.name),
    source: {
      current() {
        const reading = source.current()
        return reading instanceof Promise ? reading.then(note) : note(reading)
      },
      peek: source.peek,
      watch: source.watch,
      close: () => source.close(),
      [Symbol.asyncDispose]: () => source.close(),
    },
    ledger,
    promises: strategy.promises,
    ageMs: () => (madeAt === undefined ? undefined : askedAt - madeAt),
  }
}

function codeOf(why: unknown): unknown {
  return (why as { readonly code?: unknown } | undefined)?.code
}
