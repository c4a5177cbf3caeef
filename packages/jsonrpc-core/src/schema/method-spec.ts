import type { Schema } from './schema.ts'

/** The facts of one JSON-RPC method, as data: who needs a policy derives it from here. */
export interface MethodSpec<in out Params, in out Result> {
  /** One sentence. */
  readonly summary: string
  /** Where the method is defined: `Spec §4.2`, or a collection that has it by its name: `execution-apis`. */
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
  /**
   * How long an answer stays true, for who keeps answers. Absent: it is not to be kept at all.
   *
   * - `fixed`: for ever. It follows from the params alone, or from what a hash among them names.
   * - `block`: as long as the block at `blockParam` stays where it is: for ever where that is a hash without
   *   `requireCanonical`, or a number that is final; else until the head moves, on `safe` and `finalized` until these do.
   * - `range`: the same, of the first param's `blockHash`; without one, of both its ends: for ever where `fromBlock` and
   *   `toBlock` are numbers that are final. An absent end is `latest`.
   * - `result`: the same, of the block that the answer names by `blockHash` and `blockNumber`, in itself or in its first
   *   element; where it names none, it is not to be kept.
   * - `head`: until the head moves.
   *
   * Never to be kept: an error, null, `0x` where it is `fixed`, an answer on the `pending` block (there was nothing yet),
   * and `debug_traceBlock*` with an `error` among its traces (a tracer that ran out of time). A network that fills in
   * members later, as zkSync does `l1BatchNumber`, makes an exception: there only what is final holds for ever.
   */
  readonly cache?: 'fixed' | 'block' | 'range' | 'result' | 'head'
  /**
   * Where the contracts and accounts stand that a call reads, runs or pretends to be otherwise: `0`, `0.to`, `0.address`.
   * Not `from` of what is only tried out, nor access lists: nothing is read there.
   */
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
    Pick<
      MethodSpec<never, never>,
      'effect' | 'blockParam' | 'cache' | 'addressPaths' | 'subscription' | 'summary' | 'paramNames'
    >
  >
>
