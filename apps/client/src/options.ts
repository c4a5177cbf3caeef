import type { VerificationLevel, VerifyOptions } from '@wayleave/evm-verify'
import type { BatchingOptions, RetryOptions, RpcContext, RpcMiddleware } from '@wayleave/jsonrpc-core'
import type { HeartbeatOptions } from '@wayleave/jsonrpc-core/websocket'
import type { StarknetVersion } from '@wayleave/starknet-types'

/** Where to call, as whom, and how hard to try. */
export interface ClientOptions<V extends StarknetVersion = '0.5.1'> {
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
  /**
   * The version of the Starknet RPC that is spoken, which types and checks `starknet`. With an `apiKey`, `/rpc/v0_8` and the like
   * stands behind the paths of the gateway, which translates; a node speaks one version, which is to be named. Default `0.5.1`,
   * and the paths without a version.
   */
  readonly starknetVersion?: V
  /** The chain id of that network, for the gas API. Default: asked once. */
  readonly chainId?: number
  /** Another host of the gas API than the gateway, such as `https://gas.api.infura.io`. Its key and secret are the same. */
  readonly gasUrl?: string
  /** Where the IPFS API is. Default: port 5001 of the gateway's host. Its key and secret are the same, unless it holds others. */
  readonly ipfsUrl?: string
  /** What carries calls where both can: default `http`. Subscriptions go over WebSocket always. */
  readonly transport?: 'http' | 'websocket'
  /** Of each call, all attempts and the body included, in ms. Default 30,000. */
  readonly timeoutMs?: number
  /** Of each attempt, in ms. Default: none, an attempt may take all the time that its call has. */
  readonly attemptTimeoutMs?: number
  /** How reads are sent again after failures that pass; `false`: never. Default: three times, within half a second or so. */
  readonly retry?: RetryChoice | false
  /**
   * Given `alreadyKnown` of this package, sends `eth_sendRawTransaction` again, too, where an attempt may have arrived; a node
   * that has the transaction already counts as success. A function, so that only who wants it loads the hash that it takes.
   * Default: sent once, unless it cannot have arrived.
   */
  readonly resendTransactions?: NonNullable<RetryOptions['alreadyDone']>
  /** Puts calls of one moment into one POST. Default false. */
  readonly batch?: BatchChoice | boolean
  /** Makes identical reads in flight one call. Default true. */
  readonly coalesce?: boolean
  /**
   * What answers have to stand: that they agree with themselves and with what was asked (`consistent`), or a proof (`proven`).
   * `{ require, anchor, onVerdict, … }` says more closely; `anchor` is what vouches for blocks by number and tag. The code for
   * it loads with the first call. Or a middleware of your own in its place. Default `off`.
   */
  readonly verify?: VerificationLevel | VerifyOptions | RpcMiddleware<RpcContext>
  /** Opens subscriptions again after a drop, with a gap told. `false`: a drop ends them. Default true. */
  readonly resubscribe?: boolean
  /** How a silent WebSocket is found to be dead. `false`: only by a call that times out. Default: asked after 15 s of silence. */
  readonly heartbeat?: HeartbeatChoice | false
}

export type RetryChoice = Pick<
  RetryOptions,
  'maxRetries' | 'baseDelayMs' | 'maxDelayMs' | 'maxRetryAfterMs' | 'onRetry'
>

export type BatchChoice = Pick<BatchingOptions, 'maxCalls' | 'maxBytes' | 'waitMs'>

export type HeartbeatChoice = Pick<HeartbeatOptions, 'intervalMs' | 'timeoutMs'>
