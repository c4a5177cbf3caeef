/** The block that determines the next base fee. */
export interface ParentBlock {
  /** Wei per gas. */
  readonly baseFeePerGas: bigint
  readonly gasUsed: bigint
  /** The gas limit divided by the chain's elasticity: half of it on Ethereum. */
  readonly gasTarget: bigint
}

/**
 * The base fee of the block after `parent`, in wei per gas. The `denominator` is 8 on Ethereum, 50 or 250 on OP chains, 64
 * on Polygon. Source: EIP-1559.
 */
export function nextBaseFee(parent: ParentBlock, denominator = 8n): bigint {
  const { baseFeePerGas, gasUsed, gasTarget } = parent
  if (gasUsed === gasTarget || gasTarget === 0n) return baseFeePerGas
  const step = (gap: bigint): bigint => (baseFeePerGas * gap) / gasTarget / denominator
  if (gasUsed < gasTarget) return baseFeePerGas - step(gasTarget - gasUsed)
  return baseFeePerGas + (step(gasUsed - gasTarget) || 1n)
}
