import type { CallOptions } from '@wayleave/jsonrpc-core'
import type { StarknetSchema, StarknetVersion } from '@wayleave/starknet-types'
import { loadOnce } from '../load-once.ts'
import type { UncheckedCall } from './starknet-calls.ts'
import { starknetEffect } from './starknet-effect.ts'

type NameOf<M> = M extends `starknet_${infer Name}`
  ? Name extends `subscribe${string}` | 'unsubscribe'
    ? never
    : Name
  : never

/** One method, which takes its params by name or by position, or nothing if it has none. @throws SchemaError, RpcError */
type Method<Params, Result> = [] extends Params
  ? (options?: CallOptions) => Promise<Result>
  : (params: Params, options?: CallOptions) => Promise<Result>

/**
 * The `starknet_*` methods of a version: `estimateFee`, `simulateTransactions`, `getNonce` … Each takes params by name,
 * `{ request, block_id }`, or by position, and checks them before it sends them. Answers are typed but not checked: nodes add
 * and omit members, and a transaction of a kind that the version lacks comes as it is. The code loads with the first call.
 * Source: Spec §4.9, §4.10.
 */
export type StarknetClient<V extends StarknetVersion = '0.5.1'> = V extends StarknetVersion
  ? {
      readonly [M in keyof StarknetSchema<V> as NameOf<M>]: Method<
        StarknetSchema<V>[M]['params'],
        StarknetSchema<V>[M]['result']
      >
    }
  : never

/** Creates Starknet methods whose code and table load with the first call. */
export function starknetMethods<V extends StarknetVersion>(version: V, call: UncheckedCall): StarknetClient<V> {
  const load = loadOnce(async () => (await import('./starknet-calls.ts')).createStarknetCall(version, call))
  // The table of the version, which lists its methods, is not loaded yet; no method is called `then`.
  return new Proxy({} as StarknetClient<V>, {
    get(_methods, name) {
      const method = `starknet_${String(name)}`
      if (starknetEffect(method) === undefined) return undefined
      return async (first?: unknown, second?: CallOptions) => (await load())(method, first, second)
    },
  })
}
