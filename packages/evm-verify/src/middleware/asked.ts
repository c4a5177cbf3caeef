import {
  type BlockParameter,
  blockParameterSchema,
  type BlockTag,
  type Hash,
  hashSchema,
  type Quantity,
  quantitySchema,
} from '@wayleave/evm-types'
import { describeValue } from '@wayleave/jsonrpc-core/schema'
import { VerifyError } from '../error.ts'
import { unproven } from './finding.ts'

/** The block that a parameter names, in one of three ways. */
export type AskedBlock =
  | { readonly hash: Hash; readonly number?: undefined; readonly tag?: undefined }
  | { readonly number: Quantity; readonly hash?: undefined; readonly tag?: undefined }
  | { readonly tag: BlockTag; readonly hash?: undefined; readonly number?: undefined }

/** Reads a block parameter; nothing means `latest`. @throws VerifyError `unproven` if it names no block. */
export function askedBlock(parameter: unknown): AskedBlock {
  const block = (parameter ?? 'latest') as BlockParameter
  if (blockParameterSchema.check(block, '') !== undefined) throw unproven('the block parameter names no block')
  if (typeof block === 'object')
    return block.blockHash === undefined ? { number: block.blockNumber } : { hash: block.blockHash }
  if (block.length === 66) return { hash: block as Hash }
  return block.startsWith('0x') ? { number: block as Quantity } : { tag: block as BlockTag }
}

/** Reads a hash; no answer can be right for anything else. @throws VerifyError `mismatch` */
export function askedHash(parameter: unknown): Hash {
  if (hashSchema.check(parameter, '') === undefined) return parameter as Hash
  throw new VerifyError('mismatch', 'hash', `an answer came to what is no hash: ${describeValue(parameter)}`)
}

/** Reads an index. @throws VerifyError `unproven` */
export function askedIndex(parameter: unknown): Quantity {
  if (quantitySchema.check(parameter, '') === undefined) return parameter as Quantity
  throw unproven('the params have no index')
}
