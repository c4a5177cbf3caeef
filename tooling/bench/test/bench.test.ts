import { execSync } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { describe, expect, it, onTestFinished } from 'vitest'
import { runBench } from '../src/bench.ts'
import { systemClock } from '../src/defaults.ts'
import { printReport } from '../src/report.ts'
import { bareProxy } from '../src/subjects/bare-proxy.ts'
import { nginx } from '../src/subjects/nginx.ts'
import { straight } from '../src/subjects/straight.ts'
import type { SubjectKind } from '../src/subjects/subject.ts'
import { startUpstream } from '../src/subjects/upstream.ts'

const quick = {
  rounds: 2,
  seconds: 0.1,
  rate: 200,
  connections: 4,
  subscribers: 20,
  repeats: 0,
  clock: systemClock,
  progress: () => {},
}

describe.runIf(process.platform === 'linux')('runBench', () => {
  it('measures small calls in every scenario of every round', async () => {
    const { measurements } = await runBench({ ...quick, subjects: [bareProxy], suites: ['small'] })
    const order = measurements.map((m) => `${m.round} ${m.scenario}`)
    expect(order).toEqual(['0 small', '0 block', '0 rate', '1 small', '1 block', '1 rate'])
    for (const { scenario, values } of measurements) {
      expect(values.cpuMicros, scenario).toBeGreaterThan(0)
      if (scenario === 'rate') expect(values.p99Micros).toBeGreaterThanOrEqual(values.p50Micros!)
      else expect(values.perSecond, scenario).toBeGreaterThan(0)
    }
    const report = printReport({
      ...quick,
      date: '2000-01-01',
      command: 'bench',
      machine: [],
      caveat: 'a test',
      subjects: ['bare-proxy'],
      skipped: ['gateway'],
      measurements,
      discarded: [],
      stages: [],
    })
    expect(report).toContain('No measurement: a test')
    expect(report).toContain('Left out: gateway')
    expect(report).toMatch(/\| bare-proxy \| +\d/)
  })

  it('measures throughput and the peak of memory of large results', async () => {
    const { measurements } = await runBench({ ...quick, rounds: 1, subjects: [bareProxy], suites: ['large'] })
    const { values } = measurements[0]!
    expect(values.megabytesPerSecond).toBeGreaterThan(0)
    expect(values.peakMegabytes).toBeGreaterThan(30)
  })

  const isOptional = process.env['REQUIRE_SERVICES'] === undefined
  it.skipIf(isOptional && nginx.missing() !== undefined)('measures nginx and the bare proxy in turn', async () => {
    const { measurements } = await runBench({ ...quick, subjects: [nginx, bareProxy], suites: ['large'] })
    const of = (scenario: string): string[] => measurements.filter((m) => m.scenario === scenario).map((m) => m.subject)
    expect(of('large')).toEqual(['nginx', 'bare-proxy', 'bare-proxy', 'nginx'])
    expect(of('traces')).toEqual(['nginx', 'bare-proxy', 'bare-proxy', 'nginx'])
  })

  it('measures calls over WebSockets, subscribers and the mix at the node itself', async () => {
    const suites = ['socket', 'subscribers', 'mix'] as const
    const { measurements } = await runBench({ ...quick, rounds: 1, subjects: [straight, bareProxy], suites })
    expect(measurements.map((m) => `${m.scenario} ${m.subject}`)).toEqual([
      'socket straight',
      'subscribers straight',
      'mix straight',
      'mix bare-proxy',
    ])
    const [socket, subscribers, mix, proxied] = measurements.map((m) => m.values)
    expect(socket!.perSecond).toBeGreaterThan(0)
    expect(subscribers!.p99Micros).toBeGreaterThanOrEqual(subscribers!.p50Micros!)
    expect(mix).toMatchObject({ cachedPercent: 0 })
    expect(proxied!.cpuMicros).toBeGreaterThan(0)
  })

  it('counts the CPU time of each call of a batch, and fails where a cache does not answer', async () => {
    const [batch] = (await runBench({ ...quick, rounds: 1, subjects: [bareProxy], suites: ['batch'] })).measurements
    expect(batch!.values.cpuMicros).toBeGreaterThan(0)
    const forgetful: SubjectKind = { ...bareProxy, caches: true }
    await expect(runBench({ ...quick, subjects: [forgetful], suites: ['cached'] })).rejects.toMatchObject({
      code: 'wrong_answer',
      message: expect.stringContaining('answers of its cache were expected') as string,
    })
  })

  it('measures a disturbed round again and keeps what it discards', async () => {
    const burners = Math.ceil(availableParallelism() / 8)
    // Orphans, so that they are not the bench's own; should the test die, they end by themselves.
    const burner = 'timeout 60 sh -c "while :; do :; done" >/dev/null 2>&1 & echo $!'
    for (let i = 0; i < burners; i++) {
      const pid = Number(execSync(burner, { encoding: 'utf8' }))
      onTestFinished(() => void process.kill(pid))
    }
    const options = { ...quick, rounds: 1, repeats: 1, subjects: [bareProxy], suites: ['batch'] } as const
    const { measurements, discarded } = await runBench(options)
    expect(measurements).toHaveLength(1)
    expect(discarded).toHaveLength(1)
    expect(discarded[0]!.values.foreignPercent).toBeGreaterThanOrEqual(measurements[0]!.values.foreignPercent!)
  })

  it('fails where a subject answers without asking upstream', async () => {
    // A second upstream in the place of a proxy gives the right answers by itself.
    const cache: SubjectKind = {
      name: 'cache',
      missing: () => undefined,
      async start({ clock }) {
        const { port, [Symbol.asyncDispose]: close } = await startUpstream(clock)
        return {
          name: 'cache',
          pid: process.pid,
          target: { port, path: '/', webSocketPath: '/' },
          [Symbol.asyncDispose]: close,
        }
      },
    }
    await expect(runBench({ ...quick, subjects: [cache], suites: ['small'] })).rejects.toMatchObject({
      code: 'wrong_answer',
      message: expect.stringContaining('upstream, 0 came') as string,
    })
  })
})
