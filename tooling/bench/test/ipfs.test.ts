import { tmpdir } from 'node:os'
import { expect, test } from 'vitest'
import { systemClock } from '../src/defaults.ts'
import { type IpfsSeries, runIpfsBench } from '../src/ipfs/ipfs-bench.ts'
import { figuresOf, printIpfs } from '../src/ipfs/report.ts'
import { runSmallBench, smallJobs } from '../src/ipfs/small-bench.ts'
import { printSmall } from '../src/ipfs/small-report.ts'

function series(subject: string, base: string | undefined, ms: readonly number[]): IpfsSeries {
  const samples = ms.map((each) => ({ ms: each, cpuMs: 2 * each, clientMs: 0, foreignPercent: 0 }))
  return { subject, job: 'add', base, samples }
}

test('a share is that of the bare loop in the same round, and is met from 0.8 on; faster is faster in every round', () => {
  const bench = {
    series: [
      series('bare loop, durable', undefined, [1_000, 2_000, 3_000]),
      series('server', 'bare loop, durable', [1_250, 2_500, 9_000]),
      series('local backend', 'bare loop, durable', [1_300, 2_600, 3_000]),
      series('importer and blockstore-fs, durable', 'bare loop, durable', [2_600, 2_600, 4_500]),
      series('importer and blockstore-fs', 'bare loop', [2_600, 3_900, 4_500]),
    ],
    missing: [['Kubo', 'nobody brought it']] as const,
  }
  const [bare, server, backend] = figuresOf(bench, 1_024)
  expect(bare!.ratio).toBeUndefined()
  expect(bare!.cpuPerGib.median).toBe(4)
  expect(server!.ratio!.median).toBeCloseTo(0.8)
  expect(server!.mbPerSecond.max).toBeCloseTo((1_024 * 1.048576) / 1.25)
  expect(backend!.ratio!.median).toBeCloseTo(0.769)
  const lines = printIpfs(bench, 1_024).split('\n')
  expect(lines.find((line) => line.startsWith('| server'))).toMatch(/\| +met \|/)
  expect(lines.find((line) => line.startsWith('| local backend'))).toMatch(/\| +not met \|/)
  const [durably, plainly] = lines.filter((line) => line.startsWith('| add: local backend'))
  expect(durably).toMatch(/1\.50 \(1\.00 to 2\.00\).*\| +not shown \|/)
  expect(plainly).toMatch(/1\.50 \(1\.50 to 2\.00\).*\| +yes \|/)
  expect(lines.at(-1)).toBe('- Kubo was left out: nobody brought it.')
})

test('every subject that needs nothing installed adds and reads the same content, each in a process of its own', async () => {
  const only = [
    'bare loop, durable',
    'local backend',
    'server',
    'importer and blockstore-fs',
    'importer and blockstore-fs, durable',
  ]
  const plan = { mib: 2, rounds: 1, folder: tmpdir(), only, code: 'sources', restMs: 0 } as const
  const { series: all, missing } = await runIpfsBench(plan, systemClock, () => {})
  expect(missing).toEqual([])
  expect(all.map(({ job, subject }) => `${job}: ${subject}`)).toEqual([
    'add: bare loop, durable',
    'cat: bare loop, durable to nowhere',
    'cat: bare loop, durable',
    'add: local backend',
    'cat: local backend',
    'add: server',
    'cat: server',
    'add: importer and blockstore-fs',
    'cat: exporter and blockstore-fs',
    'add: importer and blockstore-fs, durable',
  ])
  expect(all.every(({ samples }) => samples.length === 1 && samples[0]!.ms > 0 && samples[0]!.cpuMs > 0)).toBe(true)
}, 60_000)

test('small files are added, small blocks imported and files read at once, and each job is judged by its bar', async () => {
  const plan = {
    files: 30,
    blocks: 300,
    reads: 1,
    rounds: 1,
    folder: tmpdir(),
    code: 'sources',
    jobs: smallJobs,
  } as const
  const all = await runSmallBench(plan, systemClock, () => {})
  const own = all.filter(({ subject }) => subject === 'server')
  expect(own.map(({ job, ms }) => [job, ms.length])).toEqual([
    ['add', 1],
    ['dag/import', 1],
    ['cat', 1],
  ])
  const made = [
    { subject: 'server', job: 'add', ms: [150, 320], cpuMs: [1, 1] },
    { subject: 'Kubo', job: 'add', ms: [100, 200], cpuMs: [1, 1] },
  ] as const
  expect(
    printSmall(
      made.map((each) => ({ ...each, ms: [...each.ms], cpuMs: [...each.cpuMs] })),
      plan,
    ),
  ).toMatch(/server .*1\.55 \(1\.50 to 1\.60\).*÷ Kubo at most 1\.5: not met/)
}, 60_000)
