import type { MethodSpec, RpcSchema, Schema, SubscriptionFacts } from '@wayleave/jsonrpc-core/schema'
import type { StarknetErrorCode } from './errors.ts'
import { paramsOf } from './params.ts'
import { type Changes, factsIn, type MinorVersion } from './versions.ts'

/** The methods by which a subscription of the Starknet RPC tells and ends. Its notifications have `subscription_id` and `result` as params. */
export interface StarknetSubscriptionFacts extends SubscriptionFacts {
  /** The method of the notification that blocks were orphaned, under the same subscription. */
  readonly reorg?: 'starknet_subscriptionReorg'
}

/** The facts of one method of one version of the Starknet RPC. */
export interface StarknetMethodSpec<in out Params, in out Result> extends MethodSpec<Params, Result> {
  /** In positional order; by name the same ones are the members of an object. */
  readonly paramNames: readonly string[]
  /** Codes of the errors that the specification allows the method; see `starknetErrors`. */
  readonly errors: readonly StarknetErrorCode[]
  readonly subscription?: StarknetSubscriptionFacts
}

/** The method table of a version's schema. */
export type StarknetMethodTable<S extends RpcSchema<S>> = {
  readonly [M in keyof S]: StarknetMethodSpec<S[M]['params'], S[M]['result']>
}

type Facts = StarknetMethodSpec<never, never>

type Changing = Pick<Facts, 'paramNames' | 'errors' | 'blockParam'>

/** The facts of one method in all versions. Its `source` is starknet-specs, if it names no other. */
export interface MethodRow extends Omit<Facts, keyof Changing | 'params' | 'result' | 'source'> {
  readonly source?: string
  /** The facts that differ between versions. */
  readonly since: Changes<Changing>
}

/** Schemas of params by position. */
type SchemasOf<Params> = Params extends readonly unknown[]
  ? { readonly [I in keyof Params]-?: Schema<Exclude<Params[I], undefined>> }
  : never

/** The spec of a method in one version. `schemas`: of its params in that version, by position. */
export function specOf<Params, Result>(
  minor: MinorVersion,
  { since, source = 'starknet-specs', ...facts }: MethodRow,
  schemas: SchemasOf<Params>,
  result: Schema<Result>,
): StarknetMethodSpec<Params, Result> {
  const changing = factsIn(minor, since)
  return { source, ...facts, ...changing, params: paramsOf<Params>(changing.paramNames, schemas), result }
}
