import type { RpcHandler } from './handler.ts'

/** A transport that owns something to close. */
export interface RpcTransport {
  readonly handler: RpcHandler
  /** Rejects what is pending, ends subscriptions and closes the connection. */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}
