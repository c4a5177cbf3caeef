import { createHash } from 'node:crypto'

export type Hex = `0x${string}`
export type Json = Readonly<Record<string, unknown>>

export const hex = (number: number | bigint): Hex => `0x${number.toString(16)}`
/** A word that stands for a text. */
export const digest = (text: string): Hex => `0x${createHash('sha256').update(text).digest('hex')}`
export const addressOf = (text: string): Hex => digest(text).slice(0, 42) as Hex
/** A number as 32 bytes. */
export const word = (number: number): Hex => `0x${number.toString(16).padStart(64, '0')}`

/** A block with all that a node knows of it, in the shapes in which the node tells it. */
export interface RigBlock {
  readonly number: number
  readonly hash: Hex
  /** Its members without its transactions. */
  readonly header: Json
  readonly transactions: readonly (Json & { readonly hash: Hex })[]
  readonly receipts: readonly (Json & { readonly logs: readonly RigLog[] })[]
}

export interface RigLog extends Json {
  readonly address: Hex
  readonly topics: readonly Hex[]
  readonly blockNumber: Hex
  readonly blockHash: Hex
}

export interface RigError {
  readonly code: number
  readonly message: string
  readonly data?: unknown
}

/** A chain that its test makes longer, and the habits of its nodes. */
export interface RigChain {
  readonly chainId: number
  readonly client: string
  /** The blocks that are sealed, the last one at the end. */
  readonly blocks: readonly RigBlock[]
  /** The block that is being made. */
  readonly pending: RigBlock
  /** That block, as it was so many parts ago. Default: it has no parts. */
  readonly pendingBefore?: (parts: number) => RigBlock
  /** Seals that block. */
  mine(): void
  /** The methods that its nodes have beside those of all chains, and theirs of those. */
  readonly own?: (method: string, params: readonly unknown[]) => Outcome | undefined
  readonly errors: {
    /** No block was made at a height; undefined: `null`. */
    hole(number: number): RigError | undefined
    /** No block is there yet; undefined: `null`. */
    future(): RigError | undefined
    unknownHash(hash: unknown): RigError | undefined
    /** The logs of a range that ends above the head; undefined: those that are there. */
    futureLogs(): RigError | undefined
    earliest(): RigError | undefined
    unknownMethod(method: string): RigError
    unknownFilter(): RigError
  }
  /** The block of the tag `finalized`, below the head. */
  readonly finalDepth: number
  /** Whether heads are pushed with their transactions. */
  readonly pushesTransactions: boolean
}

export type Outcome = { readonly result: unknown } | { readonly error: RigError }

/** The logs of a block that a filter takes. */
export function logsIn(block: RigBlock, { address, topics = [] }: LogFilter): readonly RigLog[] {
  const addresses = address === undefined ? undefined : [address].flat().map((each) => each.toLowerCase())
  return block.receipts
    .flatMap(({ logs }) => logs)
    .filter(
      (log) =>
        (addresses?.includes(log.address) ?? true) &&
        topics.every((wanted, i) => wanted === null || [wanted].flat().includes(log.topics[i]!)),
    )
}

export interface LogFilter {
  readonly address?: string | readonly string[]
  readonly topics?: readonly (Hex | readonly Hex[] | null)[]
  readonly fromBlock?: string
  readonly toBlock?: string
  readonly blockHash?: string
}

/** A block as it is told, with whole transactions or their hashes. */
export function reportedBlock({ header, transactions }: RigBlock, isWhole: boolean): Json {
  return { ...header, transactions: isWhole ? transactions : transactions.map(({ hash }) => hash) }
}
