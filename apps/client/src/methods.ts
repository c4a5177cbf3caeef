import { evmMethods, type EvmSchema } from '@wayleave/evm-types'
import type { CallOptions } from '@wayleave/jsonrpc-core'

/** A method of the table, except subscriptions, which are `subscribe` and `events`. */
export type CallMethod = Exclude<keyof EvmSchema, 'eth_subscribe' | 'eth_unsubscribe'>

/** One method, which takes its params as an array, or nothing if it has none. @throws SchemaError, RpcError */
type Method<M extends CallMethod> = EvmSchema[M]['params'] extends readonly []
  ? (options?: CallOptions) => Promise<EvmSchema[M]['result']>
  : (params: EvmSchema[M]['params'], options?: CallOptions) => Promise<EvmSchema[M]['result']>

type Named<Prefix extends string> = {
  readonly [M in CallMethod as M extends `${Prefix}_${infer Name}` ? Name : never]: Method<M>
}

/** The `eth_*` methods of the table: `getStorageAt`, `estimateGas`, `blockNumber` … Subscriptions are `client.subscribe`. */
export type EthMethods = Named<'eth'>

/** The methods of rollup nodes: `getInfo` (Spec §4.8), `syncStatus` (op-node) … */
export type RollupMethods = Named<'rollup'> & Named<'optimism'>

type Request = (method: CallMethod, params: never, options?: CallOptions) => Promise<unknown>

/** Creates the methods of the table with one of `prefixes`, named without it. */
export function methodsOf<T>(request: Request, ...prefixes: readonly string[]): T {
  const methods: Record<string, unknown> = {}
  for (const method of Object.keys(evmMethods) as CallMethod[]) {
    const { effect } = evmMethods[method]
    const [prefix, name] = method.split('_') as [string, string]
    if (!prefixes.includes(prefix) || effect === 'session') continue
    methods[name] = (first?: unknown, second?: CallOptions) =>
      Array.isArray(first)
        ? request(method, first as never, second)
        : request(method, [] as never, first as CallOptions)
  }
  return methods as T
}
