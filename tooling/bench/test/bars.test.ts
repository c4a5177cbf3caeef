import { describe, expect, it } from 'vitest'
import { judgeBars } from '../src/bars.ts'
import type { Measurement } from '../src/measurement.ts'

function rounds(
  subject: string,
  scenario: Measurement['scenario'],
  values: readonly Measurement['values'][],
): Measurement[] {
  return values.map((each, round) => ({ subject, scenario, round, values: each }))
}

function verdicts(cpuMicros: number, megabytesPerSecond: number, peakMegabytes: readonly number[]): string[] {
  const measurements = [
    ...rounds('nginx', 'small', [{ cpuMicros: 10 }]),
    ...rounds('gateway', 'small', [{ cpuMicros }]),
    ...rounds(
      'nginx',
      'large',
      peakMegabytes.map(() => ({ megabytesPerSecond: 1000, peakMegabytes: 20 })),
    ),
    ...rounds(
      'gateway',
      'large',
      peakMegabytes.map((peak) => ({ megabytesPerSecond, peakMegabytes: peak })),
    ),
  ]
  return judgeBars(measurements)
    .slice(0, 4)
    .map((bar) => bar.verdict)
}

describe('judgeBars', () => {
  it('says what is met, what is met within tolerance and what is not', () => {
    expect(verdicts(30, 700, [159])).toEqual(['met', 'not judged', 'met', 'met'])
    expect(verdicts(33, 699, [160])).toEqual(['met within tolerance', 'not judged', 'not met', 'not met'])
    expect(verdicts(33.1, 700, [100])).toEqual(['not met', 'not judged', 'met', 'met'])
  })

  it('takes the highest peak of all rounds', () => {
    expect(verdicts(30, 700, [100, 170, 100])[3]).toBe('not met')
  })

  it('judges calls by those of eRPC, and those of a batch by a single one', () => {
    const of = (gateway: number): string[] => {
      const one = (subject: string, scenario: Measurement['scenario'], cpuMicros: number): Measurement[] =>
        rounds(subject, scenario, [{ cpuMicros }])
      const kinds = ['small', 'block', 'cached'] as const
      const measurements = kinds.flatMap((kind) => [...one('eRPC', kind, 100), ...one('gateway', kind, gateway)])
      return judgeBars([...measurements, ...one('gateway', 'batch', 28)])
        .slice(4)
        .map((bar) => bar.verdict)
    }
    expect(of(35)).toEqual(['met', 'met', 'met', 'not met'])
    expect(of(40)).toEqual(['met', 'met', 'not met', 'met'])
    expect(of(43)).toEqual(['not met', 'not met', 'not met', 'met'])
  })

  it('judges nothing without nginx or the gateway', () => {
    const alone = rounds('gateway', 'small', [{ cpuMicros: 30 }])
    expect(judgeBars(alone).map((bar) => bar.verdict)).toEqual(Array(8).fill('not judged'))
    expect(judgeBars([]).map((bar) => bar.measured)).toEqual(Array(8).fill('-'))
  })
})
