import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import type { Plan } from '../../src/plan.ts'
import { createFarm } from '../../src/run/farm.ts'
import { planOf } from '../../src/run/plan-of.ts'
import type { Report } from '../../src/run/report.ts'
import { runSeeds } from '../../src/run/run-seeds.ts'
import { reportFailure } from '../../src/run/report-failure.ts'

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'fault-lab-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

it('the first seed of a sweep that fails is made smaller, told in time, and replayed by its file', async () => {
  using farm = createFarm(1, 'followers-not-closed')
  const reports: Report[] = []
  const onReport = (report: Report): void => void reports.push(report)
  const { failed } = await runSeeds(farm, { seeds: 2, from: 1, workers: 1, checkHash: 0, onReport })
  const { seed, violations } = failed[0]!
  const { invariant } = violations[0]!
  const folder = await newFolder()
  const sizes: string[] = []
  let tries = 0
  const reported = await reportFailure(
    farm,
    planOf(seed),
    reports.find((report) => report.seed === seed)!,
    {
      folder,
      forMs: 60,
      now: () => tries++,
      colour: false,
      onProgress: (text) => sizes.push(text),
    },
  )
  expect(sizes.length).toBeGreaterThan(3)
  expect(reported.text).toContain(`seed ${seed}, made smaller, from ${planOf(seed).faults.length} faults`)
  expect(reported.text).toMatch(/^ +\d+\.\d{3} s {2}\S+ +\S/m)
  expect(reported.text).toMatch(
    new RegExp(`^ {2}${invariant} at \\d+\\.\\d{3} s: .*\\nreplay: ${reported.command}$`, 'm'),
  )
  expect(reported.command).toBe(`pnpm fault-lab --plan fault-lab-${seed}.json`)

  const small = JSON.parse(await readFile(join(folder, `fault-lab-${seed}.json`), 'utf8')) as Plan
  expect(small.calls.length).toBeLessThan(planOf(seed).calls.length / 2)
  const again = await farm.run(small)
  expect(again).toEqual(reported.report)
  expect(again.violations.map((each) => each.invariant)).toContain(invariant)
})

it('a failure for which no time is left is told as it was drawn', async () => {
  const folder = await newFolder()
  const plan = planOf(4)
  const report: Report = {
    seed: 4,
    violations: [{ invariant: 'viewsMonotonic', at: 1_000, text: 'a head went back' }],
    traceHash: '',
    stats: { calls: 0, answered: 0, refused: 0, exchanges: 0, pushes: 0, judged: 0, hits: 0 },
    moments: [{ at: 900, who: 'chain', text: 'block 7' }],
  }
  using farm = createFarm(1)
  const options = { folder, forMs: 0, now: () => 0, colour: false, onProgress: () => {} }
  const reported = await reportFailure(farm, plan, report, options)
  expect(reported.report).toBe(report)
  expect(reported.text).toContain('seed 4, could not be made smaller: ')
  expect(reported.text).toContain('    0.900 s  chain  block 7\n')
  expect(JSON.parse(await readFile(join(folder, 'fault-lab-4.json'), 'utf8'))).toEqual(JSON.parse(JSON.stringify(plan)))
})
