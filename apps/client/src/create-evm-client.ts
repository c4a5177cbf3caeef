import type { RpcContext, RpcMiddleware } from '@wayleave/jsonrpc-core'
import { assertOptions } from './assert-options.ts'
import { reopen } from './events/reopen.ts'
import type { Resubscribe } from './events/resubscribe.ts'
import type { EvmClient } from './evm-client.ts'
import { openEvmClient } from './open-evm-client.ts'
import type { ClientOptions } from './options.ts'

/** The options of {@link createEvmClient}: those of `createClient`, but for other APIs. Code that not every client needs is given to it. */
export interface EvmClientOptions extends Omit<
  ClientOptions,
  'starknetVersion' | 'chainId' | 'gasUrl' | 'ipfsUrl' | 'verify' | 'resubscribe'
> {
  /** The check of answers, such as `verify({ require: 'proven', anchor })` of `@wayleave/evm-verify`. Default: none. */
  readonly verify?: RpcMiddleware<RpcContext>
  /**
   * Reopens subscriptions after a drop, and tells a gap. Set to `fetchMissed` of `@wayleave/client/events`, it fetches the events instead.
   * `false`: a drop ends them. Default true.
   */
  readonly resubscribe?: boolean | Resubscribe
}

/**
 * Creates a client of EVM nodes alone, for small bundles: without gas fees, IPFS, Starknet, and code that loads later.
 * @throws TypeError for unusable options, AuthError for a secret that HTTP Basic cannot carry.
 */
export function createEvmClient(options: EvmClientOptions): EvmClient {
  assertOptions(options, 'createEvmClient')
  const { verify, resubscribe = true, ...common } = options
  if (verify !== undefined && typeof verify !== 'function') {
    throw new TypeError('verify: createEvmClient takes a middleware: verify({ require: … }) of @wayleave/evm-verify')
  }
  const pushes = resubscribe === true ? reopen : resubscribe === false ? undefined : resubscribe
  return openEvmClient(common, { verification: verify, resubscribe: pushes }).client
}
