import { evmRules, type EvmSchema } from '@wayleave/evm-types'
import type { CallOptions } from '@wayleave/jsonrpc-core'
import { describeValue, type SchemaIssue } from '@wayleave/jsonrpc-core/schema'

/** A method of the table, except subscriptions, which are `subscribe` and `events`. */
export type CallMethod = Exclude<keyof EvmSchema, 'eth_subscribe' | 'eth_unsubscribe'>

/** The params of a method, always an array. `Full`: whether `eth_getBlockBy…` is asked for whole transactions. */
export type Params<M extends CallMethod, Full extends boolean = boolean> = M extends 'eth_getBlockByNumber'
  ? EvmSchema<Full>['eth_getBlockByNumber']['params']
  : M extends 'eth_getBlockByHash'
    ? EvmSchema<Full>['eth_getBlockByHash']['params']
    : EvmSchema[M]['params']

/** One of the params of a method, by its place. */
export type Param<M extends CallMethod, Place extends number> = Params<M>[Place]

/** The result of a method, once it has come. */
export type Answer<M extends CallMethod, Full extends boolean = boolean> = Promise<EvmSchema<Full>[M]['result']>

type Request = (method: CallMethod, params: never, options?: CallOptions) => Promise<unknown>

/** Creates the methods of the table with one of `prefixes`, named without it. Each takes its params one by one, or as an array. */
export function methodsOf<T>(request: Request, ...prefixes: readonly string[]): T {
  const methods: Record<string, unknown> = {}
  for (const method of Object.keys(evmRules) as CallMethod[]) {
    const { effect, paramNames } = evmRules[method]
    const [prefix, name] = method.split('_') as [string, string]
    if (!prefixes.includes(prefix) || effect === 'session') continue
    const count = paramNames?.length ?? 0
    methods[name] = (...given: readonly unknown[]) => {
      const [first, second] = given
      if (Array.isArray(first)) return request(method, first as never, second as CallOptions)
      const length = given.slice(0, count).findLastIndex((param) => param !== undefined) + 1
      return request(method, given.slice(0, length) as never, given[count] as CallOptions)
    }
  }
  return methods as T
}

/** Finds a transaction of a block that is whole where its hash was asked for, or the other way round. */
export function transactionIssue(method: CallMethod, params: unknown, block: unknown): SchemaIssue | undefined {
  if (!method.startsWith('eth_getBlockBy') || block === null) return undefined
  const { transactions } = block as { readonly transactions: readonly unknown[] }
  const [, full] = params as readonly [unknown, boolean]
  const place = transactions.findIndex((each) => (typeof each === 'string') === full)
  if (place === -1) return undefined
  const expected = full ? 'a transaction' : 'the hash of a transaction'
  return { path: `.transactions[${place}]`, expected, received: describeValue(transactions[place]) }
}
