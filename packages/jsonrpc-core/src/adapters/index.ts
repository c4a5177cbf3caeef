export {
  createProvider,
  type Provider,
  type ProviderEvents,
  type ProviderOptions,
  ProviderRpcError,
  type RequestArguments,
} from './eip1193.ts'
export { createEthersProvider, type EthersProviderClass, type EthersProviderOptions } from './ethers.ts'
