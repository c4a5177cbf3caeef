import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  blobBaseFee,
  blobSchedules,
  nextBlobBaseFee,
  nextExcessBlobGas,
  suggestBlobFee,
  suggestBlobFeeFrom,
} from '../../src/index.ts'

const hex = (value: bigint): string => `0x${value.toString(16)}`

describe('the blob fee suggested', () => {
  it('covers the next block’s and two rises by an eighth', () => {
    const answer = { gasUsedRatio: [0.5, 0.4], baseFeePerBlobGas: ['0x1', '0x2', hex(1_000_000_000n)] }
    expect(suggestBlobFee(answer)).toEqual({ baseFeePerBlobGas: 1_000_000_000n, maxFeePerBlobGas: 1_267_876_002n })
  })

  it('comes of one call to the wallet’s node', async () => {
    const calls: unknown[] = []
    const offer = await suggestBlobFeeFrom((call) => {
      calls.push(call)
      return Promise.resolve({ gasUsedRatio: [0.5], baseFeePerBlobGas: ['0x1', '0x10'] })
    })
    expect(offer.baseFeePerBlobGas).toBe(16n)
    expect(calls).toEqual([{ method: 'eth_feeHistory', params: ['0x1', 'latest', []] }])
  })

  it.each([[['0x50']], [['0x50', null]], [['0x50', '0x0']]])(
    'takes a next fee that the node leaves out (%j) to be an eighth above the newest',
    (baseFeePerBlobGas) => {
      expect(suggestBlobFee({ gasUsedRatio: [1], baseFeePerBlobGas }).baseFeePerBlobGas).toBe(91n)
    },
  )

  it.each([
    ['unsupported', { gasUsedRatio: [0.5] }],
    ['unsupported', { gasUsedRatio: [0.5], baseFeePerBlobGas: ['0x0', '0x0'] }],
    ['unsupported', { gasUsedRatio: [0.5], baseFeePerBlobGas: 'none' }],
    ['invalid_response', { gasUsedRatio: [], baseFeePerBlobGas: ['0x1'] }],
    ['invalid_response', null],
  ])('is refused as %s of %j', (code, answer) => {
    expect(() => suggestBlobFee(answer)).toThrow(expect.objectContaining({ code }))
  })

  it.each(Object.entries(blobSchedules))(
    'covers three blocks by the schedule of %s, whatever they hold',
    (_, schedule) => {
      const blobs = fc.bigInt({ min: 0n, max: schedule.max })
      const baseFee = fc.bigInt({ min: 1n, max: 500_000_000_000n })
      const excess = fc.bigInt({ min: 0n, max: 40n * schedule.updateFraction })
      fc.assert(
        fc.property(excess, fc.array(fc.tuple(blobs, baseFee), { minLength: 3, maxLength: 3 }), (start, blocks) => {
          let excessBlobGas = start
          const fees = blocks.map(([count, baseFeePerGas]) => {
            const parent = { excessBlobGas, blobGasUsed: count * 131_072n, baseFeePerGas }
            excessBlobGas = nextExcessBlobGas(parent, schedule)
            expect(blobBaseFee(excessBlobGas, schedule)).toBe(nextBlobBaseFee(parent, schedule))
            return blobBaseFee(excessBlobGas, schedule)
          })
          const { maxFeePerBlobGas } = suggestBlobFee({ gasUsedRatio: [0], baseFeePerBlobGas: ['0x1', hex(fees[0]!)] })
          for (const fee of fees) expect(maxFeePerBlobGas).toBeGreaterThanOrEqual(fee)
        }),
      )
    },
  )
})
