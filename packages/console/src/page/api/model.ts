// What the admin listener answers beyond the API of @wayleave/admin-api. Times are Unix times in ms.

/** The answer to `GET /console/session`. All but the first three members are there for somebody who is signed in. */
export interface Session {
  readonly open: boolean
  readonly signedIn: boolean
  readonly version: string
  readonly name?: string
  readonly scopes?: readonly string[]
  readonly process?: string
  /** The origin of the JSON-RPC listener. */
  readonly rpc?: string
  readonly networks?: readonly SessionNetwork[]
  readonly apis?: { readonly ipfs: boolean; readonly gas: boolean }
  /** With the answer to a sign-in alone. */
  readonly csrf?: string
}

export interface SessionNetwork {
  readonly name: string
  readonly kind: string
  readonly chainId?: number | string
}

/** Counts of one step of time. */
export interface TrafficStep {
  readonly at: number
  readonly calls: number
  readonly errors: number
  /** Milliseconds; absent where nothing was called. */
  readonly p50?: number
  readonly p99?: number
  readonly cacheHits: number
  readonly cacheAsked: number
  readonly sockets: number
  readonly streams: number
}

export interface Traffic {
  /** Milliseconds. */
  readonly step: number
  /** Nothing is known of before. */
  readonly since: number
  readonly items: readonly TrafficStep[]
}

export interface LiveAttempt {
  readonly upstream: string
  /** Milliseconds after the call began. */
  readonly atMs: number
  /** How long it took, in ms; absent where it had no end of its own. */
  readonly ms?: number
  readonly isHedge: boolean
  readonly outcome: string
  readonly text?: string
}

/** A call that has ended. */
export interface LiveCall {
  readonly id: string
  readonly time: number | string
  readonly network?: string
  readonly method?: string
  readonly project?: string
  readonly keyId?: string
  readonly outcome: string
  readonly code?: number | string
  readonly ms: number
  readonly upstream?: string
  readonly cache?: string
  readonly attempts?: readonly LiveAttempt[]
  readonly queuedMs?: number
  readonly cause?: string
  readonly process?: string
}

/** The words of `/explain/<id>` on one call. */
export interface Explanation extends Omit<LiveCall, 'process'> {
  readonly cause: string
  readonly candidates?: readonly { readonly upstream: string; readonly reason: string; readonly text: string }[]
  readonly verification?: string
  readonly sharedWith?: string
}

export type Level = 'low' | 'medium' | 'high'

interface SuggestedFees {
  readonly suggestedMaxPriorityFeePerGas: string
  readonly suggestedMaxFeePerGas: string
  readonly minWaitTimeEstimate?: number
  readonly maxWaitTimeEstimate?: number
}

interface Kept {
  readonly withinBlocks: number
  readonly probability: number
  readonly kept: number
  readonly broken: number
  readonly pending: number
}

/** Fees of a network, and how its promises have held. Fees are gwei as decimal text. */
export interface GasState {
  readonly network: string
  readonly chainId: number | string
  readonly blockNumber: number
  readonly ageMs: number
  readonly suggested: Readonly<Record<Level, SuggestedFees>> & {
    readonly estimatedBaseFee: string
    readonly networkCongestion: number
    readonly baseFeeTrend?: string
    readonly priorityFeeTrend?: string
    readonly latestPriorityFeeRange?: readonly [string, string]
    readonly historicalBaseFeeRange?: readonly [string, string]
  }
  readonly promises: Readonly<Partial<Record<Level, Kept>>>
  readonly since: number
}

export interface GasBlock {
  readonly blockNumber: number
  readonly at: number
  readonly baseFee: string
  readonly low?: string
  readonly medium?: string
  readonly high?: string
}

export interface NetworkStreams {
  readonly network: string
  readonly sockets: number
  readonly eventStreams: number
  readonly kinds: readonly { readonly kind: string; readonly subscribers: number }[]
  readonly filters: readonly { readonly project: string; readonly count: number }[]
  readonly relays: number
}

export interface Pin {
  readonly cid: string
  readonly name?: string
  readonly bytes?: number
  readonly createdAt?: number
}

export interface ProcessState {
  readonly process: string
  readonly startedAt: number
  readonly version: string
  readonly workers?: number | readonly unknown[]
}

/** A state of `/status`. */
export interface PartState {
  readonly state: string
  readonly reason?: string
  readonly kind?: string
  readonly replicas?: number
  readonly serving?: number
  readonly count?: number
}

export interface UpstreamStatus {
  readonly name: string
  readonly state: string
  readonly reason?: string
  readonly out?: string
  readonly chain?: string
  readonly standing?: string
  readonly head?: number
  readonly lag?: number
  readonly breaker?: string
  readonly score?: number
  readonly oldest?: Readonly<Record<string, number>>
}

/** The answer to `GET /status`. */
export interface Status {
  readonly phase: string
  readonly degraded: readonly string[]
  readonly networks: Readonly<
    Record<string, { readonly state: string; readonly upstreams: readonly UpstreamStatus[] }>
  >
  readonly [part: string]: unknown
}
