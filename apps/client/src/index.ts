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
export {
  alreadyKnown,
  type EventStart,
  parseQuantity,
  printQuantity,
  type ReceiptsFilter,
  type RevertReason,
} from '@wayleave/evm-types'
export type { ApisOf, ClientApi, ClientApis } from './api.ts'
export { type ClientError, isClientError } from './client-error.ts'
export type { Client, EventOptions } from './client.ts'
export { createClient } from './create-client.ts'
export type { TokenProvider } from './credentials/token-source.ts'
export type { EventOf, SubscriptionParams, SyncingEvent } from './events/event-params.ts'
export type { CallMethod } from './methods.ts'
export type { EthMethods, RollupMethods } from './named-methods.ts'
export type { BatchChoice, ClientOptions, HeartbeatChoice, RetryChoice } from './options.ts'
export { createProvider } from './provider.ts'
export { RevertError } from './revert-error.ts'
