import {
  anything,
  array,
  boolean,
  choice,
  integer,
  is,
  nonEmptyArray,
  oneOf,
  type Schema,
  shown,
  text,
  type TypeOf,
} from '@wayleave/jsonrpc-core/schema'
import type { UpstreamOrder } from '@wayleave/upstream'
import { chainFelt } from '../kinds/chain-felt.ts'
import { chainKinds, isKindName, type KindName, type ReportingKind } from '../kinds/chain-kinds.ts'
import { noCache } from './cache-config.ts'
import { consensus } from './consensus-config.ts'
import { isObject, milliseconds, stringThat, url } from './schema-parts.ts'
import { defaultsOf, exact, setting, required } from './setting.ts'
import { timeouts } from './timeouts-config.ts'
import { unverifiedUpstream, upstreamSchema, verify } from './upstream-config.ts'

const gasMembers = {
  strategy: setting(
    shown(oneOf('wayleave', 'metamask')),
    '`metamask` gives the numbers that MetaMask computes itself.',
    'wayleave',
  ),
  maxAgeMs: setting(
    shown(milliseconds),
    'The greatest age of an answer, in ms; without a younger one, callers get 503. Default: ten blocks, 60,000 at least.',
  ),
  blocksOnDemand: setting(
    shown(boolean),
    'Blocks come only with transactions, as on a development chain: a head that does not move is not old.',
    false,
  ),
}
const gasObject = exact('true, false or { strategy? }', gasMembers)
const gas = choice<GasConfig | boolean>(
  gasObject.expected,
  (value) => (typeof value === 'boolean' ? boolean : gasObject),
  [boolean, gasObject],
)

/** A selection policy of the operator. */
const policy = is<UpstreamOrder>(
  'a function, which only a .ts or .js configuration can have',
  (value) => typeof value === 'function',
  () => ({ not: {} }),
)

/** Names every kind: a network of an unknown one is checked as one of EVM. */
const anyKind = Object.keys(chainKinds)
  .map((name) => `"${name}"`)
  .join(', ')
  .replace(/, (?=[^,]*$)/, ' or ')

function kind<K extends string>(...kinds: readonly K[]): Schema<K> {
  return is(
    anyKind,
    (value) => (kinds as readonly unknown[]).includes(value),
    () => ({ enum: kinds }),
  )
}

const followHeads = setting(
  shown(boolean),
  'Whether the gateway follows the heads of its upstreams: it asks them for their chain and their latest block while there are callers, and leaves alone those of another chain and those that are behind.',
  true,
)
const shared = {
  policy: setting(
    policy,
    'Chooses the order of upstreams for each call; of a TypeScript or JavaScript configuration only. Default: the best one first.',
  ),
  cache: setting(shown(noCache), '`false`: none of its answers is kept.'),
  timeouts: setting(
    timeouts,
    'Longest waits for answers to begin, in place of `limits.requestTimeoutMs`: shorter or longer.',
  ),
}

const evmMembers = {
  kind: shown(kind('evm', 'rollup')),
  chainId: setting(
    shown(integer('a chain id as a decimal number', 1)),
    'Default: its nodes are asked at the first start, and `dataDir` keeps their answer.',
  ),
  upstreams: required(nonEmptyArray(upstreamSchema), 'http(s) and ws(s) URLs. Subscriptions need a ws(s) one.'),
  broadcast: setting(
    shown(integer('a number of upstreams', 1, 100)),
    'Upstreams that get a signed transaction at once; the first success is the answer.',
    1,
  ),
  rollupNode: setting(
    url('an http or https URL', ['http:', 'https:']),
    "The rollup node's own URL: `rollup_getInfo` is derived from it if no upstream has that method.",
  ),
  followHeads,
  rollupMode: setting(
    shown(oneOf('sequencer', 'verifier')),
    'Whether the node is the sequencer. Default: as the rollup node tells, else `verifier`.',
  ),
  verify: setting(
    verify,
    'How answers of upstreams are checked: not at all; for agreement with themselves and with the request; or by a proof, for each answer that has one.',
    'off',
  ),
  consensus: setting(
    consensus,
    'Has calls of some methods asked of several upstreams, whose answers are compared. Default: one is asked.',
  ),
  gas: setting(
    gas,
    'Gas fee suggestions (Spec §4.11); `false`: none. Default, and `true`: those of the strategy `wayleave`.',
  ),
  ...shared,
}
const evm = exact('a network', evmMembers, {
  specVersion: 'no such member: only a network of kind starknet has it',
})

