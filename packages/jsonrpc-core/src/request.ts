import type { RawJson } from './raw-json.ts'

/** A call without its frame: no id and no `jsonrpc`, they belong to the transport. */
export interface RpcRequest {
  readonly method: string
  /** The params as they came, or `undefined` where they were absent. */
  readonly params: RawJson | undefined
  /** True when nobody waits for the answer. */
  readonly notification: boolean
  /**
   * The version of the interface that the caller speaks, where a network has several: policies take calls of different
   * dialects for different calls, and transports do not read it.
   */
  readonly dialect?: string
}
