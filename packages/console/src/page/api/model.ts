import type { LiveAttempt, LiveCall } from '@wayleave/admin-api'

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
  /** Parts that the gateway has. An older one does not tell of each. */
  readonly apis?: Readonly<Partial<Record<string, boolean>>>
  /** With the answer to a sign-in alone. */
  readonly csrf?: string
}

export interface SessionNetwork {
  readonly name: string
  readonly kind: string
  readonly chainId?: number | string
}

/** The words of `/explain/<id>` on one call. Its time is ISO 8601. */
export interface Explanation extends Omit<LiveCall, 'process' | 'time' | 'attempts'> {
  readonly time: string
  readonly cause: string
  readonly attempts: readonly (LiveAttempt & { readonly text: string })[]
  readonly candidates: readonly { readonly upstream: string; readonly reason: string; readonly text: string }[]
  readonly verification?: string
  readonly sharedWith?: string
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
  readonly health?: string
  readonly head?: number
  readonly lag?: number
  readonly breaker?: string
  readonly oldest?: Readonly<Record<string, number>>
}

interface NetworkStatus {
  readonly state: string
  /** When a look first found that no upstream can be used. */
  readonly since?: number
  readonly upstreams: readonly UpstreamStatus[]
}

/** The answer to `GET /status`. */
export interface Status {
  readonly phase: string
  readonly degraded: readonly string[]
  readonly networks: Readonly<Record<string, NetworkStatus>>
  readonly [part: string]: unknown
}
