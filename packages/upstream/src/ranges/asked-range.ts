import type { RpcErrorObject } from '@wayleave/jsonrpc-core'

/** A range of blocks that a call asks for, both ends included. */
export interface AskedRange {
  /** Its first block. */
  readonly from: number
  /** Its last block, at most the chain's head. */
  readonly to: number
  /** Whether the call names a later end than the head: nodes count that range by either end. */
  readonly isCut: boolean
  /** Ranges of one kind have the same limit of blocks: by method, and by whatever else nodes tell apart. */
  readonly kind: string
  /** A kind that is less work for a node: what is too long for it is too long for this one. */
  readonly easier?: string | undefined
  /** The call without its ends: an equal one has the same results in the same blocks. At most some 100 characters. */
  readonly key: string
}

/** A node's refusal of a range. */
export interface RangeRefusal {
  /** `blocks`: too many blocks; `results`: too many results, whatever the blocks; `unknown`: either. */
  readonly of: 'blocks' | 'results' | 'unknown'
  /** Most blocks of a range, in the node's words. Nodes count the first one or do not, so one more may pass. */
  readonly most?: number | undefined
  /** The range that the node proposes, both ends included. */
  readonly proposed?: { readonly from: number; readonly to: number } | undefined
  /** Its error, for callers. */
  readonly words?: RpcErrorObject | undefined
}

/** Why an upstream is passed over for a range: it has refused such a one, or has failed it without a word. */
export type RangeReason = 'range_too_large' | 'range_doubtful'

/** Blocks of a range. */
export const blocksOf = ({ from, to }: { readonly from: number; readonly to: number }): number => to - from + 1
