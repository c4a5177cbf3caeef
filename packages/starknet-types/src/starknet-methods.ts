import type { StarknetMethodSpec } from './method-spec.ts'
import type { StarknetVersion } from './versions.ts'
import * as v0_10 from './versions/v0-10.ts'
import * as v0_5 from './versions/v0-5.ts'
import * as v0_6 from './versions/v0-6.ts'
import * as v0_7 from './versions/v0-7.ts'
import * as v0_8 from './versions/v0-8.ts'
import * as v0_9 from './versions/v0-9.ts'

/** The methods of each version, by name: checks and facts. */
export interface StarknetMethods {
  readonly '0.5.1': typeof v0_5
  readonly '0.6': typeof v0_6
  readonly '0.7': typeof v0_7
  readonly '0.8': typeof v0_8
  readonly '0.9': typeof v0_9
  readonly '0.10': typeof v0_10
}

/** Params and result of every method of a version: `StarknetSchema<'0.8'>['starknet_estimateFee']['params']`. */
export type StarknetSchema<V extends StarknetVersion> = {
  readonly [M in keyof StarknetMethods[V]]: StarknetMethods[V][M] extends StarknetMethodSpec<infer Params, infer Result>
    ? { readonly params: Params; readonly result: Result }
    : never
}

/** Checks and facts of every method of every version, by name. */
export const starknetMethods: StarknetMethods = {
  '0.5.1': v0_5,
  '0.6': v0_6,
  '0.7': v0_7,
  '0.8': v0_8,
  '0.9': v0_9,
  '0.10': v0_10,
}
