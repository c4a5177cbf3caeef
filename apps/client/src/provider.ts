import { eth_subscribe } from '@wayleave/evm-types'
import { type RpcHandler } from '@wayleave/jsonrpc-core'
import {
  createProvider as createRpcProvider,
  type Provider,
  type ProviderOptions,
} from '@wayleave/jsonrpc-core/adapters'

/** Creates an EIP-1193 provider from a client's handler, for viem, ethers and others; it supports EVM subscriptions. */
export function createProvider(handler: RpcHandler, options: Pick<ProviderOptions, 'timeoutMs'> = {}): Provider {
  const subscriptions = { eth_subscribe: eth_subscribe.subscription! }
  return createRpcProvider(handler, { subscriptions, chainIdMethod: 'eth_chainId', ...options })
}
