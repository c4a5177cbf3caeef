import type { Block, Hash, Quantity } from '@wayleave/evm-types'
import type { FieldLevels } from './refusal.ts'

/** The facts and findings of one pass over the receipts of a block. */
export interface ReceiptsPass {
  /** The level of members that follow from the receipts' root, or from other receipts. */
  readonly level: 'proven' | 'consistent'
  /** Whether a root is known that the receipts have. */
  readonly isRooted: boolean
  readonly blockHash: Hash | undefined
  readonly blockNumber: Quantity | undefined
  readonly block: Block | undefined
  readonly fields: FieldLevels
  gasBefore: bigint
  logsBefore: number
}
