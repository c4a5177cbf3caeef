import { describe, expect, it } from 'vitest'
import { judgeBars } from '../src/bars.ts'
import type { Measurement } from '../src/measurement.ts'
import { wholeWay } from '../src/time-stages.ts'

function rounds(
  subject: string,
  scenario: Measurement['scenario'],
  values: readonly Measurement['values'][],
): Measurement[] {
  return values.map((each, round) => ({ subject, scenario, round, values: each }))
}

/** The bars of `measurements` that are judged, by their name and target. */
function verdicts(
  measurements: readonly Measurement[],
  stages: Parameters<typeof judgeBars>[1] = [],
): Readonly<Record<string, string>> {
  const judged = judgeBars(measurements, stages).filter((bar) => bar.verdict !== 'not judged')
  return Object.fromEntries(judged.map((bar) => [`${bar.name}: ${bar.target}`, bar.verdict]))
}

describe('judgeBars', () => {
  it.each([
    ['small', 'nginx', 'CPU of a small uncached call: at most 3 x nginx', 3],
    ['small', 'eRPC', 'CPU of a small uncached call: at most 0.32 x eRPC', 0.32],
    ['block', 'nginx', 'CPU of an uncached call, 2 kB result: at most 3.2 x nginx', 3.2],
    ['block', 'eRPC', 'CPU of an uncached call, 2 kB result: at most 0.32 x eRPC', 0.32],
    ['cached', 'nginx', 'CPU of a cached read: at most 1.5 x nginx', 1.5],
    ['cached', 'eRPC', 'CPU of a cached read: at most 0.35 x eRPC', 0.35],
    ['batch', 'eRPC', 'CPU of a call of a batch: at most 0.1 x eRPC', 0.1],
    ['socket', 'nginx', 'CPU of a call over a WebSocket: at most 3.5 x nginx', 3.5],
    ['large', 'nginx', 'CPU, 10 MB of logs: at most 1.5 x nginx', 1.5],
    ['traces', 'nginx', 'CPU, 10 MB of traces: at most 1.5 x nginx', 1.5],
  ] as const)('holds the CPU of %s against %s by the median of the rounds', (scenario, peer, bar, most) => {
    const of = (ratios: readonly number[]): string | undefined =>
      verdicts([
        ...rounds(
          peer,
          scenario,
          ratios.map(() => ({ cpuMicros: 1_000 })),
        ),
        ...rounds(
          'gateway',
          scenario,
          ratios.map((ratio) => ({ cpuMicros: ratio * 1_000 })),
        ),
      ])[bar]
    expect([of([most, 0, most * 9]), of([most * 1.01, 0, most * 9])]).toEqual(['met', 'not met'])
  })

  it('has a call of a batch take at most 15 µs', () => {
    const of = (cpuMicros: number): string | undefined =>
      verdicts(rounds('gateway', 'batch', [{ cpuMicros }]))['CPU of a call of a batch: at most 15 µs']
    expect([of(15), of(15.1)]).toEqual(['met', 'not met'])
  })

  it.each([
    ['large', '10 MB of logs'],
    ['traces', '10 MB of traces'],
  ] as const)('judges the rate and the highest peak of all rounds of %s', (scenario, name) => {
    const of = (megabytesPerSecond: number, peaks: readonly number[]): Readonly<Record<string, string>> =>
      verdicts([
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
    const expected = (erpc: string, peak: string): Readonly<Record<string, string>> => ({
      [`MB/s, ${name}: over 1 x eRPC`]: erpc,
      [`Peak memory, eight of ${name}: at most 170 MB`]: peak,
    })
    expect(of(751, [100, 170])).toEqual(expected('met', 'met'))
    expect(of(750, [100, 170.1, 100])).toEqual(expected('not met', 'not met'))
  })

  it('holds a call against its parts, on either side', () => {
    const measurements = [
      ...rounds('bare-proxy', 'small', [{ cpuMicros: 40 }]),
      ...rounds('gateway', 'small', [{ cpuMicros: 100 }]),
    ]
    const of = (micros: number): string | undefined =>
      verdicts(measurements, [
        { name: 'route', allowanceMicros: 1, isAside: false, micros: 500 },
        { name: wholeWay, allowanceMicros: 60, isAside: true, micros },
      ])['the bare proxy and the way from body to reply: from 0.85 to 1.15 x the call']
    expect([44, 46, 74, 76].map(of)).toEqual(['not met', 'met', 'met', 'not met'])
    expect(verdicts(measurements)).toEqual({})
  })

  it('judges nothing without a peer or the gateway', () => {
    const alone = rounds('gateway', 'small', [{ cpuMicros: 30 }])
    expect(judgeBars(alone, []).map((bar) => bar.verdict)).toEqual(Array(16).fill('not judged'))
    expect(judgeBars([], []).map((bar) => bar.measured)).toEqual(Array(16).fill('-'))
  })
})
