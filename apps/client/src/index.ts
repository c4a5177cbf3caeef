export {
  type CallOptions,
  RpcError,
  type RpcErrorCode,
  type Subscriber,
  type Subscription,
} from '@wayleave/jsonrpc-core'
export { SchemaError, type SchemaIssue } from '@wayleave/jsonrpc-core/schema'
export { type Client, type ClientOptions, createClient } from './client.ts'
export type { EthMethods } from './eth.ts'
export type { RollupMethods } from './rollup.ts'
