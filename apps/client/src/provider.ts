import { eth_subscribe } from '@wayleave/evm-types'
import { type RpcHandler } from '@wayleave/jsonrpc-core'
import {
  createProvider as createRpcProvider,
  type Provider,
  type ProviderOptions,
} from '@wayleave/jsonrpc-core/adapters'

/** A client's handler as an EIP-1193 provider, for viem, ethers and whatever takes one; it knows EVM subscriptions. */
export function createProvider(handler: RpcHandler, options: Pick<ProviderOptions, 'timeoutMs'> = {}): Provider {
  const subscriptions = { eth_subscribe: eth_subscribe.subscription! }
  return createRpcProvider(handler, { subscriptions, chainIdMethod: 'eth_chainId', ...options })
}
