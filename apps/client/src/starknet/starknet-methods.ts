import type { CallOptions, RpcHandler } from '@wayleave/jsonrpc-core'
import type { StarknetVersion } from '@wayleave/starknet-types'
import { loadOnce } from '../load-once.ts'
import type { NamedStarknetMethods } from './named-starknet-methods.ts'
import type { UncheckedCall } from './starknet-calls.ts'
import { starknetEffect } from './starknet-effect.ts'
import { starknetSubscriptions } from './starknet-subscriptions.ts'
import type { StarknetEventOptions } from './starknet-events.ts'

/**
 * The `starknet_*` methods of a version: `estimateFee`, `simulateTransactions`, `getNonce` … Each takes params by name,
 * `{ request, block_id }`, or by position, and checks them before it sends them. Answers are typed but not checked: nodes add
 * and omit members, and a transaction of a kind that the version lacks comes as it is. Since 0.8 there are subscriptions, too:
 * `subscribeNewHeads`, `subscribeEvents` … The code loads with the first call.
 * Source: Spec §4.9, §4.10.
 */
export type StarknetClient<V extends StarknetVersion = '0.5.1'> = NamedStarknetMethods[V]

/** Creates Starknet methods whose code and table load with the first call. `handler` opens subscriptions. */
export function starknetMethods<V extends StarknetVersion>(
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
