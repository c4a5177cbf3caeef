import { canonicalHash, canonicalQuantity } from './evm-canonical.ts'

/** A block as a caller names it. */
export type BlockRef = { readonly latest: true } | HashRef | NumberRef

/** A block by its hash. */
export interface HashRef {
  readonly hash: string
  /** Whether an answer is wanted only while the block is on the chain. */
  readonly isCanonical: boolean
}

/** A block by its number. */
export interface NumberRef {
  readonly number: number
  readonly isEarliest: boolean
}

/** Reads the hash of a block; undefined: it is none. */
export function hashRef(value: unknown): HashRef | undefined {
  const hash = canonicalHash(value)
  return hash === undefined ? undefined : { hash, isCanonical: false }
}

/** Reads a block that is named by tag, number, hash or as EIP-1898 does; undefined: nobody here knows which one, or it moves by itself. */
export function blockRef(value: unknown, isOptional: boolean): BlockRef | undefined {
  if (value === undefined || value === null) return isOptional ? { latest: true } : undefined
  if (typeof value === 'object') return objectRef(value as Readonly<Record<string, unknown>>)
  if (value === 'latest') return { latest: true }
  if (value === 'earliest') return { number: 0, isEarliest: true }
  return hashRef(value) ?? numberRef(value)
}

function numberRef(value: unknown): NumberRef | undefined {
  const number = Number(canonicalQuantity(value))
  return Number.isSafeInteger(number) ? { number, isEarliest: false } : undefined
}

/** Reads a block of EIP-1898. */
function objectRef(block: Readonly<Record<string, unknown>>): BlockRef | undefined {
  const { blockHash, blockNumber, requireCanonical, ...further } = block
  if (Object.keys(further).length > 0) return undefined
  if (blockHash === undefined) {
    return requireCanonical !== undefined || typeof blockNumber !== 'string' ? undefined : blockRef(blockNumber, false)
  }
  const hash = canonicalHash(blockHash)
  const isKnown = requireCanonical === undefined || typeof requireCanonical === 'boolean'
  if (hash === undefined || blockNumber !== undefined || !isKnown) return undefined
  return { hash, isCanonical: requireCanonical === true }
}
