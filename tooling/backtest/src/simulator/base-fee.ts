/** What moves a chain's base fee. */
export interface BaseFeeRule {
  /** The gas limit is this many times the gas that keeps the base fee where it is. */
  readonly elasticity: number
  /** A full block raises the base fee by (elasticity - 1) parts of this. */
  readonly denominator: number
  /** Wei per gas: it never falls below. */
  readonly least: bigint
  /** False where the chain holds it fixed. */
  readonly moves: boolean
}

/** The base fee of the next block, in wei per gas. Source: EIP-1559, which OP-stack chains and Polygon run with other numbers. */
export function nextBaseFee(baseFeePerGas: bigint, gasUsed: number, gasLimit: number, rule: BaseFeeRule): bigint {
  if (!rule.moves) return baseFeePerGas
  const target = BigInt(Math.floor(gasLimit / rule.elasticity))
  const distance = BigInt(gasUsed) - target
  const step = (baseFeePerGas * (distance < 0n ? -distance : distance)) / target / BigInt(rule.denominator)
  const next =
    distance > 0n ? baseFeePerGas + (step > 1n ? step : 1n) : distance < 0n ? baseFeePerGas - step : baseFeePerGas
  return next < rule.least ? rule.least : next
}
