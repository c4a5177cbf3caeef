import { evmMethods, type EvmSchema } from '@wayleave/evm-types'
import {
  type CallOptions,
  createRpcClient,
  RpcError,
  type RpcHandler,
  subscribe,
  type Subscriber,
  type Subscription,
} from '@wayleave/jsonrpc-core'
import { type EventIterator, type EventIteratorOptions, iterateEvents } from '@wayleave/jsonrpc-core/websocket'
import { assertValid, SchemaError } from '@wayleave/jsonrpc-core/schema'
import type { StarknetVersion } from '@wayleave/starknet-types'
import { connect } from './connection.ts'
import type { EventOf, SubscriptionParams } from './events/event-params.ts'
import type { GasMethods } from './gas/gas-calls.ts'
import { gasMethods } from './gas/gas-methods.ts'
import { type IpfsMethods, ipfsMethods } from './ipfs/ipfs-methods.ts'
import { loadOnce } from './load-once.ts'
import { type CallMethod, type EthMethods, methodsOf, type RollupMethods } from './methods.ts'
import type { ClientOptions } from './options.ts'
import { requestRaw } from './request-raw.ts'
import { toRevertError } from './revert-error.ts'
import { type StarknetClient, starknetMethods } from './starknet/starknet-methods.ts'

/** The client of {@link createClient}; `V` is its `starknetVersion`. A call whose EVM execution reverts rejects with a {@link RevertError}. */
export interface Client<V extends StarknetVersion = '0.5.1'> {
  /** Calls a method of the table. Params are checked before they are sent, results when they come. @throws SchemaError, RpcError */
  request<M extends CallMethod>(
    method: M,
    params: EvmSchema[M]['params'],
    options?: CallOptions,
  ): Promise<EvmSchema[M]['result']>
  /** Calls any method, unchecked. @throws RpcError */
  requestUnchecked<T = unknown>(method: string, params?: unknown, options?: CallOptions): Promise<T>
  /**
   * Calls any method, unchecked. Resolves with the JSON text that came, so that no digit is lost. Params given as a string
   * are JSON text. @throws RpcError, SyntaxError for params that are no JSON
   */
  requestRaw(method: string, params?: unknown, options?: CallOptions): Promise<string>
  /**
   * Calls `eth_subscribe` over WebSocket, and again after a drop. Heads, logs and receipts that it missed are fetched; `onGap` tells where
   * events may be missing all the same. @throws RpcError
   */
  subscribe(params: SubscriptionParams, subscriber: Subscriber, options?: CallOptions): Promise<Subscription>
  /** Subscribes for `for await`: leaving the loop unsubscribes. Throws at a gap unless there is `onGap`. @throws RpcError */
  events<const P extends SubscriptionParams>(params: P, options?: EventOptions): Promise<EventIterator<EventOf<P>>>
  readonly eth: EthMethods
  readonly rollup: RollupMethods
  readonly gas: GasMethods
  readonly ipfs: IpfsMethods
  readonly starknet: StarknetClient<V>
  /** The handler of every call, for an EIP-1193 provider or your own middleware. */
  readonly handler: RpcHandler
  /** Ends subscriptions and closes the connection. */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

export type EventOptions = Omit<EventIteratorOptions, 'clock'>

/**
 * Creates a typed client for Wayleave, or for any EVM or Starknet node. Nothing is opened before the first call.
 * @throws TypeError for unusable options, AuthError for a secret that HTTP Basic cannot carry.
 */
export function createClient<V extends StarknetVersion = '0.5.1'>(options: ClientOptions<V>): Client<V> {
  const { timeoutMs = 30_000 } = options
  const { handler, calls: callHandler, gas: host, bearer, close } = connect(options)
  const calls = createRpcClient(callHandler, { timeoutMs })

  const requestUnchecked: Client['requestUnchecked'] = async (method, params, callOptions) => {
    try {
      return await calls.requestUnchecked(method, params, callOptions)
    } catch (thrown) {
      throw toRevertError(thrown)
    }
  }

  const request: Client['request'] = async (method, params, callOptions) => {
    if (!Object.hasOwn(evmMethods, method)) throw new TypeError(`${method} is not in the table: use requestUnchecked`)
    const spec = evmMethods[method]
    assertValid(spec.params, params, `${method} params`)
    const result = await requestUnchecked(method, params, callOptions)
    const issue = spec.result.check(result, '')
    if (issue === undefined) return result as never
    const cause = new SchemaError(`${method} result`, issue)
    throw new RpcError('invalid_response', cause.message, { cause })
  }

  const loadEvents = loadOnce(() => import('./events/load-events.ts'))

  return {
    request,
    requestUnchecked,
    requestRaw: (method, params, callOptions) => requestRaw(callHandler, method, params, { timeoutMs, ...callOptions }),
    async subscribe(params, subscriber, callOptions) {
      const { assertSubscription } = await loadEvents()
      assertSubscription(params)
      return subscribe(handler, 'eth_subscribe', params, subscriber, { timeoutMs, ...callOptions })
    },
    async events(params, eventOptions) {
      const { assertSubscription } = await loadEvents()
      assertSubscription(params)
      return iterateEvents(handler, 'eth_subscribe', params, { timeoutMs, ...eventOptions })
    },
    eth: methodsOf(request, 'eth'),
    rollup: methodsOf(request, 'rollup', 'optimism'),
    gas: gasMethods({ host, bearer, handler, chainId: options.chainId, timeoutMs }),
    ipfs: ipfsMethods(options, bearer),
    starknet: starknetMethods((options.starknetVersion ?? '0.5.1') as V, requestUnchecked, handler, timeoutMs),
    handler,
    close,
    [Symbol.asyncDispose]: close,
  }
}