const notOfStarknet = 'no such member: a network of kind starknet has none'
const starknet = exact(
  'a network',
  {
    kind: shown(kind('starknet')),
    chainId: setting(
      shown(
        stringThat('a chain id as text, such as SN_MAIN, or as a felt in hex', (id) => chainFelt(id) !== undefined),
      ),
      'As a text of at most 31 characters, such as `SN_MAIN`, or as a felt in hex. Default: its nodes are asked at the first start, and `dataDir` keeps their answer.',
    ),
    upstreams: required(
      nonEmptyArray(unverifiedUpstream(notOfStarknet)),
      'http(s) and ws(s) URLs of nodes; each may speak any version of the interface.',
    ),
    followHeads,
    specVersion: setting(
      shown(oneOf('0.5.1', '0.6', '0.7', '0.8', '0.9', '0.10')),
      'The version of the interface for callers that name none in their path.',
      '0.5.1',
    ),
    ...shared,
  },
  {
    broadcast: notOfStarknet,
    rollupNode: notOfStarknet,
    rollupMode: notOfStarknet,
    verify: notOfStarknet,
    consensus: notOfStarknet,
    gas: notOfStarknet,
  },
)

const notOfJsonrpc = 'no such member: a network of kind jsonrpc has none'
/** Names as nodes of any chain have them: `getBlock`, `state.call`, `chain_getBlock`. */
const methodName = text('the exact name of a method', /^[\w.$:/-]{1,128}$/)
const chainAnswer: Schema<string | number> = shown(
  is(
    'a text, not all blank, or a number',
    (value) => (typeof value === 'string' ? value.trim() !== '' : Number.isFinite(value)),
    () => ({
      type: ['string', 'number'],
    }),
  ),
)
const chainCheck = exact('{ method, params?, result }', {
  method: required(shown(methodName), 'The question, such as `getblockhash` or `getGenesisHash`.'),
  params: setting(array(anything), 'Its params, by position. Default: none.'),
  result: required(
    chainAnswer,
    'The answer, such as the hash of the first block. An upstream that gives another one is left alone.',
  ),
})
const jsonrpc = exact(
  'a network',
  {
    kind: shown(kind('jsonrpc')),
    methods: required(
      exact('{ allow }', {
        allow: required(nonEmptyArray(shown(methodName)), 'Exact names. Calls of all others are refused with -32601.'),
      }),
      'Of kind `jsonrpc`: the methods that callers may use. Nothing is known of what a method does, so each has to be named.',
    ),
    chain: setting(
      chainCheck,
      'Of kind `jsonrpc`: a question that tells the chain, asked of each upstream before its first call and after a lost connection. Default: upstreams are taken as they are.',
    ),
    upstreams: required(
      nonEmptyArray(unverifiedUpstream(notOfJsonrpc)),
      'http(s) and ws(s) URLs of nodes. A call that may have arrived at one is not sent to another.',
    ),
    policy: shared.policy,
    timeouts: shared.timeouts,
  },
  {
    chainId: `${notOfJsonrpc}; chain: { method, result } names an answer that its nodes give`,
    cache: notOfJsonrpc,
    followHeads: notOfJsonrpc,
    broadcast: notOfJsonrpc,
    verify: notOfJsonrpc,
    consensus: notOfJsonrpc,
    gas: notOfJsonrpc,
  },
)

