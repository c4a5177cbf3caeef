import { type BlockParameter, blockParameterSchema, type BlockTag, type Hash, type Quantity } from '@wayleave/evm-types'
import { unproven } from './finding.ts'

/** The block that a parameter names, in one of three ways. */
export type AskedBlock =
  | { readonly hash: Hash; readonly number?: undefined; readonly tag?: undefined }
  | { readonly number: Quantity; readonly hash?: undefined; readonly tag?: undefined }
  | { readonly tag: BlockTag; readonly hash?: undefined; readonly number?: undefined }

/** Reads a block parameter; nothing means `latest`. @throws VerifyError `unproven` for what names no block. */
export function askedBlock(parameter: unknown): AskedBlock {
  const block = (parameter ?? 'latest') as BlockParameter
  if (blockParameterSchema.check(block, '') !== undefined) throw unproven('the block parameter names no block')
  if (typeof block === 'object')
    return block.blockHash === undefined ? { number: block.blockNumber } : { hash: block.blockHash }
  if (block.length === 66) return { hash: block as Hash }
  return block.startsWith('0x') ? { number: block as Quantity } : { tag: block as BlockTag }
}
