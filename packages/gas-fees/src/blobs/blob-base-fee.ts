/** The block that determines the next blob base fee. */
export interface BlobParent {
  readonly excessBlobGas: bigint
  readonly blobGasUsed: bigint
  /** Wei per gas: what the least blob base fee follows since Osaka. */
  readonly baseFeePerGas: bigint
}

/** A chain's numbers for blobs, as a fork sets them. */
export interface BlobSchedule {
  /** Blobs a block that leave the fee where it is. */
  readonly target: bigint
  /** The most blobs a block. */
  readonly max: bigint
  /** The greater, the slower the fee moves. */
  readonly updateFraction: bigint
  /** Whether the fee has a floor of a sixteenth of the base fee: below it, blobs up to the target do not lower it. Source: EIP-7918. */
  readonly hasReserve: boolean
}

/** A fork of Ethereum that changed blobs. */
export type BlobFork = 'cancun' | 'prague' | 'osaka' | 'bpo1' | 'bpo2'

/** The schedules of Ethereum's forks. Source: EIP-4844, EIP-7691, EIP-7918, EIP-7892. */
export const blobSchedules: Readonly<Record<BlobFork, BlobSchedule>> = {
  cancun: { target: 3n, max: 6n, updateFraction: 3_338_477n, hasReserve: false },
  prague: { target: 6n, max: 9n, updateFraction: 5_007_716n, hasReserve: false },
  osaka: { target: 6n, max: 9n, updateFraction: 5_007_716n, hasReserve: true },
  bpo1: { target: 10n, max: 15n, updateFraction: 8_346_193n, hasReserve: true },
  bpo2: { target: 14n, max: 21n, updateFraction: 11_684_671n, hasReserve: true },
}

const gasPerBlob = 131_072n
/** The gas of execution that each blob is worth at least. */
const blobBaseCost = 8_192n

/** The excess blob gas of the block after `parent`, by the schedule of that block. Source: EIP-4844, EIP-7918. */
export function nextExcessBlobGas(parent: BlobParent, schedule: BlobSchedule): bigint {
  const { excessBlobGas, blobGasUsed, baseFeePerGas } = parent
  const { target, max, hasReserve } = schedule
  const excess = excessBlobGas + blobGasUsed
  if (excess < target * gasPerBlob) return 0n
  if (hasReserve && blobBaseCost * baseFeePerGas > gasPerBlob * blobBaseFee(excessBlobGas, schedule)) {
    return excessBlobGas + (blobGasUsed * (max - target)) / max
  }
  return excess - target * gasPerBlob
}

/** The blob base fee of a block with this excess, in wei per blob gas. Source: EIP-4844's `fake_exponential`. */
export function blobBaseFee(excessBlobGas: bigint, { updateFraction }: BlobSchedule): bigint {
  let sum = 0n
  let term = updateFraction
  for (let i = 1n; term > 0n; i++) {
    sum += term
    term = (term * excessBlobGas) / updateFraction / i
  }
  return sum / updateFraction
}

/** The blob base fee of the block after `parent`, in wei per blob gas, by the schedule of that block. */
export function nextBlobBaseFee(parent: BlobParent, schedule: BlobSchedule): bigint {
  return blobBaseFee(nextExcessBlobGas(parent, schedule), schedule)
}
