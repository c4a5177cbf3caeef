import type { CallOptions, RpcHandler } from '@wayleave/jsonrpc-core'
import type { StarknetVersion } from '@wayleave/starknet-types'
import type { ClientApi } from '../api.ts'
import { assertOptions } from '../assert-options.ts'
import { loadOnce } from '../load-once.ts'
import type { NamedStarknetMethods } from './named-starknet-methods.ts'
import type { UncheckedCall } from './starknet-calls.ts'
import { starknetEffect } from './starknet-effect.ts'
import { starknetSubscriptions } from './starknet-subscriptions.ts'
import type { StarknetEventOptions } from './starknet-events.ts'
import { starknetTable } from './starknet-table.ts'

/**
 * The `starknet_*` methods of a version: `estimateFee`, `simulateTransactions`, `getNonce` … Each takes params by name,
 * `{ request, block_id }`, or by position, and checks them before it sends them. Answers are typed but not checked: nodes add
 * and omit members, and a transaction of a kind that the version lacks comes as it is. Since 0.8 there are subscriptions, too:
 * `subscribeNewHeads`, `subscribeEvents` … The code loads with the first call.
 * Source: Spec §4.9, §4.10.
 */
export type StarknetClient<V extends StarknetVersion = '0.5.1'> = NamedStarknetMethods[V]

export interface StarknetApiOptions<V extends StarknetVersion = StarknetVersion> {
  /**
   * The version of the Starknet API, which types and checks the methods. With an `apiKey`, `/rpc/v0_8` or the like is appended to the
   * gateway's paths, and the gateway translates; for a node, name the version that it speaks. Default `0.5.1`, with paths that name no version.
   */
  readonly version?: V
}

/** Makes the Starknet API of a client, for `apis` of `createClient`: `{ starknet: starknet({ version: '0.8' }) }`. @throws TypeError */
export function starknet<V extends StarknetVersion = '0.5.1'>(
  options: StarknetApiOptions<V> = {},
): ClientApi<StarknetClient<V>> {
  assertOptions(options, 'starknet', { starknet: 'version' })
  const { version } = options
  return {
    path: versionPath(version),
    methods: starknetTable,
    open: ({ requestUnchecked, handler, timeoutMs }) =>
      starknetMethods((version ?? '0.5.1') as V, requestUnchecked, handler, timeoutMs),
  }
}

/** Prints the path behind the key for a version of the Starknet API: `/rpc/v0_8`, and `/rpc/v0_5` for 0.5.1. */
function versionPath(version: string | undefined): string {
  if (version === undefined) return ''
  if (!/^0\.(5\.1|[6-9]|10)$/.test(version)) throw new TypeError('starknet: version: expected 0.5.1, or 0.6 to 0.10')
  return `/rpc/v0_${version.split('.')[1]}`
}

/** Creates Starknet methods whose code and table load with the first call. `handler` opens subscriptions. */
function starknetMethods<V extends StarknetVersion>(
  version: V,
  call: UncheckedCall,
  handler: RpcHandler,
  timeoutMs: number,
): StarknetClient<V> {
  const load = loadOnce(() => import('./load-starknet.ts'))
  const loadCalls = loadOnce(async () => (await load()).createStarknetCall(version, call))
  // The table of the version, which lists its methods, is not loaded yet; no method is called `then`.
  return new Proxy({} as StarknetClient<V>, {
    get(_methods, name) {
      const method = `starknet_${String(name)}`
      if (Object.hasOwn(starknetSubscriptions, method)) {
        return async (params: unknown = [], options?: StarknetEventOptions) =>
          (await load()).starknetEvents(handler, version, method, params, { timeoutMs, ...options })
      }
      if (starknetEffect(method) === undefined) return undefined
      return async (first?: unknown, second?: CallOptions) => (await loadCalls())(method, first, second)
    },
  })
}
