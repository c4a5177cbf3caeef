import { RpcError } from '@wayleave/jsonrpc-core'
import type { BlockPosition } from './chain-source.ts'

/** The end of a subscription of which all was told up to a block; undefined: nothing was. The place fits a close frame's reason. */
export function endWithPlace(why: RpcError, reported: BlockPosition | undefined): RpcError {
  const place = placeOf(reported)
  return new RpcError(why.code, `${why.message}; ${place}`, { cause: why, reason: place })
}

function placeOf(reported: BlockPosition | undefined): string {
  if (reported === undefined) return 'subscribe again'
  return reported.number < 0 ? 'resume from the first block' : `resume from block ${reported.number} (${reported.hash})`
}
