import type { RawJson } from './wire.ts'

/** A call without its frame: `id` and `jsonrpc` belong to the transport. A package above adds to it by `defineExtension`. */
export interface RpcRequest {
  readonly method: string
  /** The params as they came, or `undefined` where they were absent. */
  readonly params: RawJson | undefined
  /** True if no answer is expected. */
  readonly notification: boolean
}
