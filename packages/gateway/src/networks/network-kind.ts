import type { Clock, RpcContext, RpcHandler, RpcMiddleware } from '@wayleave/jsonrpc-core'
import type { MethodFacts } from '@wayleave/jsonrpc-core/schema'
import type { Endpoint, PoolOptions } from '@wayleave/upstream'

/** What the rules of a network may ask besides its upstreams. */
export interface NetworkSources {
  /** The rollup node beside an execution node, where one is configured. */
  readonly rollupNode: RpcHandler | undefined
  /** As configured; undefined: as the rollup node says. */
  readonly rollupMode: 'sequencer' | 'verifier' | undefined
  readonly clock: Clock
}

export interface EventOptions {
  /** Whether any upstream carries subscriptions. */
  readonly canPush: boolean
}

/** The glue between a family's method table and the gateway's policies. */
export interface NetworkKind {
  readonly facts: MethodFacts
  /** Present where the family's interface has several versions that are in use side by side. */
  readonly dialects?: Dialects
  /** Subscriptions as this kind has them. */
  events(options: EventOptions): RpcMiddleware<RpcContext>
  /** The specification's rules for calls of this kind; everything else passes as it came. */
  normalise(sources: NetworkSources): RpcMiddleware<RpcContext>
}

/** The versions of a family's interface. */
export interface Dialects {
  /** What a caller speaks where neither path nor configuration says it. */
  readonly usual: string
  /** What paths call them, oldest first: `v0_8`. */
  readonly segments: readonly string[]
  /** The dialect that a segment of a path names. */
  ofSegment(segment: string): string | undefined
  /** Endpoints that take calls of every dialect, whichever they speak themselves, and what a pool of them has to know. */
  translate(endpoints: readonly Endpoint[], options: TranslateOptions): Translation
}

export interface TranslateOptions {
  readonly clock: Clock
  /** Longest answer that is held to be translated, in bytes. */
  readonly maxBytes: number
  /** Hears, once for each, of a version that an endpoint speaks and that is newer than all that are known here. */
  readonly onNewer: (endpoint: Endpoint, version: string) => void
}

export type Translation = Required<Pick<PoolOptions, 'endpoints' | 'prefers' | 'isRefusal' | 'isLastResort'>>
