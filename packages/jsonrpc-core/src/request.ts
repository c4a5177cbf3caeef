import type { RawJson } from './wire.ts'

/** A call without its frame: no id and no `jsonrpc`, they belong to the transport. A package above adds to it by `defineExtension`. */
export interface RpcRequest {
  readonly method: string
  /** The params as they came, or `undefined` where they were absent. */
  readonly params: RawJson | undefined
  /** True when nobody waits for the answer. */
  readonly notification: boolean
}
