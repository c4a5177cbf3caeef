import type { Schema } from './schema.ts'

/** The checks and facts of one JSON-RPC method, as data that policies are derived from. */
export interface MethodRules<in out Params, in out Result> {
  readonly params: Schema<Params>
  readonly result: Schema<Result>
  /** Names of the params, for help and documents; a trailing `?` marks one that may be absent. */
  readonly paramNames?: readonly string[]
  /**
   * `read` may be repeated, cached and shared; `write` is sent once;
   * `session` needs a connection that can be pushed to.
   */
  readonly effect: 'read' | 'write' | 'session'
  /** The index of the block parameter. */
  readonly blockParam?: number
  /**
   * How long an answer stays true, for caches. Absent: it must not be kept at all.
   *
   * - `fixed`: for ever. It follows from the params alone, or from the data that a hash among them names.
   * - `block`: as long as the block at `blockParam` stays in its place: for ever if that is a hash without
   *   `requireCanonical`, or a final number; else until the head moves, or for `safe` and `finalized` until these move.
   * - `range`: the same for the first param's `blockHash`; without one, for both its ends: for ever if `fromBlock` and
   *   `toBlock` are final numbers. An absent end is `latest`.
   * - `result`: the same for the block that the answer names by `blockHash` and `blockNumber`, in itself or in its first
   *   element; an answer that names none must not be kept.
   * - `head`: until the head moves.
   *
   * Never kept are an error, null, `0x` under `fixed`, an answer on the `pending` block (there was nothing yet), and
   * `debug_traceBlock*` with an `error` among its traces (a tracer that ran out of time). A network that fills in members
   * later, as zkSync does `l1BatchNumber`, is an exception: there only final answers hold for ever.
   */
  readonly cache?: 'fixed' | 'block' | 'range' | 'result' | 'head'
  /**
   * Paths to the contracts and accounts that a call reads, runs or overrides: `0`, `0.to`, `0.address`.
   * Neither `from` of a call that is only tried out nor access lists belong here: nothing is read there. Empty: it reads accounts that no
   * param names, as a signed transaction does.
   */
  readonly addressPaths?: readonly string[]
  /** Present on a method that opens a subscription. */
  readonly subscription?: SubscriptionFacts
}

/** The checks and facts of one JSON-RPC method, and a sentence about it. */
export interface MethodSpec<in out Params, in out Result> extends MethodRules<Params, Result> {
  /** One sentence. */
  readonly summary: string
  /** The definition of the method: `Spec §4.2`, or a collection that has it by its name: `execution-apis`. */
  readonly source: string
}

export interface SubscriptionFacts {
  /** The method that ends it, called with the subscription's id. */
  readonly unsubscribe: string
  /** The method of its notifications. */
  readonly event: string
}

/** The params and the result of one method. */
export interface RpcMethod {
  readonly params: unknown
  readonly result: unknown
}

/** An RPC schema as a record of methods, the type parameter of `createRpcClient`. */
export type RpcSchema<S> = { readonly [M in keyof S]: RpcMethod }

/** The method table of a schema: one spec for each of its methods. */
export type MethodTable<S extends RpcSchema<S>> = {
  readonly [M in keyof S]: MethodSpec<S[M]['params'], S[M]['result']>
}

/** The same without sentences: the rules of each method. */
export type RuleTable<S extends RpcSchema<S>> = {
  readonly [M in keyof S]: MethodRules<S[M]['params'], S[M]['result']>
}

/** The facts of a table without its types. */
export type MethodFacts = Readonly<
  Record<
    string,
    Pick<
      MethodSpec<never, never>,
      'effect' | 'blockParam' | 'cache' | 'addressPaths' | 'subscription' | 'summary' | 'paramNames'
    >
  >
>
