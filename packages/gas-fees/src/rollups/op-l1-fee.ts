import { GasFeesError } from '../error.ts'
import { fastLzSize } from './fast-lz-size.ts'

/** The prices by which a chain of the OP stack charges for data; a receipt has them, too. */
export interface OpFeeParameters {
  /** Wei per gas: Ethereum's base fee, as the chain knows it (`l1GasPrice` of a receipt). */
  readonly l1BaseFee: bigint
  /** Wei per blob gas. */
  readonly l1BlobBaseFee: bigint
  readonly baseFeeScalar: bigint
  readonly blobBaseFeeScalar: bigint
}

/** How the size of a transaction is measured: `ecotone` by its bytes, `fjord` and later forks by FastLZ. */
export type OpFeeFork = 'ecotone' | 'fjord'

export interface OpL1FeeOptions {
  /** Default `fjord`, which all public chains have had since July 2024. */
  readonly fork?: OpFeeFork | undefined
  /** False: the bytes lack a signature, for which room is added as the chain's own oracle does. Default true. */
  readonly isSigned?: boolean | undefined
}

const million = 1_000_000n
/** Bytes of a signature, and of what it adds to the encoding. */
const signatureBytes = 68
/** The type of a deposit, which pays nothing. */
const depositType = 0x7e

/**
 * Computes what a transaction of an OP chain pays for its data, in wei, exactly as the chain does. `transaction`: its bytes as
 * `eth_sendRawTransaction` takes them. Source: Ecotone and Fjord, exec engine, "L1-Cost fees".
 * @throws GasFeesError `malformed` for hex that is no bytes.
 */
export function opL1Fee(
  transaction: Uint8Array | string,
  parameters: OpFeeParameters,
  { fork = 'fjord', isSigned = true }: OpL1FeeOptions = {},
): bigint {
  const { l1BaseFee, l1BlobBaseFee, baseFeeScalar, blobBaseFeeScalar } = parameters
  const data = typeof transaction === 'string' ? bytesOf(transaction) : transaction
  if (data.length === 0 || data[0] === depositType) return 0n
  const pricePerByte = 16n * l1BaseFee * baseFeeScalar + l1BlobBaseFee * blobBaseFeeScalar
  const missing = isSigned ? 0 : signatureBytes
  if (fork === 'ecotone') return (calldataGas(data, missing) * pricePerByte) / (16n * million)
  return (scaledSize(fastLzSize(data) + missing) * pricePerByte) / (million * million)
}

/** Estimates the size in a batch from that by FastLZ, in millionths of a byte; 100 bytes at least. */
function scaledSize(fastLz: number): bigint {
  const size = 836_500n * BigInt(fastLz) - 42_585_600n
  const least = 100n * million
  return size > least ? size : least
}

function calldataGas(data: Uint8Array, missing: number): bigint {
  const zeroes = data.reduce((count, byte) => count + Number(byte === 0), 0)
  return BigInt(4 * zeroes + 16 * (data.length - zeroes + missing))
}

function bytesOf(hex: string): Uint8Array {
  if (!/^0x(?:[\da-f]{2})*$/i.test(hex)) {
    throw new GasFeesError('malformed', 'expected the bytes of a transaction as 0x and pairs of hex digits')
  }
  return Uint8Array.from({ length: hex.length / 2 - 1 }, (_, i) => Number.parseInt(hex.slice(2 * i + 2, 2 * i + 4), 16))
}
