import { describe, expect, it } from 'vitest'
import { fastLzSize, opL1Fee, type OpFeeParameters } from '../../src/index.ts'
import { readFileSync } from 'node:fs'
import { serializeTransaction } from 'viem'

interface Vectors {
  /** Raw transactions with their sizes by FastLZ, of op-geth's and maili's tests. */
  readonly sizes: readonly { readonly name: string; readonly raw: string; readonly fastLz: number }[]
  /** Receipts of public transactions: those whose size is known, as their bytes are, or are few enough for the least size. */
  readonly receipts: readonly (Readonly<Record<keyof OpFeeParameters, string>> & {
    readonly name: string
    readonly l1Fee: string
    readonly raw?: string
  })[]
}

const { sizes, receipts } = JSON.parse(
  readFileSync(new URL('../vectors/op-l1-fees.json', import.meta.url), 'utf8'),
) as Vectors

const bytes = (hex: string): Uint8Array => Uint8Array.from(Buffer.from(hex.slice(2), 'hex'))
/** A transaction so small that it counts as 100 bytes. */
const small = `0x02${'f8'.repeat(100)}`

describe('the size by FastLZ', () => {
  it.each([
    ['nothing', new Uint8Array(), 0],
    ['three bytes', Uint8Array.of(0xfa, 0xca, 0xde), 4],
    ['1,000 zeroes', new Uint8Array(1_000), 21],
    ['1,000 ones', new Uint8Array(1_000).fill(1), 21],
    ['1,000 forty-twos', new Uint8Array(1_000).fill(42), 21],
  ])('of %s is that of op-geth', (_, data, size) => {
    expect(fastLzSize(data)).toBe(size)
  })

  it.each(sizes)('of $name is $fastLz', ({ raw, fastLz }) => {
    expect(fastLzSize(bytes(raw))).toBe(fastLz)
  })

  it('grows with each byte where nothing repeats', () => {
    const all = Uint8Array.from({ length: 256 }, (_, i) => i)
    for (let count = 1; count <= all.length; count += 1) {
      expect(fastLzSize(all.subarray(0, count))).toBeGreaterThan(fastLzSize(all.subarray(0, count - 1)))
    }
  })
})

describe('the L1 fee of an OP chain', () => {
  it.each(receipts)('is that of the receipt: $name', ({ raw = small, l1Fee, ...texts }) => {
    const of = (name: keyof OpFeeParameters): bigint => BigInt(texts[name])
    const parameters = {
      l1BaseFee: of('l1BaseFee'),
      l1BlobBaseFee: of('l1BlobBaseFee'),
      baseFeeScalar: of('baseFeeScalar'),
      blobBaseFeeScalar: of('blobBaseFeeScalar'),
    }
    expect(opL1Fee(raw, parameters)).toBe(BigInt(l1Fee))
    expect(opL1Fee(bytes(raw), parameters)).toBe(BigInt(l1Fee))
  })

  it('is that of a receipt of OP Mainnet before Fjord, whose bytes took 2,048 gas', () => {
    // 0x2bc7cb4648e847712e39abd42178e35214a70bb15c568d604687661b9539b4c2, quoted in alloy's tests.
    const prices = { l1BaseFee: 0x5d749a07en, l1BlobBaseFee: 1n, baseFeeScalar: 0x558n, blobBaseFeeScalar: 0xc5fc5n }
    expect(opL1Fee(new Uint8Array(128).fill(1), prices, { fork: 'ecotone' })).toBe(0x105d4b2024n)
  })

  it('of an unsigned transaction is up to 2.5 % above that of its receipt, as the oracle counts three bytes more', () => {
    // Ink 0xe777242578ab63e59b0557a64532f72aae0896b9d73334143c292561706a8c48, of 102 bytes.
    const unsigned = serializeTransaction({
      type: 'eip1559',
      chainId: 57_073,
      nonce: 0x403,
      to: '0x1d74317d760f2c72a94386f50e8d10f2c902b899',
      gas: 0x2a554n,
      maxFeePerGas: 0xb60n,
      maxPriorityFeePerGas: 0x83en,
      data: `0x6d97786e${['93ef700eaa13d3aad542dd43949409faee314256', '11f28dde593f36', '60', ''].map((word) => word.padStart(64, '0')).join('')}`,
    })
    const prices = {
      l1BaseFee: 0x1ad4a98n,
      l1BlobBaseFee: 0x1a7752n,
      baseFeeScalar: 0x1148n,
      blobBaseFeeScalar: 0xc5f4fn,
    }
    const share = Number(opL1Fee(unsigned, prices, { isSigned: false })) / 0x14af066f
    expect(share).toBeGreaterThanOrEqual(1)
    expect(share).toBeLessThan(1.026)
  })

  /** Prices of op-geth's tests (core/types/rollup_cost_test.go). */
  const parameters = {
    l1BaseFee: 1_000_000_000n,
    l1BlobBaseFee: 10_000_000n,
    baseFeeScalar: 2n,
    blobBaseFeeScalar: 3n,
  }

  it('follows the bytes by Ecotone, as op-geth’s test has it for 30 of them', () => {
    expect(opL1Fee(new Uint8Array(30).fill(1), parameters, { fork: 'ecotone' })).toBe(960_900n)
    expect(opL1Fee(Uint8Array.from([1, ...new Uint8Array(116)]), parameters, { fork: 'ecotone' })).toBe(960_900n)
  })

  it('counts 100 bytes at least by Fjord', () => {
    expect(opL1Fee('0x01', parameters)).toBe(3_203_000n)
    expect(opL1Fee(small, parameters)).toBe(3_203_000n)
  })

  it('adds the bytes of a signature where it is missing, as the oracle does', () => {
    const long = sizes[0]!.raw
    const signed = opL1Fee(long, parameters)
    const perByte = 32_030n
    const added = opL1Fee(long, parameters, { isSigned: false }) - signed
    expect(Number(added)).toBeCloseTo(68 * 0.8365 * Number(perByte), -1)
    expect(opL1Fee(new Uint8Array(30).fill(1), parameters, { fork: 'ecotone', isSigned: false })).toBe(3_138_940n)
  })

  it('is nothing for a deposit and for no bytes', () => {
    expect(opL1Fee('0x7eff', parameters)).toBe(0n)
    expect(opL1Fee('0x', parameters)).toBe(0n)
  })

  it.each(['', '02ff', '0x0', '0xzz'])('is refused of %j, which is no bytes', (hex) => {
    expect(() => opL1Fee(hex, parameters)).toThrow(expect.objectContaining({ code: 'malformed' }))
  })
})