const networks = { evm, rollup: evm, starknet, jsonrpc } satisfies Record<KindName, unknown>

export const networkSchema = choice<NetworkConfig>(
  'a network',
  (value) => (isObject(value) && isKindName(value['kind']) ? networks[value['kind']] : evm),
  [...new Set(Object.values(networks))],
)

/** The first segment of a path is a network, unless it is one of these. */
export const slug: Schema<string> = text(
  'a slug of lower-case letters, digits and -, that is not a path of its own',
  /^(?!(?:ws|healthz|readyz|networks|v\d+)$)[a-z0-9][a-z0-9-]{0,62}$/,
)

/** Gas fee suggestions of a network. */
export type GasConfig = TypeOf<typeof gasObject>

/** A network of EVM, or a rollup. */
export type EvmNetworkConfig = TypeOf<typeof evm>

/** A network of Starknet. */
export type StarknetNetworkConfig = TypeOf<typeof starknet>

/** A network of any chain whose nodes speak JSON-RPC; it has none of the members that need to know the chain. */
export type JsonrpcNetworkConfig = TypeOf<typeof jsonrpc> & {
  /** Never written: the result of `chain`, or else the slug, takes its place. */
  readonly chainId?: string
  readonly cache?: undefined
  readonly followHeads?: false
}

/** One network; its members depend on its kind. */
export type NetworkConfig = EvmNetworkConfig | StarknetNetworkConfig | JsonrpcNetworkConfig

/** A network of a kind whose nodes report their chain and their heads. */
export type ReportingNetworkConfig = Extract<NetworkConfig, { readonly kind: ReportingKind }>

/** Whether the nodes of a network report their chain and their heads. */
export function reportsChain(network: NetworkConfig): network is ReportingNetworkConfig {
  return chainKinds[network.kind].reportsChain
}

/** A network whose chain is known. */
export type PinnedNetwork = NetworkConfig & { readonly chainId: number | string }

/**
 * Returns a network with its chain as it is written; where nodes report none, the answer of its chain check, or else `name`, takes its place.
 * Undefined: its nodes have to be asked.
 */
export function asWritten(name: string, network: NetworkConfig): PinnedNetwork | undefined {
  if (!reportsChain(network)) return { ...network, chainId: String(chainCheckOf(network)?.result ?? name) }
  return network.chainId === undefined ? undefined : (network as PinnedNetwork)
}

export const gasDefaults = defaultsOf(gasMembers)
export const networkDefaults = defaultsOf(evmMembers)

/** Picks out the settings that only EVM networks and rollups have. */
export function evmSettings(network: NetworkConfig): EvmNetworkConfig | undefined {
  return network.kind === 'evm' || network.kind === 'rollup' ? network : undefined
}

/** Whether answers of some upstream of a network are checked. */
export function verifies(network: NetworkConfig): boolean {
  const { upstreams, verify: usual = networkDefaults.verify } = evmSettings(network) ?? { upstreams: [] }
  return upstreams.some((upstream) => ((typeof upstream === 'string' ? undefined : upstream.verify) ?? usual) !== 'off')
}

/** Picks the question that tells the chain, of a kind whose nodes report none. Undefined: none is asked. */
export function chainCheckOf(network: NetworkConfig): JsonrpcNetworkConfig['chain'] {
  return 'chain' in network ? network.chain : undefined
}

/** Picks the exact names of the methods that callers may use. Undefined: all are served. */
export function allowedMethodsOf(network: NetworkConfig): readonly string[] | undefined {
  return 'methods' in network ? network.methods.allow : undefined
}

/** Picks the version of the interface that callers speak who name none, where the kind has several. */
export function apiVersionOf(network: NetworkConfig): string | undefined {
  return 'specVersion' in network ? network.specVersion : undefined
}
