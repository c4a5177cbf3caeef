import { wayleave } from '@wayleave/gas-fees'
import { expect, it } from 'vitest'
import { measureColdStart } from '../src/cold-start.ts'
import { type Market, reordered } from '../src/market.ts'
import { readRecorded } from '../src/recorded.ts'
import { replay } from '../src/replay.ts'
import { stairProfiles } from '../src/simulator/profiles.ts'
import { simulate } from '../src/simulator/simulate.ts'
import { judgePromises } from '../src/verdict.ts'

const ours = [{ strategy: wayleave, levels: ['low', 'medium', 'high'] as const }]

/** The promises that p25 finds broken. */
function broken(market: Market): readonly string[] {
  return judgePromises(
    replay(market, ours).filter(({ regime }) => regime === undefined),
    wayleave.name,
    wayleave.promises!,
  )
    .filter(({ judge, met }) => judge === 'p25' && !met)
    .map(({ level, share }) => `${market.name} ${level} ${share}`)
}

const recorded = await readRecorded()

it.each(['backwards', 'third'] as const)('keeps all promises on the recordings %s', (order) => {
  const markets = recorded.flatMap((each) => reordered<Market>(each, order))
  expect(markets.flatMap(broken)).toEqual([])
})

it.each([0, 1, 2])('keeps all promises where tips climb by stairs: seed %i', { timeout: 60_000 }, (seed) => {
  const markets = stairProfiles.map((profile) => simulate({ ...profile, seed: profile.seed + seed }))
  expect(markets.flatMap(broken)).toEqual([])
})

it('keeps all promises on the recordings while one to nine blocks are known', { timeout: 60_000 }, () => {
  const kept = recorded.flatMap((market) => [market, ...reordered(market, 'backwards')]).flatMap(measureColdStart)
  const few = kept.filter(({ known }) => known <= 9)
  expect(few).toHaveLength(2 * recorded.length * 3 * 9)
  expect(few.filter(({ level, share }) => share < wayleave.promises![level].probability)).toEqual([])
})
