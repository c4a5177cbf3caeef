import { expect, it } from 'vitest'
import type { Report } from '../../src/run/report.ts'
import { printTimeline, printViolations } from '../../src/run/timeline.ts'

const report: Report = {
  seed: 4_711,
  violations: [{ invariant: 'noWrongAnswer', at: 2_000, text: 'call #3: a false block' }],
  traceHash: '',
  stats: { calls: 1, answered: 1, refused: 0, exchanges: 1, pushes: 0, judged: 1, hits: 0 },
  moments: Array.from({ length: 60 }, (_, i) => ({
    at: i * 100,
    who: i % 2 === 0 ? 'chain' : 'app #3',
    text: `it ${i}`,
  })),
}

it('a timeline ends soon after the first violation, in plain text where there are no colours', () => {
  const lines = printTimeline(report, { colour: false, maxLines: 16 }).trimEnd().split('\n')
  expect(lines).toHaveLength(18)
  expect(lines[0]).toBe('    … 15 earlier lines')
  expect(lines[6]).toBe('    2.000 s  chain   it 20')
  expect(lines.at(-1)).toBe('    … 29 later lines')
  expect(printTimeline(report, { colour: true, maxLines: 16 })).toContain('\u001B[36m')
})

it('violations are told in words, with the command that replays them', () => {
  expect(printViolations(report, 'pnpm fault-lab --seed 4711', false)).toBe(
    'seed 4711 breaks an invariant:\n  noWrongAnswer at 2.000 s: call #3: a false block\nreplay: pnpm fault-lab --seed 4711\n',
  )
})
