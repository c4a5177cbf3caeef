import { RpcError, type RpcErrorCode, type RpcErrorObject } from '@wayleave/jsonrpc-core'
import type { RevertError } from './revert-error.ts'

/** An error of a call, whose `code` says which members it has: `switch (error.code)` narrows it. */
export type ClientError =
  | (RpcError & { readonly code: 'http_status'; readonly httpStatus: number })
  | ((RpcError | RevertError) & { readonly code: 'rpc'; readonly rpc: RpcErrorObject })
  | (RpcError & { readonly code: Exclude<RpcErrorCode, 'http_status' | 'rpc'> })

/** Tells whether a call of a client threw this; wrong params are a `SchemaError`. */
export function isClientError(thrown: unknown): thrown is ClientError {
  return thrown instanceof RpcError
}
