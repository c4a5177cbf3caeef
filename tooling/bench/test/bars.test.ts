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

/** The bars of `measurements` that are judged, by their name and target. */
function verdicts(measurements: readonly Measurement[]): Readonly<Record<string, string>> {
  const judged = judgeBars(measurements).filter((bar) => bar.verdict !== 'not judged')
  return Object.fromEntries(judged.map((bar) => [`${bar.name}: ${bar.target}`, bar.verdict]))
}

describe('judgeBars', () => {
  it('judges the CPU of calls by that of nginx, and asks more of the plain gateway', () => {
    const of = (scenario: 'small' | 'block', cpuMicros: number): readonly string[] =>
      Object.values(
        verdicts([
          ...rounds('nginx', scenario, [{ cpuMicros: 10 }]),
          ...rounds('gateway', scenario, [{ cpuMicros }]),
          ...rounds('plain gateway', scenario, [{ cpuMicros }]),
        ]),
      )
    expect(of('small', 26)).toEqual(['met', 'met'])
    expect(of('small', 28)).toEqual(['met', 'not met'])
    expect(of('small', 28.1)).toEqual(['not met', 'not met'])
    expect(of('block', 30)).toEqual(['met'])
    expect(of('block', 30.1)).toEqual(['not met'])
  })

  it.each([
    ['large', '10 MB of logs'],
    ['traces', '10 MB of traces'],
  ] as const)('judges the rate and the highest peak of all rounds of %s', (scenario, name) => {
    const of = (megabytesPerSecond: number, peaks: readonly number[]): Readonly<Record<string, string>> =>
      verdicts([
        ...rounds(
          'nginx',
          scenario,
          peaks.map(() => ({ megabytesPerSecond: 1000, peakMegabytes: 20 })),
        ),
        ...rounds(
          'eRPC',
          scenario,
          peaks.map(() => ({ megabytesPerSecond: 750, peakMegabytes: 600 })),
        ),
        ...rounds(
          'gateway',
          scenario,
          peaks.map((peakMegabytes) => ({ megabytesPerSecond, peakMegabytes })),
        ),
      ])
    const expected = (nginx: string, erpc: string, peak: string): Readonly<Record<string, string>> => ({
      [`MB/s, ${name}: at least 0.75 x nginx`]: nginx,
      [`MB/s, ${name}: over 1 x eRPC`]: erpc,
      [`Peak memory, eight of ${name}: at most 150 MB`]: peak,
    })
    expect(of(751, [100, 150])).toEqual(expected('met', 'met', 'met'))
    expect(of(750, [100, 150.1, 100])).toEqual(expected('met', 'not met', 'not met'))
    expect(of(749, [100])).toEqual(expected('not met', 'not met', 'met'))
  })

  it('judges calls by those of eRPC, and those of a batch by a single one', () => {
    const of = (gateway: number): string[] => {
      const one = (subject: string, scenario: Measurement['scenario'], cpuMicros: number): Measurement[] =>
        rounds(subject, scenario, [{ cpuMicros }])
      const kinds = ['small', 'block', 'cached'] as const
      const measurements = kinds.flatMap((kind) => [...one('eRPC', kind, 100), ...one('gateway', kind, gateway)])
      return judgeBars([...measurements, ...one('gateway', 'batch', 28)])
        .slice(-4)
        .map((bar) => bar.verdict)
    }
    expect(of(35)).toEqual(['met', 'met', 'met', 'not met'])
    expect(of(40)).toEqual(['met', 'met', 'not met', 'met'])
    expect(of(43)).toEqual(['not met', 'not met', 'not met', 'met'])
  })

  it('judges nothing without nginx or the gateway', () => {
    const alone = rounds('gateway', 'small', [{ cpuMicros: 30 }])
    expect(judgeBars(alone).map((bar) => bar.verdict)).toEqual(Array(13).fill('not judged'))
    expect(judgeBars([]).map((bar) => bar.measured)).toEqual(Array(13).fill('-'))
  })
})
