import { expect, it, test } from 'vitest'
import { blobBaseFee, type BlobSchedule, blobSchedules, nextBlobBaseFee, nextExcessBlobGas } from '../../src/index.ts'

const { cancun, osaka } = blobSchedules
const gasPerBlob = 131_072n
const target = 3n * gasPerBlob

// Values of go-ethereum's tests (consensus/misc/eip4844/eip4844_test.go).

test.each([
  [0n, 0n, 0n],
  [0n, 1n, 0n],
  [0n, 3n, 0n],
  [0n, 4n, gasPerBlob],
  [1n, 4n, gasPerBlob + 1n],
  [1n, 5n, 2n * gasPerBlob + 1n],
  [target, 3n, target],
  [target, 2n, target - gasPerBlob],
  [target, 1n, target - 2n * gasPerBlob],
  [gasPerBlob - 1n, 2n, 0n],
])('an excess of %d and %d blobs leave an excess of %d', (excessBlobGas, blobs, excess) => {
  const parent = { excessBlobGas, blobGasUsed: blobs * gasPerBlob, baseFeePerGas: 0n }
  expect(nextExcessBlobGas(parent, cancun)).toBe(excess)
})

test.each([
  [0n, 1n],
  [2_314_057n, 1n],
  [2_314_058n, 2n],
  [10_485_760n, 23n],
])('an excess of %d makes a blob base fee of %d wei', (excess, fee) => {
  expect(blobBaseFee(excess, cancun)).toBe(fee)
})

test('the fee follows the exponential function of EIP-4844 far beyond a number’s digits', () => {
  expect(blobBaseFee(50_000_000n, { ...cancun, updateFraction: 2_225_652n })).toBe(5_709_098_764n)
})

it.each([
  ['below', 1_000_000_000n, (6n * gasPerBlob * 3n) / 9n],
  ['above', 1n, 0n],
])('blobs up to the target do not lower a fee %s a sixteenth of the base fee', (_, baseFeePerGas, excess) => {
  const parent = { excessBlobGas: 0n, blobGasUsed: 6n * gasPerBlob, baseFeePerGas }
  expect(nextExcessBlobGas(parent, osaka)).toBe(excess)
  expect(nextExcessBlobGas(parent, { ...osaka, hasReserve: false })).toBe(0n)
})

test.each<[bigint, bigint, bigint, Omit<BlobSchedule, 'hasReserve'>, bigint]>([
  [5_149_252n, 1_310_720n, 30n, { target: 9n, max: 14n, updateFraction: 8_832_827n }, 5_617_366n],
  [19_251_039n, 2_490_368n, 50n, { target: 21n, max: 32n, updateFraction: 20_609_697n }, 20_107_103n],
])('an excess of %d follows the base fee of %#', (excessBlobGas, blobGasUsed, baseFeePerGas, schedule, excess) => {
  const parent = { excessBlobGas, blobGasUsed, baseFeePerGas }
  expect(nextExcessBlobGas(parent, { ...schedule, hasReserve: true })).toBe(excess)
})

test('the next fee is that of the next excess', () => {
  const parent = { excessBlobGas: 10_485_760n + target, blobGasUsed: 0n, baseFeePerGas: 1n }
  expect(nextBlobBaseFee(parent, cancun)).toBe(23n)
})
