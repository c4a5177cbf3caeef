import type { FeeBlock, FeeHistory } from '@wayleave/gas-fees'
import { describe, expect, it } from 'vitest'
import { historyAt } from '../../src/market.ts'
import { nodeTip, nodeTipWindow } from '../../src/peers/node-tip.ts'
import { readRecorded } from '../../src/recorded.ts'

function history(tips: readonly bigint[], gasUsedRatio = 0.5): FeeHistory {
  const blocks: FeeBlock[] = tips.map((tip, at) => ({
    number: at,
    baseFeePerGas: 10n,
    gasUsedRatio,
    rewards: [0n, tip, tip],
  }))
  return { percentiles: [0, 10, 50], blocks, nextBaseFeePerGas: 10n, blockTimeMs: undefined }
}

describe('nodeTip', () => {
  it('says of recorded chains what their nodes said, within 1 % where transactions are needed to be exact', async () => {
    const markets = await readRecorded()
    const said = markets.map((market) =>
      nodeTip(historyAt(market, market.blocks.length - 1, nodeTipWindow), market.node),
    )
    expect(said.slice(0, 2)).toEqual(markets.slice(0, 2).map((market) => market.nodeTip))
    expect(Math.abs(Number(said[2]) / Number(markets[2]!.nodeTip) - 1)).toBeLessThan(0.01)
  })

  it("is geth's 60th percentile of 20 blocks, and sees no older one", () => {
    const twenty = Array.from({ length: 20 }, (_, at) => BigInt(at + 1) * 100n)
    expect(nodeTip(history([...Array<bigint>(10).fill(9_999n), ...twenty]), 'geth')).toBe(1200n)
  })

  it('ignores tips below 2 wei, and looks at an older block for each that has no other', () => {
    expect(nodeTip(history([...Array<bigint>(20).fill(700n), 1n, 0n]), 'geth')).toBe(700n)
    expect(nodeTip(history([0n, 1n]), 'geth')).toBe(1n)
  })

  it('is never above 500 gwei', () => {
    const tip = 900_000_000_000n
    expect(nodeTip(history([tip]), 'geth')).toBe(500_000_000_000n)
    expect(nodeTip(history([tip], 1), 'op-geth')).toBe(500_000_000_000n)
  })

  it("is op-geth's 0.001 gwei while there is room, and a tenth above the median once a block is full", () => {
    expect(nodeTip(history([5_000_000n]), 'op-geth')).toBe(1_000_000n)
    expect(nodeTip(history([5_000_000n], 0.99), 'op-geth')).toBe(5_500_000n)
    expect(nodeTip(history([5n], 0.99), 'op-geth')).toBe(1_000_000n)
  })
})
