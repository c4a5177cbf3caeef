import type { CallOptions, RpcHandler, Subscriber, Subscription } from '@wayleave/jsonrpc-core'
import type { EventIterator, EventIteratorOptions } from '@wayleave/jsonrpc-core/websocket'
import type { EventOf, SubscriptionParams } from './events/event-params.ts'
import type { Answer, CallMethod, Params } from './methods.ts'
import type { EthMethods, RollupMethods } from './named-methods.ts'

/** The client of {@link createClient}, without its APIs. A call whose EVM execution reverts rejects with a {@link RevertError}. */
export interface Client {
  /** Calls a method of the table. Params are checked before they are sent, results when they come. @throws SchemaError, RpcError */
  request<M extends CallMethod, Full extends boolean = boolean>(
    method: M,
    params: Params<M, Full>,
    options?: CallOptions,
  ): Answer<M, Full>
  /** Calls any method, unchecked. @throws RpcError */
  requestUnchecked<T = unknown>(method: string, params?: unknown, options?: CallOptions): Promise<T>
  /**
   * Calls any method, unchecked. Resolves with the JSON text that came, so that no digit is lost. Params given as a string
   * are JSON text. @throws RpcError, SyntaxError for params that are no JSON
   */
  requestRaw(method: string, params?: unknown, options?: CallOptions): Promise<string>
  /**
   * Calls `eth_subscribe` over WebSocket, and again after a drop. With `resubscribe: fetchMissed`, heads, logs and receipts that it missed are
   * fetched; `onGap` reports where events may be missing. @throws RpcError
   */
  subscribe(params: SubscriptionParams, subscriber: Subscriber, options?: CallOptions): Promise<Subscription>
  /** Subscribes for `for await`: leaving the loop unsubscribes. Throws at a gap unless there is `onGap`. @throws RpcError */
  events<const P extends SubscriptionParams>(params: P, options?: EventOptions): Promise<EventIterator<EventOf<P>>>
  /** Methods of the execution layer by name: `eth.getBalance([address, 'latest'])`. */
  readonly eth: EthMethods
  /** Methods of rollup nodes by name: `rollup.getInfo()`. */
  readonly rollup: RollupMethods
  /** The handler of every call, for an EIP-1193 provider or your own middleware. */
  readonly handler: RpcHandler
  /** Ends subscriptions and closes the connection. */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

export type EventOptions = Omit<EventIteratorOptions, 'clock'>
