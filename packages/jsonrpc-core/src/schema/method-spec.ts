import type { Schema } from './schema.ts'

/** The facts of one JSON-RPC method, as data: who needs a policy derives it from here. */
export interface MethodSpec<in out Params, in out Result> {
  /** One sentence. */
  readonly summary: string
  /** Where the method is defined: `Spec §4.2`. */
  readonly source: string
  readonly params: Schema<Params>
  readonly result: Schema<Result>
  /** What each param is called, for help and documents; a trailing `?` marks one that may be absent. */
  readonly paramNames?: readonly string[]
  /**
   * `read` may be repeated, cached and shared; `write` is sent once;
   * `session` needs a connection that can be pushed to.
   */
  readonly effect: 'read' | 'write' | 'session'
  /** Which param is the block parameter. */
  readonly blockParam?: number
  /** Where contract or account addresses stand in the params: `0`, `0.to`, `0.address`. */
  readonly addressPaths?: readonly string[]
  /** Present on a method that opens a subscription. */
  readonly subscription?: SubscriptionFacts
}

export interface SubscriptionFacts {
  /** The method that ends it, called with the subscription's id. */
  readonly unsubscribe: string
  /** The method of its notifications. */
  readonly event: string
}

/** What one method of a schema takes and gives. */
export interface RpcMethod {
  readonly params: unknown
  readonly result: unknown
}

/** A record-shaped RPC schema: what `createRpcClient` is typed by. */
export type RpcSchema<S> = { readonly [M in keyof S]: RpcMethod }

/** The method table of a schema: one spec for each of its methods. */
export type MethodTable<S extends RpcSchema<S>> = {
  readonly [M in keyof S]: MethodSpec<S[M]['params'], S[M]['result']>
}

/** A table whose types do not matter, only its facts. */
export type MethodFacts = Readonly<
  Record<
    string,
    Pick<MethodSpec<never, never>, 'effect' | 'blockParam' | 'addressPaths' | 'subscription' | 'summary' | 'paramNames'>
  >
>
