import type { VerificationLevel } from '@wayleave/evm-verify'

/** All that one run does, as plain data that survives JSON. Times are virtual ms since its beginning. */
export interface Plan {
  readonly seed: number
  readonly lengthMs: number
  /** Time between two blocks, in ms. */
  readonly blockMs: number
  /** The verification of upstreams that name none. */
  readonly verify: VerificationLevel
  readonly upstreams: readonly UpstreamPlan[]
  readonly reorgs: readonly ReorgPlan[]
  /** Heights of eight at which no block is made during the run: 1 to 4. Default: none. */
  readonly holes?: number
  readonly faults: readonly FaultPlan[]
  /** Spans in which the operator takes an upstream out of use. Default: none. */
  readonly cordons?: readonly CordonPlan[]
  readonly projects: readonly ProjectPlan[]
  /** Whether most blocks hold logs of several contracts. Default: those of one alone. */
  readonly emits?: boolean
  /** Whether subscribers are served by the parts of evm-events alone, over the gateway's pool. Default: by the gateway. */
  readonly hasBareStreams?: boolean
  /** Callers who follow the chain over WebSocket. Default: none. */
  readonly subscribers?: readonly SubscriberPlan[]
  /** Callers who poll a filter over HTTP. Default: none. */
  readonly pollers?: readonly PollerPlan[]
  /** In order of time. */
  readonly calls: readonly CallPlan[]
  /** `false`: no answers are cached. Default: the gateway's own cache. */
  readonly cache?: false
  /** Limits of the gateway that differ from its defaults. */
  readonly limits?: Readonly<Record<string, number>>
}

/** The software or the provider in whose words a node fails. */
export const nodeClients = ['geth', 'erigon', 'nethermind', 'besu', 'reth', 'infura', 'alchemy', 'quicknode'] as const
export type NodeClient = (typeof nodeClients)[number]

export interface UpstreamPlan {
  readonly name: string
  readonly client: NodeClient
  /** `http` cannot push; `both` has a WebSocket beside its HTTP; `socket` has nothing else. */
  readonly transport: 'http' | 'both' | 'socket'
  readonly tier: 'primary' | 'fallback'
  /** Projects of this group alone may ask it, beside those of none. Default: any may. */
  readonly group?: string
  readonly verify?: VerificationLevel
  /** Median time from a question to its answer, in ms. */
  readonly latencyMs: number
  /** Median time from a block's birth until the node has it, in ms. */
  readonly blockDelayMs: number
  /** Blocks below its head whose state it has. Default: all. */
  readonly stateBlocks?: number
  /** Blocks below its head that it has, with their receipts and logs. Default: all. */
  readonly keptBlocks?: number
  /** Longest range of `eth_getLogs`, in blocks. Default: any. */
  readonly maxRange?: number
  /** It answers an empty list about the logs of a block that it does not have. Default: an error. */
  readonly emptyForUnknown?: boolean
}

export interface ReorgPlan {
  readonly at: number
  /** Blocks that leave the chain: 1 to 64. */
  readonly depth: number
}

