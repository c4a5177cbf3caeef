import type { RpcErrorObject } from '@wayleave/jsonrpc-core'
import type { StarknetVersion } from '../versions.ts'

/** The two versions that a call goes between. */
export interface Pair {
  readonly caller: StarknetVersion
  readonly endpoint: StarknetVersion
  /** Called for each member of an answer that only fills in what the caller's version requires. Default: nobody is told. */
  readonly onUnknown?: ((name: string) => void) | undefined
}

/** Thrown where one of two versions has no words for what the other one says; `code`: of the JSON-RPC error for it. */
export class UntranslatableError extends RangeError {
  override readonly name: string = 'UntranslatableError'
  readonly code: number
  readonly reason: string

  constructor(pair: Pair, reason: string, code: number) {
    super(`between a caller of Starknet RPC ${pair.caller} and a node of ${pair.endpoint}: ${reason}`)
    this.code = code
    this.reason = reason
  }
}

/** The error for `reason`; `code` defaults to the one for an answer that cannot be given. */
export function untranslatable(pair: Pair, reason: string, code = -32603): UntranslatableError {
  return new UntranslatableError(pair, reason, code)
}

/** Advice for a caller whose version requires something that the node's version does not tell. */
export function instead({ caller, endpoint }: Pair): string {
  return `ask as a caller of ${endpoint}, or a node of ${caller}`
}

/** The answer to a caller whose call, or its answer, cannot be translated. */
export function refusalOf({ caller, endpoint }: Pair, error: UntranslatableError): RpcErrorObject {
  return { code: error.code, message: error.message, data: { caller, endpoint, reason: error.reason } }
}
