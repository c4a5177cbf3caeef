import { describe, expect, it } from 'vitest'
import type { Measurement } from '../src/measurement.ts'
import { judgeDuels, judgePromises } from '../src/verdict.ts'

/** Measures 100 offers; the rest was never included. */
function measured(
  strategy: string,
  waits: readonly [number, number, number],
  overpaid: number | undefined,
): Measurement {
  const never = 100 - waits[0] - waits[1] - waits[2]
  return {
    market: 'small',
    strategy,
    level: 'medium',
    judge: 'p25',
    offers: 100,
    waits: [...waits, never],
    overpaid,
    overpaidGwei: 0,
    reserve: 1,
  }
}

describe('judgePromises', () => {
  it('tells a promise met from one missed by a single offer', () => {
    const judge = (waits: readonly [number, number, number]) =>
      judgePromises([measured('ours', waits, 0), measured('theirs', [0, 0, 0], 0)], 'ours', {
        low: { withinBlocks: 3, probability: 0.9 },
        medium: { withinBlocks: 2, probability: 0.95 },
        high: { withinBlocks: 1, probability: 0.95 },
      }).map(({ met, share }) => ({ met, share }))
    expect(judge([90, 5, 5])).toEqual([{ met: true, share: 0.95 }])
    expect(judge([90, 4, 6])).toEqual([{ met: false, share: 0.94 }])
  })
})

describe('judgeDuels', () => {
  const duel = (ours: Measurement, theirs: Measurement) => {
    const [verdict] = judgeDuels([ours, theirs], 'ours', 2)
    return [verdict!.fewerMissed, verdict!.lessOverpaid]
  }

  it('calls for fewer misses, or none, and for less overpayment', () => {
    expect(duel(measured('ours', [95, 3, 2], 0.1), measured('theirs', [95, 2, 3], 0.2))).toEqual([true, true])
    expect(duel(measured('ours', [95, 2, 3], 0.2), measured('theirs', [95, 2, 3], 0.2))).toEqual([false, false])
    expect(duel(measured('ours', [100, 0, 0], 0.3), measured('theirs', [100, 0, 0], 0.2))).toEqual([true, false])
  })

  it('does not let a rule win by never being included', () => {
    expect(duel(measured('ours', [9, 0, 0], 0.1), measured('theirs', [0, 0, 0], undefined))).toEqual([true, true])
    expect(duel(measured('ours', [0, 0, 0], undefined), measured('theirs', [9, 0, 0], 0.1))).toEqual([false, false])
  })
})
