/** The parameters of the fee for a chain's operator; a receipt has them, too, where they are not 0. */
export interface OperatorFeeParameters {
  readonly operatorFeeScalar: bigint
  /** Wei. */
  readonly operatorFeeConstant: bigint
}

/** How the fee follows from gas: `isthmus` by millionths of the scalar, `jovian` and later forks by its hundredfold. */
export type OperatorFeeFork = 'isthmus' | 'jovian'

/**
 * Computes what a transaction of an OP chain pays its operator, in wei, for the gas that it used; for its gas limit, the most that it may pay.
 * `fork`: default `jovian`. Source: Isthmus and Jovian, exec engine, "Operator fee".
 */
export function opOperatorFee(
  gas: bigint,
  { operatorFeeScalar, operatorFeeConstant }: OperatorFeeParameters,
  fork: OperatorFeeFork = 'jovian',
): bigint {
  const scaled = gas * operatorFeeScalar
  return (fork === 'isthmus' ? scaled / 1_000_000n : scaled * 100n) + operatorFeeConstant
}
