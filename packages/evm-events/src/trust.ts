import { RpcError, type RpcMeta, type RpcResponse } from '@wayleave/jsonrpc-core'

/** How far answers are to be trusted, in the host's own degrees: an answer of several parts is trusted as the least of them. */
export interface Trust {
  /** Returns the degree of an answer: the higher, the further. */
  of(answer: RpcResponse): number
  /** Makes the meta that tells a degree. */
  on(degree: number): RpcMeta
}

/** The least trust in the parts of an answer. */
export interface LeastTrust {
  /** Undefined where none is told. */
  readonly least: number | undefined
  /** Takes note of the next part. `isBegun`: the caller was told the least so far. @throws RpcError `unavailable` where that does not hold for the part */
  note(part: { readonly from: number; readonly to: number }, trust: number | undefined, isBegun: boolean): void
}

export function createLeastTrust(): LeastTrust {
  let least: number | undefined
  return {
    get least() {
      return least
    },
    note({ from, to }, trust, isBegun) {
      if (trust === undefined) return
      if (isBegun && least !== undefined && trust < least)
        throw new RpcError(
          'unavailable',
          `blocks ${from} to ${to} cannot be verified as those before: ask for them alone`,
        )
      least = Math.min(trust, least ?? trust)
    },
  }
}
