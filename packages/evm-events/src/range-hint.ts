import { rangeLimitOf } from '@wayleave/evm-types'
import type { RpcErrorObject } from '@wayleave/jsonrpc-core'

/** Reads how many blocks a node would take from its error, where it is fewer than were asked for; undefined where it does not say. */
export function rangeHintOf(error: RpcErrorObject, asked: number): number | undefined {
  const { most, proposed } = rangeLimitOf(error)
  const hints = [proposed && proposed.to - proposed.from + 1, most]
  return hints.find((hint) => hint !== undefined && hint >= 1 && hint < asked)
}
