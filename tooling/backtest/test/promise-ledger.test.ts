import { createPromiseLedger, wayleave } from '@wayleave/gas-fees'
import { expect, it } from 'vitest'
import { historyAt } from '../src/market.ts'
import { missedAfter } from '../src/measurement.ts'
import { readRecorded } from '../src/recorded.ts'
import { horizon, replay, warmUp } from '../src/replay.ts'

const levels = ['low', 'medium', 'high'] as const

it.each(await readRecorded())('the ledger of promises finds on $name what the backtest finds', (market) => {
  const ledger = createPromiseLedger(wayleave)
  const last = market.blocks.length - horizon - 1
  // As a source would have it follow: 500 blocks at a time.
  for (let index = warmUp - 1; index < market.blocks.length; index++) {
    const { number } = market.blocks[index]!
    const history = historyAt(market, index, 500)
    const [blockHash, blockDate] = [`0x${number}`, index * market.blockTimeMs]
    ledger.take({ blockNumber: number, blockHash, blockDate, history }, [{ number, hash: blockHash }])
    // The backtest makes no later offers: here they are still open.
    if (index === last) break
  }
  const measured = replay(market, [{ strategy: wayleave, levels }]).filter(
    ({ judge, regime }) => judge === 'p25' && regime === undefined,
  )
  for (const level of levels) {
    const { kept, broken, pending } = ledger.tallies()![level]
    const { withinBlocks } = wayleave.promises![level]
    const found = measured.find((each) => each.level === level)!
    expect(kept + broken + pending).toBe(found.offers)
    expect(pending).toBeLessThanOrEqual(withinBlocks)
    const missed = Math.round(missedAfter(found, withinBlocks) * found.offers)
    // Offers that are open at the end may turn out either way.
    expect(broken).toBeGreaterThanOrEqual(missed - pending)
    expect(broken).toBeLessThanOrEqual(missed)
  }
})
