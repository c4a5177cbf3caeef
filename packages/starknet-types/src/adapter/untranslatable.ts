import type { RpcErrorObject } from '@wayleave/jsonrpc-core'
import { type StarknetVersion, starknetVersions } from '../versions.ts'

/** The two versions that a call goes between. */
export interface Pair {
  readonly caller: StarknetVersion
  readonly endpoint: StarknetVersion
}

/** Whether a version came before another one. */
export function isBefore(version: StarknetVersion, other: StarknetVersion): boolean {
  return starknetVersions.indexOf(version) < starknetVersions.indexOf(other)
}

/** What one of two versions cannot say; `code` is that of the JSON-RPC error for it. */
export class UnsaidError extends RangeError {
  override readonly name: string = 'UnsaidError'
  readonly code: number
  readonly reason: string

  constructor(pair: Pair, reason: string, code: number) {
    super(`between a caller of Starknet RPC ${pair.caller} and a node of ${pair.endpoint}: ${reason}`)
    this.code = code
    this.reason = reason
  }
}

/** The error for `reason`; `code` defaults to that of an answer which cannot be given. */
export function unsaid(pair: Pair, reason: string, code = -32603): UnsaidError {
  return new UnsaidError(pair, reason, code)
}

/** What to do where a version requires what another one does not tell. */
export function instead({ caller, endpoint }: Pair): string {
  return `ask as a caller of ${endpoint}, or a node of ${caller}`
}

/** The answer to a caller whose call, or whose answer, cannot be said. */
export function refusalOf(pair: Pair, error: UnsaidError): RpcErrorObject {
  return { code: error.code, message: error.message, data: { ...pair, reason: error.reason } }
}
