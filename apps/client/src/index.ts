export {
  type CallOptions,
  type Gap,
  RpcError,
  type RpcErrorCode,
  type RpcHandler,
  type Subscriber,
  type Subscription,
} from '@wayleave/jsonrpc-core'
export { type EventIterator } from '@wayleave/jsonrpc-core/websocket'
export { type Provider } from '@wayleave/jsonrpc-core/adapters'
export { SchemaError, type SchemaIssue } from '@wayleave/jsonrpc-core/schema'
export type { VerificationLevel, VerifyError, VerifyOptions, Verdict } from '@wayleave/evm-verify'
export {
  alreadyKnown,
  type EventStart,
  parseQuantity,
  printQuantity,
  type ReceiptsFilter,
  type RevertReason,
} from '@wayleave/evm-types'
export { type Client, createClient } from './client.ts'
export type { TokenProvider } from './credentials/token-source.ts'
export type { EventOf, SubscriptionParams, SyncingEvent } from './events/event-params.ts'
export { createEvmClient, type EvmClientOptions } from './create-evm-client.ts'
export type { EventOptions, EvmClient } from './evm-client.ts'
export type { GasMethods, GasOptions } from './gas/gas-calls.ts'
export type { IpfsMethods } from './ipfs/ipfs-methods.ts'
export type { CallMethod } from './methods.ts'
export type { EthMethods, RollupMethods } from './named-methods.ts'
export type { BatchChoice, ClientOptions, HeartbeatChoice, RetryChoice } from './options.ts'
export { createProvider } from './provider.ts'
export { RevertError } from './revert-error.ts'
export type { StarknetClient } from './starknet/starknet-methods.ts'
