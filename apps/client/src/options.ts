import type { BatchingOptions, RetryOptions, RpcContext, RpcMiddleware } from '@wayleave/jsonrpc-core'
import type { HeartbeatOptions } from '@wayleave/jsonrpc-core/websocket'
import type { ClientApis } from './api.ts'
import type { TokenProvider } from './credentials/token-source.ts'
import type { Resubscribe } from './events/resubscribe.ts'

/** The target, the credentials, and the limits of a client. Code that not every client needs is given to it. */
export interface ClientOptions {
  /**
   * The base URL of a gateway together with `apiKey`, or the URL of any node without one; http(s) or ws(s).
   * `user:password@` in it is sent by HTTP Basic.
   */
  readonly url: string
  readonly apiKey?: string
  /** The key's secret, if the project asks for one; sent by HTTP Basic (Spec §5). Browsers cannot send it over WebSocket. */
  readonly apiKeySecret?: string
  /**
   * A JWT in the place of the secret, or a function that returns one; sent as `Authorization: Bearer`. Browsers cannot send it over WebSocket.
   */
  readonly token?: string | TokenProvider
  /** A network by its path, such as `rollup-dev`. Default: the host's own. */
  readonly network?: string
  /**
   * The APIs of the client beside that of EVM nodes, by the names that it gives them: `{ gas: gas(), ipfs: ipfs(), starknet: starknet() }`, from
   * `@wayleave/client/gas`, `/ipfs` and `/starknet`. Default: none.
   */
  readonly apis?: ClientApis
  /** The transport of calls if both are possible. Default `http`. Subscriptions always use WebSocket. */
  readonly transport?: 'http' | 'websocket'
  /** The time limit of each call in ms, all attempts and the body included. Default 30,000. */
  readonly timeoutMs?: number
  /** The time limit of each attempt in ms. Default: none, so an attempt may use all the time of its call. */
  readonly attemptTimeoutMs?: number
  /** Retries of reads after transient failures; `false`: never. Default: three times, within about half a second. */
  readonly retry?: RetryChoice | false
  /**
   * Set to `alreadyKnown` of this package, retries `eth_sendRawTransaction` even if an attempt may have arrived; a node that
   * already has the transaction counts as success. It is a function so that its hash code loads only if it is used.
   * Default: a transaction is sent again only if it cannot have arrived.
   */
  readonly resendTransactions?: NonNullable<RetryOptions['alreadyDone']>
  /** Sends calls of one moment in one POST. Default false. */
  readonly batch?: BatchChoice | boolean
  /** Merges identical reads in flight into one call. Default true. */
  readonly coalesce?: boolean
  /** The check of answers, such as `verify('proven')` of `@wayleave/client/verify`, or a middleware of your own. Default: none. */
  readonly verify?: RpcMiddleware<RpcContext>
  /**
   * Reopens subscriptions after a drop, and reports a gap. Set to `fetchMissed` of `@wayleave/client/events`, it fetches the events instead.
   * `false`: a drop ends them. Default true.
   */
  readonly resubscribe?: boolean | Resubscribe
  /** Called when the WebSocket is open again after a drop. */
  readonly onReconnect?: () => void
  /** The detection of a dead WebSocket. `false`: only by a call that times out. Default: asked after 15 s of silence. */
  readonly heartbeat?: HeartbeatChoice | false
}

export type RetryChoice = Pick<
  RetryOptions,
  'maxRetries' | 'baseDelayMs' | 'maxDelayMs' | 'maxRetryAfterMs' | 'onRetry'
>

export type BatchChoice = Pick<BatchingOptions, 'maxCalls' | 'maxBytes' | 'waitMs'>

export type HeartbeatChoice = Pick<HeartbeatOptions, 'intervalMs' | 'timeoutMs'>
