import { choice, integer, object, oneOf, type Schema } from '@wayleave/jsonrpc-core/schema'
import { type Felt, feltSchema } from './felt.ts'
import { type From, isBefore, type StarknetVersion } from './versions.ts'

const tags_0_5 = ['latest', 'pending'] as const
const tags_0_9 = ['latest', 'pre_confirmed', 'l1_accepted'] as const

/** A block by name. */
export type BlockTag<V extends StarknetVersion = StarknetVersion> = From<
  V,
  '0.9',
  (typeof tags_0_9)[number],
  (typeof tags_0_5)[number]
>

/** The block tags of a version. */
export function blockTagsOf(version: StarknetVersion): readonly string[] {
  return isBefore(version, '0.9') ? tags_0_5 : tags_0_9
}

/** A block by hash. */
export interface BlockByHash {
  readonly block_hash: Felt
  readonly block_number?: never
}

/** A block by its height: a number, not hex. */
export interface BlockByNumber {
  readonly block_number: number
  readonly block_hash?: never
}

/** A block, one of `Tag` or by hash or height. Source: Starknet RPC, `BLOCK_ID`. */
export type BlockIdOf<Tag extends string> = Tag | BlockByHash | BlockByNumber

/** A block, in every form that a version takes. Source: Spec §4.9. */
export type BlockId<V extends StarknetVersion = StarknetVersion> = BlockIdOf<BlockTag<V>>

/** Checks the height of a block, the index of a transaction, a count. */
export const indexSchema: Schema<number> = /*#__PURE__*/ integer('a whole number from 0', 0)

const byHash: Schema<{ readonly block_hash: Felt }> = /*#__PURE__*/ object('a block by hash', {
  block_hash: feltSchema,
})
const byNumber: Schema<{ readonly block_number: number }> = /*#__PURE__*/ object('a block by number', {
  block_number: indexSchema,
})

/** Checks a {@link BlockIdOf} some tags. */
function blockIdSchema<Tag extends string>(tags: readonly Tag[]): Schema<BlockIdOf<Tag>> {
  const tag = oneOf(...tags)
  return choice<BlockIdOf<Tag>>(`{ block_hash }, { block_number } or ${tag.expected}`, (value) => {
    if (typeof value === 'string') return tag
    const { block_hash, block_number } = Object(value) as Partial<Record<string, unknown>>
    if (block_hash === undefined) return byNumber
    return block_number === undefined ? byHash : undefined
  })
}

/** Checks a {@link BlockId} up to 0.8. */
export const blockId_0_5: Schema<BlockId<'0.5.1'>> = /*#__PURE__*/ blockIdSchema(tags_0_5)

/** Checks a {@link BlockId} from 0.9. */
export const blockId_0_9: Schema<BlockId<'0.9'>> = /*#__PURE__*/ blockIdSchema(tags_0_9)

/** Checks a block that is no longer being built, up to 0.8. */
export const closedBlockId_0_8: Schema<BlockIdOf<'latest'>> = /*#__PURE__*/ blockIdSchema(['latest'])

/** Checks a block that is no longer being built, from 0.9. */
export const closedBlockId_0_9: Schema<BlockIdOf<'latest' | 'l1_accepted'>> = /*#__PURE__*/ blockIdSchema([
  'latest',
  'l1_accepted',
])
