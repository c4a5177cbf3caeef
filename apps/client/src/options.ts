import type { VerificationLevel, VerifyOptions } from '@wayleave/evm-verify'
import type { BatchingOptions, RetryOptions, RpcContext, RpcMiddleware } from '@wayleave/jsonrpc-core'
import type { HeartbeatOptions } from '@wayleave/jsonrpc-core/websocket'
import type { StarknetVersion } from '@wayleave/starknet-types'
import type { TokenProvider } from './credentials/token-source.ts'

/** The target, the credentials, and the limits of a client. */
export interface ClientOptions<V extends StarknetVersion = '0.5.1'> {
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
   * The version of the Starknet API, which types and checks `starknet`. With an `apiKey`, `/rpc/v0_8` or the like is appended to
   * the gateway's paths, and the gateway translates; for a node, name the version that it speaks. Default `0.5.1`, with paths
   * that name no version.
   */
  readonly starknetVersion?: V
  /** The network's chain id, for the gas API. Default: asked once. */
  readonly chainId?: number
  /** A host of the gas API other than the gateway, such as `https://gas.api.infura.io`. It gets the same key, and secret or token. */
  readonly gasUrl?: string
  /** The URL of the IPFS API. Default: port 5001 of the gateway's host. It gets the same key, and secret or token, unless it holds its own. */
  readonly ipfsUrl?: string
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
  /**
   * The check of answers: `consistent` means that they agree with themselves and with the question, `proven` that there is a
   * proof. `{ require, anchor, onVerdict, … }` sets details; `anchor` vouches for blocks by number and tag. The code loads with
   * the first call. A middleware of your own may stand in its place. Default `off`.
   */
  readonly verify?: VerificationLevel | VerifyOptions | RpcMiddleware<RpcContext>
  /** Reopens subscriptions after a drop, and fetches what they missed. `false`: a drop ends them. Default true. */
  readonly resubscribe?: boolean
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