/** The ways in which a node fails, each a function of its name's sense in `world/faults.ts`. */
export const faultKinds = [
  /** Connections are refused, and those that are open are reset. */
  'crash',
  /** Connections are accepted, and nothing is ever answered. */
  'hang',
  /** Its head stays `amount` blocks behind. */
  'lag',
  /** Its head stands still. */
  'freeze',
  /** Answers are false: `variant` picks the lie. */
  'lie',
  /** It follows a chain of its own making from `amount` blocks below the head, with true hashes. */
  'forge',
  /** Bodies end too soon; `variant` 0: the connection is reset, 1: the body ends in good order. */
  'truncate',
  /** Bytes of bodies are replaced. */
  'garble',
  /** Calls are refused: `variant` 0: 429, 1: 429 with `Retry-After`, 2: -32005 beside 200, 3: 429 with an error beside it. */
  'rate_limit',
  /** It keeps state (`variant` 0) or blocks (1) of the last `amount` blocks only. */
  'prune',
  /** It serves another chain, and says so when asked for its id (`variant` 0) or does not (1). */
  'other_chain',
  /** Answers are `null` (`variant` 0), empty lists (1), empty bodies (2) or `{}` (3). */
  'empty',
  /** It crashes and comes back every `amount` ms. */
  'flap',
  /** It starts again from `amount` blocks below, and catches up, one block every 50 ms. */
  'restart_old',
  /** It answers errors beside status 200 in its client's words; `variant` picks among them. */
  'error_words',
  /** Its WebSockets break in the middle of a frame. */
  'drop_socket',
  /** Answers take `amount` ms longer. */
  'late',
  /** Pushes come twice. */
  'duplicate_push',
  /** Pushes come in another order. */
  'shuffle_push',
  /** No pushes come, while calls are answered. */
  'mute_push',
  /** Bodies stop in the middle and never end. */
  'stall_mid_body',
  /** Transactions are taken, and called known already. */
  'already_known',
  /** Transactions are taken, and the connection is reset. */
  'accept_then_reset',
  /** Transactions are taken, and nothing is answered. */
  'accept_then_hang',
  /** Gateway errors of a load balancer in HTML: 502, 503 or 504 by `variant`. */
  'bad_gateway',
] as const
export type FaultKind = (typeof faultKinds)[number]

/** One upstream fails in one way for a while. */
export interface FaultPlan {
  /** The upstream's name. */
  readonly upstream: string
  readonly kind: FaultKind
  readonly at: number
  readonly forMs: number
  /** The part of calls that it meets, 0 to 1. Default 1. Only for faults of single calls. */
  readonly rate?: number
  /** How much, in the unit of the kind. */
  readonly amount?: number
  readonly variant?: number
}

export interface CordonPlan {
  /** The upstream's name. */
  readonly upstream: string
  readonly at: number
  readonly forMs: number
}

export interface ProjectPlan {
  readonly name: string
  /** It asks far more than its share. */
  readonly greedy: boolean
  /** It may ask the upstreams of this group alone. Default: all. */
  readonly group?: string
}

/** An act of one caller at one moment. */
export interface CallPlan {
  readonly id: number
  readonly at: number
  readonly project: string
  readonly kind: 'read' | 'batch' | 'write' | 'subscribe' | 'unsubscribe' | 'leave'
  /** The caller's WebSocket; calls of the same number share it. Absent: HTTP. */
  readonly connection?: number
  /** One; several for a batch; none for `leave`. */
  readonly questions: readonly Question[]
  readonly deadlineMs: number
}

/** The kinds of subscriptions whose events are judged. */
export type StreamKind = 'newHeads' | 'logs' | 'transactionReceipts' | 'newPendingTransactions'

/** A caller with one subscription on a WebSocket of its own, who comes back when that ends, and goes on where it ended. */
export interface SubscriberPlan {
  readonly id: number
  readonly at: number
  readonly project: string
  readonly kind: StreamKind
  /** The filter of `logs`, with symbols as in a question. */
  readonly filter?: Readonly<Record<string, unknown>>
  /** It begins so many blocks below the head. Default: at the next block. */
  readonly fromDepth?: number
  /** When its connection breaks. */
  readonly drops: readonly number[]
  /** Time until it comes back. */
  readonly awayMs: number
  /** When it leaves for good. Default: at the end of the run. */
  readonly leavesAt?: number
}

/** A caller who polls one filter until the end of the run. */
export interface PollerPlan {
  readonly id: number
  readonly at: number
  readonly project: string
  readonly kind: 'logs' | 'blocks'
  readonly filter?: Readonly<Record<string, unknown>>
  readonly everyMs: number
}

/**
 * A call's method and params. Texts in them that begin with `$` mean something of the chain, at the time of the call:
 * `$number:head-3`, `$hash:head-3` (a block), `$tx:7` (the hash of transaction 7 of the callers), `$raw:7` (its bytes), `$mined:5` (the hash
 * of the fifth last transaction of the chain), `$account:2`, `$contract`, `$witness`, `$emitter:1`, `$event:1` (a contract and a topic of `emits`), `$subscription:12` (the id that call 12 was given).
 */
export interface Question {
  readonly method: string
  readonly params: readonly unknown[]
}
