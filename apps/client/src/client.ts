import { evmMethods, type EvmSchema } from '@wayleave/evm-types'
import {
  type CallOptions,
  createHttpTransport,
  createRpcClient,
  createWebSocketTransport,
  RpcError,
  type Subscriber,
  type Subscription,
} from '@wayleave/jsonrpc-core'
import { assertValid, SchemaError } from '@wayleave/jsonrpc-core/schema'
import { createEthMethods, type EthMethods } from './eth.ts'
import { createRollupMethods, type RollupMethods } from './rollup.ts'
import { targetOf } from './urls.ts'

/** Where to call, and as whom. */
export interface ClientOptions {
  /**
   * A gateway's base URL together with `apiKey`, or any node's own URL without one; http(s) or ws(s).
   * `user:password@` in it is sent by HTTP Basic.
   */
  readonly url: string
  readonly apiKey?: string
  /** The key's secret, where the project asks for one; sent by HTTP Basic (Spec §5). Browsers cannot send it over WebSocket. */
  readonly apiKeySecret?: string
  /** A network by its path, such as `rollup-dev`. Default: the one of the host. */
  readonly network?: string
  /** Default 30,000 ms, body included. */
  readonly timeoutMs?: number
}

/** What {@link createClient} makes. */
export interface Client {
  /** Any method of the table; params are checked before they are sent, results when they come. @throws SchemaError, RpcError */
  request<M extends keyof EvmSchema & string>(
    method: M,
    params: EvmSchema[M]['params'],
    options?: CallOptions,
  ): Promise<EvmSchema[M]['result']>
  /** Any method at all, unchecked. @throws RpcError */
  requestUnchecked<T = unknown>(method: string, params?: unknown, options?: CallOptions): Promise<T>
  /** `eth_subscribe` over WebSocket: `['newHeads']`, `['logs', filter]`, `['newPendingTransactions']`. @throws RpcError */
  subscribe(
    params: EvmSchema['eth_subscribe']['params'],
    subscriber: Subscriber,
    options?: CallOptions,
  ): Promise<Subscription>
  readonly eth: EthMethods
  readonly rollup: RollupMethods
  /** Ends subscriptions and closes the connection. */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/**
 * A typed client for Wayleave, or for any EVM node. Nothing is opened before the first call.
 * @throws TypeError for a URL that cannot be used, AuthError for a secret that HTTP Basic cannot carry.
 */
export function createClient(options: ClientOptions): Client {
  const { http, ws, authorization } = targetOf(options)
  const headers = authorization === undefined ? {} : { authorization }
  const settings = options.timeoutMs === undefined ? {} : { timeoutMs: options.timeoutMs }
  const { eth_subscribe } = evmMethods
  const subscriptions = { eth_subscribe: eth_subscribe.subscription! }
  const socket = ws === undefined ? undefined : createWebSocketTransport({ url: ws, headers, subscriptions })
  const calls = createRpcClient(
    http === undefined ? socket!.handler : createHttpTransport({ url: http, headers }),
    settings,
  )
  const pushes = socket === undefined ? undefined : createRpcClient(socket.handler, settings)

  const request: Client['request'] = async (method, params, callOptions) => {
    const spec = evmMethods[method]
    assertValid(spec.params, params, `${method} params`)
    const result: unknown = await calls.requestUnchecked(method, params, callOptions)
    const issue = spec.result.check(result, '')
    if (issue === undefined) return result as never
    const cause = new SchemaError(`${method} result`, issue)
    throw new RpcError('invalid_response', cause.message, { cause })
  }
  const close = async (): Promise<void> => socket?.close()

  return {
    request,
    requestUnchecked: calls.requestUnchecked,
    async subscribe(params, subscriber, callOptions) {
      assertValid(eth_subscribe.params, params, 'eth_subscribe params')
      if (pushes === undefined) {
        const message = 'eth_subscribe needs a WebSocket: give a ws or wss URL, or the URL of a gateway and an apiKey'
        throw new RpcError('unavailable', message, { delivery: 'not_sent' })
      }
      return pushes.subscribe('eth_subscribe', params, subscriber, callOptions)
    },
    eth: createEthMethods(request),
    rollup: createRollupMethods(request),
    close,
    [Symbol.asyncDispose]: close,
  }
}
