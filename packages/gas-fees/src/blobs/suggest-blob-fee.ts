import { GasFeesError } from '../error.ts'
import { quantities } from '../quantity.ts'

/** The blob fee to offer, in wei per blob gas. */
export interface BlobFeeOffer {
  /** The next block's. */
  readonly baseFeePerBlobGas: bigint
  /** Covers the blob base fee of each of the next three blocks. Only the base fee is paid of it. */
  readonly maxFeePerBlobGas: bigint
}

/** Blocks after the next one that an offer is still to cover. */
const laterBlocks = 2

/**
 * Suggests a blob fee from an answer to `eth_feeHistory`, of one block or more. By no schedule up to now does a block raise the
 * blob base fee by more than an eighth (Cancun's by e^(3 * 131,072 / 3,338,477), later ones by less), so the offer holds for three
 * blocks whatever they contain. A next fee that the node leaves out is taken to be an eighth above the newest.
 * Source: EIP-4844, EIP-7691, EIP-7918.
 * @throws GasFeesError `unsupported` on a chain without blobs, `invalid_response`.
 */
export function suggestBlobFee(answer: unknown): BlobFeeOffer {
  const { gasUsedRatio, baseFeePerBlobGas } = (answer ?? {}) as Record<string, unknown>
  if (!Array.isArray(gasUsedRatio) || gasUsedRatio.length === 0) {
    throw new GasFeesError('invalid_response', 'expected an answer of eth_feeHistory with at least one gasUsedRatio')
  }
  const fees = quantities(baseFeePerBlobGas)
  // Nodes report 0 for blocks that cannot hold blobs; the least fee is 1 wei.
  const newest = fees[gasUsedRatio.length - 1] || undefined
  const next = fees[gasUsedRatio.length] || (newest && raised(newest))
  if (next === undefined) {
    throw new GasFeesError('unsupported', 'expected baseFeePerBlobGas, got none: this chain takes no blobs')
  }
  let max = next
  for (let i = 0; i < laterBlocks; i++) max = raised(max)
  return { baseFeePerBlobGas: next, maxFeePerBlobGas: max }
}

/** The most that a block makes of a fee: Cancun's blocks up to 1.12500005 times. Fees are rounded down, so up to 1 wei is added before. */
function raised(fee: bigint): bigint {
  return ((fee + 1n) * 1_126n) / 1_000n
}
