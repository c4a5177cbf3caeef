/** The numbers that move a chain's base fee. */
export interface BaseFeeRule {
  /** The gas limit is this many times the gas that keeps the base fee where it is. */
  readonly elasticity: number
  /** A full block raises the base fee by (elasticity - 1) parts of this. */
  readonly denominator: number
  /** Its lower bound, in wei per gas. */
  readonly least: bigint
  /** False if the chain holds it fixed. */
  readonly moves: boolean
}

/** Computes the base fee of the next block, in wei per gas. Source: EIP-1559, which OP-stack chains and Polygon run with other numbers. */
export function nextBaseFee(baseFeePerGas: bigint, gasUsed: number, gasLimit: number, rule: BaseFeeRule): bigint {
  if (!rule.moves) return baseFeePerGas
  const target = BigInt(Math.floor(gasLimit / rule.elasticity))
  const distance = BigInt(gasUsed) - target
  const step = (baseFeePerGas * (distance < 0n ? -distance : distance)) / target / BigInt(rule.denominator)
  const next =
    distance > 0n ? baseFeePerGas + (step > 1n ? step : 1n) : distance < 0n ? baseFeePerGas - step : baseFeePerGas
  return next < rule.least ? rule.least : next
}
