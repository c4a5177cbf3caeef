import { wayleave } from '@wayleave/gas-fees'
import { beforeAll, describe, expect, it } from 'vitest'
import { backtest } from '../src/backtest.ts'
import type { Measurement } from '../src/measurement.ts'
import { readRecorded } from '../src/recorded.ts'
import { profiles, unseenProfiles } from '../src/simulator/profiles.ts'
import { simulate } from '../src/simulator/simulate.ts'
import { judgeDuels, judgePromises } from '../src/verdict.ts'

const promises = wayleave.promises!
const main = ['Ethereum', 'Base', 'Polygon', ...profiles.map(({ name }) => name)]
let measurements: readonly Measurement[]

// The short form of the backtest: seeds are fixed, so the same numbers come each time.
beforeAll(async () => {
  const simulated = [
    ...profiles.map((profile) => simulate(profile, 1_000)),
    ...unseenProfiles.map((profile) => simulate(profile, 600)),
  ]
  measurements = backtest([...(await readRecorded()), ...simulated], () => {}).measurements
}, 120_000)

function brokenPromises(judge: string): readonly string[] {
  return judgePromises(measurements, wayleave.name, promises)
    .filter((verdict) => verdict.judge === judge && !verdict.met)
    .map(({ market, level, share }) => `${market} ${level} ${share}`)
}

/** The markets in which our medium does better than the other rule in this. */
function marketsWon(peer: string, better: 'fewerMissed' | 'lessOverpaid'): readonly string[] {
  return judgeDuels(measurements, wayleave.name, promises.medium.withinBlocks)
    .filter((duel) => duel.judge === 'p25' && duel.peer === peer && duel[better])
    .map(({ market }) => market)
}

describe('wayleave', () => {
  it('keeps all promises at p25 in the main markets', () => {
    expect(brokenPromises('p25').filter((broken) => main.some((name) => broken.startsWith(name)))).toEqual([])
  })

  it('keeps all promises in every market where inclusion is judged by what it took to get in', () => {
    expect(brokenPromises('marginal')).toEqual([])
  })

  it.each(['viem', 'ethers', 'eth_gasPrice'])('misses less than %s where tips compete', (peer) => {
    const won = marketsWon(peer, 'fewerMissed')
    expect(won).toEqual(
      expect.arrayContaining(['Ethereum', 'Base', 'Polygon', 'L1', 'busy L1', 'tips x10', 'base fee 0']),
    )
  })

  it("overpays less than MetaMask's rule where tips are below its floors, and misses less where they are above", () => {
    expect(marketsWon('metamask', 'lessOverpaid')).toEqual(
      expect.arrayContaining(['Ethereum', 'Base', 'L1', 'L2', 'tips x10', 'base fee 0', '250 ms']),
    )
    expect(marketsWon('metamask', 'fewerMissed')).toEqual(
      expect.arrayContaining(['Polygon', 'busy L1', 'least tip 30']),
    )
  })
})
