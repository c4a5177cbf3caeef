import type { FiltersOptions, GetLogsOptions } from '@wayleave/evm-events'
import type {
  Clock,
  RawJson,
  RpcErrorObject,
  RpcContext,
  RpcHandler,
  RpcMiddleware,
  RpcRequest,
  RpcResponse,
} from '@wayleave/jsonrpc-core'
import type { MethodFacts } from '@wayleave/jsonrpc-core/schema'
import type { ComparisonOptions, Endpoint, HeadReader, PoolOptions, Position } from '@wayleave/upstream'
import type { CacheKind } from './cache-kind.ts'
import type { AddressesOf } from './call-addresses.ts'
import type { ChainKind } from './chain-kinds.ts'
import type { ErrorAction } from './error-actions.ts'
import type { FlashblocksKind } from './evm-flashblocks.ts'
import type { RangeKind } from './evm-ranges.ts'
import type { SigningKind } from './evm-sent.ts'
import type { SenderNonce } from './evm-reported.ts'
import type { HistoryKind } from './history-kind.ts'
import type { Need } from './needs.ts'
import type { SenderKind } from './evm-senders.ts'
import type { Stage } from './stage.ts'

/** The nodes beside a network's upstreams that its rules may ask. */
export interface NetworkSources {
  /** The rollup node beside an execution node, where one is configured. */
  readonly rollupNode: RpcHandler | undefined
  /** As configured; undefined: as the rollup node says. */
  readonly rollupMode: 'sequencer' | 'verifier' | undefined
  /** Returns the header of the head that is served; undefined where none is known now. Default: none is followed. */
  readonly header?: (() => RawJson | undefined) | undefined
  readonly clock: Clock
}

/** A question to which all nodes of a chain give one answer, and nodes of other chains another one. */
export interface ChainCheck {
  readonly method: string
  /** Default: none. */
  readonly params?: readonly unknown[] | undefined
  /** The answer, such as the hash of the chain's first block. */
  readonly result: string | number
}

export interface EventOptions {
  /** Whether any upstream carries subscriptions. */
  readonly canPush: boolean
  /** Whether callers without a session may subscribe, who hold what they opened by themselves, as a program does. Default: they are refused, as callers over HTTP have to be. */
  readonly withoutSession?: boolean | undefined
  /** Returns bytes that nobody can guess, for the ids of subscriptions. Default: the platform's. */
  readonly randomBytes?: ((count: number) => Uint8Array) | undefined
}

/** The glue between a family's method table and the gateway's policies. */
export interface NetworkKind extends ChainKind {
  readonly facts: MethodFacts
  /** Methods of `facts` that few nodes have: the reads are tried as a method in no table is. Default: none is such. */
  readonly rare?: MethodFacts
  /** The questions for chain and heads of its nodes. `expectedChain`: as {@link ChainKind.expectedChain} prints it. `check`: where nodes tell no chain. */
  heads(expectedChain: string, check?: ChainCheck): HeadReader
  /** Whether there are gas fees to suggest (Spec §4.11). */
  readonly servesGas: boolean
  /** The block that the answer to a call depends on; undefined: none. */
  needs(request: RpcRequest): Need | undefined
  /** Finds the addresses in a call, for allowlists; of a family with several versions, in the version that its caller speaks. */
  readonly addressesOf: AddressesOf
  /** The height that an answer tells its caller: the chain's head is no lower. Undefined: it tells none; above 2^53: the answer is false. */
  headOf(request: RpcRequest, response: RpcResponse): number | undefined
  /** The latest head in the answer to a question for it. Default: the family has no such question. */
  latestOf?(request: RpcRequest, response: RpcResponse): number | undefined
  /** The safe or finalized block in the answer to a question for it. Default: the family has no such question. */
  settledOf?(request: RpcRequest, response: RpcResponse): number | undefined
  /** The pending nonce that an answer tells. Default: none does. */
  nonceOf?(request: RpcRequest, response: RpcResponse): SenderNonce | undefined
  /** The question for the head at which a call was answered that says nothing of it, and must not be taken back. Default: no call is such. */
  headAfter?(request: RpcRequest): RpcRequest | undefined
  /** Sending of signed transactions. Default: no call of the family may be sent twice. */
  readonly signing?: SigningKind
  /** Calls that see the pending transactions of one sender, or send one. Default: no call is such. */
  readonly senders?: SenderKind
  /** Reads to which no sound node answers null, and whether their result is a list or another value. Default: null may be an answer to each. */
  readonly neverNull?: ReadonlyMap<string, 'list' | 'value'>
  /** How some nodes tell parts of blocks that are not sealed. Default: none does. */
  readonly flashblocks?: FlashblocksKind
  /** How nodes keep and prune their history. Default: as if all had all. */
  readonly history?: HistoryKind
  /** The consequence of a node's error for a call and for the node. */
  actionOf(request: RpcRequest, error: RpcErrorObject): ErrorAction
  /** Has a call ask at one block wherever it asks at the latest one, or answers it. Default: calls cannot be pinned. */
  pin?(request: RpcRequest, block: Position): RpcRequest | RpcResponse
  /** How answers are kept. Default: none is. */
  readonly cache?: CacheKind
  /** How the answers of several nodes are compared. Default: they are not. */
  readonly comparison?: Comparison
  /** Calls for ranges of blocks. Default: the family has none. */
  readonly ranges?: RangeKind
  /** Filters, served over a handler for blocks and logs of any range. Default: the family has none. */
  readonly filters?: { readonly methods: Stage['methods']; serve(options: FiltersOptions): RpcMiddleware<RpcContext> }
  /** Present where several versions of the family's interface are in use side by side. */
  readonly apiVersions?: ApiVersions
  /** Serves calls for logs of any range. Default: they pass. */
  logs?(options: GetLogsOptions): Stage
  /** Serves subscriptions. */
  events(options: EventOptions): Stage
  /** The specification's rules for calls of this kind. */
  rules(sources: NetworkSources): readonly Stage[]
}

/** How the answers of several nodes to one call are compared. */
export interface Comparison extends Pick<ComparisonOptions, 'rulesOf' | 'errorClassOf'> {
  /** Whether honest nodes give the same answer about a settled block, so that another one is false. */
  isExact(method: string): boolean
}

/** The versions of a family's interface. */
export interface ApiVersions {
  /** The version of callers where neither path nor configuration names one. */
  readonly usual: string
  /** The version of a call whose caller names none: the usual one, but where the call asks for it. */
  unnamed(request: RpcRequest): string
  /** Their names in paths, oldest first: `v0_8`. */
  readonly segments: readonly string[]
  /** Reads the version that a segment of a path names. */
  ofSegment(segment: string): string | undefined
  /** Makes endpoints that take calls of every version, whichever their nodes speak, and the facts about them that a pool needs. */
  translate(endpoints: readonly Endpoint[], options: TranslateOptions): Translation
}

export interface TranslateOptions {
  readonly clock: Clock
  /** Longest answer that is held to be translated, in bytes. */
  readonly maxBytes: number
  /** Called once for each version that an endpoint speaks and that is newer than all known ones. */
  readonly onNewer: (endpoint: Endpoint, version: string) => void
}

/** Endpoints that translate, and the facts about them that a pool needs. */
export interface Translation extends Required<Pick<PoolOptions, 'isRefusal' | 'isLastResort'>> {
  readonly endpoints: readonly Endpoint[]
  /** Whether an endpoint is asked before others for a call. */
  prefers(endpoint: Endpoint, request: RpcRequest): boolean
}
