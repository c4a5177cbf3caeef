import { ConfigError, ListenError } from '@wayleave/gateway'
import { FakeClock } from '@wayleave/jsonrpc-core/testing'
import { describe, expect, it, vi } from 'vitest'
import type { PinnedConfig } from '../../src/chains/pinned-config.ts'
import { createMetrics } from '../../src/telemetry/metrics.ts'
import type { Channel } from '../../src/shared-state/channel.ts'
import { aliveMs, topics } from '../../src/shared-state/topics.ts'
import type { Prepared, WorkerStart, WorkerStarted } from '../../src/cluster/worker-messages.ts'
import { createWorkers } from '../../src/cluster/workers.ts'
import type { ProcessSample } from '../../src/shared-state/worker-line.ts'
import { channelPair } from '../workers/channel-pair.ts'

interface FakeWorker {
  readonly first: WorkerStart
  readonly channel: Channel
  /** All that it was told, in order. */
  readonly reported: string[]
  readonly present: () => PinnedConfig
  isKilled: boolean
  end(why?: string): void
  stall(): void
  /** Whether it gives no sign of life any more. */
  isHung: boolean
  /** The sample of its process. */
  sample: ProcessSample | undefined
}

const config = { networks: {}, limits: { maxCalls: 10 } } satisfies PinnedConfig

/** Workers whose processes are in this one. `outcome` decides how a start ends; `prepare`, which problems a worker has with a configuration. */
function open({
  count = 2,
  outcome = () => ({ ok: true }),
  prepare = () => ({ problems: [] }),
  hasSpare = false,
}: {
  count?: number
  outcome?: (slot: number, generation: number) => WorkerStarted
  prepare?: (slot: number) => Prepared | Promise<Prepared>
  hasSpare?: boolean
} = {}) {
  const clock = new FakeClock()
  let sleptMs = 0
  const metrics = createMetrics()
  const alive: FakeWorker[] = []
  const errors: unknown[] = []
  function showLife(worker: FakeWorker): void {
    if (!worker.isHung) worker.channel.report(topics.alive)
    clock.after(aliveMs, () => alive.includes(worker) && showLife(worker))
  }
  let generation = 0
  const workers = createWorkers({
    count,
    start(onStalled) {
      const own = generation++
      const pair = channelPair()
      let served: FakeWorker | undefined
      let resolveEnd: (why: string) => void
      const ended = new Promise<string>((resolve) => (resolveEnd = resolve))
      pair.worker.serve(topics.start, (first) => {
        const started = outcome((first as WorkerStart).slot, own)
        let present = (first as WorkerStart).config
        let next = present
        const reported: string[] = []
        const worker: FakeWorker = {
          first: first as WorkerStart,
          channel: pair.worker,
          reported,
          present: () => present,
          isKilled: false,
          end,
          stall: onStalled,
          isHung: false,
          sample: undefined,
        }
        served = worker
        pair.worker.serve(topics.prepare, (given) => {
          reported.push('prepare')
          next = given as PinnedConfig
          return prepare(worker.first.slot)
        })
        pair.worker.serve(topics.commit, () => {
          reported.push('commit')
          present = next
        })
        pair.worker.serve(topics.abandon, () => void reported.push('abandon'))
        pair.worker.serve(topics.metrics, () => [])
        pair.worker.serve(topics.release, () => void reported.push('release'))
        pair.worker.serve(topics.drain, () => {
          reported.push('drain')
          end('it ended with code 0')
        })
        if (started.ok) {
          alive.push(worker)
          showLife(worker)
        }
        return started
      })
      function end(why = 'SIGKILL ended it'): void {
        const at = alive.findIndex(({ channel }) => channel === pair.worker)
        if (at >= 0) alive.splice(at, 1)
        pair.close()
        resolveEnd(why)
      }
      const kill = (): void => end()
      const sample = (): ProcessSample | undefined => served?.sample
      return { pid: own, channel: pair.primary, ready: Promise.resolve(), ended, sample, kill }
    },
    rpc: '127.0.0.1:1',
    hasSpare,
    config,
    memoryBytes: 1_000,
    absentNetworks: {},
    logLevel: 'silent',
    metrics,
    clock: { now: () => clock.now() + sleptMs, date: () => clock.date(), after: (ms, run) => clock.after(ms, run) },
    log: { info: () => {}, warn: () => {}, error: (members: unknown) => void errors.push(members) },
  })
  /** Lets time pass in which no timer runs. */
  const sleep = (ms: number): void => void (sleptMs += ms)
  /** Lets time pass in which timers run, and messages arrive between them. */
  const pass = async (ms: number): Promise<void> => {
    for (let at = 0; at < ms; at += 100) {
      await Promise.resolve()
      clock.advance(Math.min(100, ms - at))
    }
  }
  return { workers, alive, clock, pass, sleep, metrics, started: () => generation, errors }
}

const of = (alive: readonly FakeWorker[], slot: number): FakeWorker => alive.find(({ first }) => first.slot === slot)!

describe('workers', () => {
  it('are released, also those that come in the place of one that ends meanwhile', async () => {
    const { workers, alive } = open()
    await workers.open()
    workers.release()
    await vi.waitFor(() => expect(alive.map(({ reported }) => reported)).toEqual([['release'], ['release']]))
    of(alive, 1).end()
    await vi.waitFor(() => expect(alive).toHaveLength(2))
    await vi.waitFor(() => expect(of(alive, 1).reported).toEqual(['release']))
  })

  it('begin with their parts of the limits and of the memory', async () => {
    const { workers, alive } = open({ count: 3 })
    await workers.open()
    expect(alive.map(({ first }) => [first.slot, first.config.limits?.maxCalls, first.memoryBytes])).toEqual([
      [1, 4, 333],
      [2, 3, 333],
      [3, 3, 333],
    ])
    expect(workers.serving).toBe(3)
  })

  it.each([
    [{ kind: 'listen', message: 'the port is in use' } as const, ListenError],
    [{ kind: 'config', problems: [{ path: 'store', expected: 'a', got: 'b' }] } as const, ConfigError],
    [{ kind: 'other', message: 'a bug' } as const, Error],
  ])('fail to open as the first that fails, and leave none behind: %o', async (failure, type) => {
    const { workers, alive } = open({ outcome: (slot) => (slot === 2 ? { ok: false, failure } : { ok: true }) })
    await expect(workers.open()).rejects.toThrow(type)
    expect(alive).toEqual([])
  })

  it('replace one that ends at once, and after growing pauses where that ends early, too', async () => {
    const { workers, alive, clock, pass, started } = open({ count: 1 })
    await workers.open()
    await pass(10_000)
    of(alive, 1).end()
    await vi.waitFor(() => expect(alive).toHaveLength(1))
    expect(started()).toBe(2)
    for (const pause of [100, 200, 400, 800, 1_600, 3_200, 6_400, 10_000, 10_000]) {
      const before = started()
      of(alive, 1).end()
      await Promise.resolve()
      await Promise.resolve()
      clock.advance(pause - 1)
      expect(started()).toBe(before)
      clock.advance(1)
      await vi.waitFor(() => expect(alive).toHaveLength(1))
    }
    // One that has served for a while is replaced at once again.
    await pass(10_000)
    const before = started()
    of(alive, 1).end()
    await vi.waitFor(() => expect(started()).toBe(before + 1))
    expect(workers.restarts).toBe(11)
  })

  it('are ended where they do not read', async () => {
    const { workers, alive, started } = open()
    await workers.open()
    of(alive, 1).stall()
    await vi.waitFor(() => expect(started()).toBe(3))
    await vi.waitFor(() => expect(alive).toHaveLength(2))
  })

  const cpuOf = (part: number, isWaiting: boolean) => (ms: number) => ({ isWaiting, cpuMs: 70 + part * ms })
  it.each([
    ['is stopped', cpuOf(0, false), 2_000],
    ['runs without end on a core of its own', cpuOf(1, true), 2_000],
    ['runs without end on nine tenths of a core', cpuOf(0.9, true), 2_000],
    ['waits for something else than the CPU', cpuOf(0.02, false), 2_000],
    ['shares a core', cpuOf(0.5, true), 6_000],
    ['gets no time on any core', cpuOf(0, true), 6_000],
    ['gets no time for two seconds, and then all', (ms: number) => cpuOf(1, true)(Math.max(0, ms - 2_000)), 6_000],
    ['is on a system that says nothing of it', () => undefined, 6_000],
  ])('end one that %s, as stuck, by its silence alone, and replace it', async (_what, sampleAt, mostMs) => {
    const { workers, alive, pass, started, errors } = open()
    await workers.open()
    await pass(30_000)
    expect(started()).toBe(2)
    const hung = of(alive, 2)
    hung.isHung = true
    for (let at = 0; at < mostMs; at += 100) {
      if (at < mostMs - 200) expect(errors).toEqual([])
      hung.sample = sampleAt(at)
      await pass(100)
    }
    expect(errors[0]).toEqual({
      worker: 2,
      why: expect.stringContaining(`stuck: no sign of life for ${mostMs / 1_000} s`),
    })
    await vi.waitFor(() => expect(alive.map(({ first }) => first.slot).toSorted()).toEqual([1, 2]))
    expect(of(alive, 2)).not.toBe(hung)
    await pass(30_000)
    expect(started()).toBe(3)
  })

  it('are not ended as stuck by a primary that was stopped, or slept, for hours', async () => {
    const { workers, pass, sleep, errors } = open()
    await workers.open()
    for (let i = 0; i < 10; i++) {
      sleep(7_200_000)
      await pass(500)
    }
    expect(errors).toEqual([])
  })

  it('all take a configuration, or none does', async () => {
    let hasProblem = true
    const problem = { path: 'networks', expected: 'a', got: 'b' }
    const { workers, alive } = open({ prepare: (slot) => ({ problems: slot === 2 && hasProblem ? [problem] : [] }) })
    await workers.open()
    await expect(workers.prepare({ ...config, limits: { maxCalls: 20 } })).rejects.toMatchObject({
      problems: [problem],
    })
    for (const { reported, present } of alive) {
      expect(reported).toEqual(['prepare', 'abandon'])
      expect(present().limits?.maxCalls).toBe(5)
    }
    hasProblem = false
    const prepared = await workers.prepare({ ...config, limits: { maxCalls: 20 } })
    expect(alive.map(({ present }) => present().limits?.maxCalls)).toEqual([5, 5])
    await prepared.commit()
    expect(alive.map(({ present }) => present().limits?.maxCalls)).toEqual([10, 10])
  })

  it('refuse a configuration with a function, before one is asked', async () => {
    const { workers, alive } = open()
    await workers.open()
    const policy = { networks: { one: { policy: () => [] } } } as unknown as PinnedConfig
    await expect(workers.prepare(policy)).rejects.toThrow(/networks\.one\.policy/)
    expect(alive.flatMap(({ reported }) => reported)).toEqual([])
  })

  it('that end while a configuration is prepared are no reason to refuse it, and come to it later', async () => {
    const { workers, alive, clock, pass } = open({
      prepare: (slot) => (slot === 1 ? new Promise(() => {}) : { problems: [] }),
    })
    await workers.open()
    await pass(10_000)
    const preparing = workers.prepare({ ...config, limits: { maxCalls: 20 } })
    await vi.waitFor(() => expect(of(alive, 1).reported).toEqual(['prepare']))
    of(alive, 1).end()
    const prepared = await preparing
    await prepared.commit()
    await vi.waitFor(() => expect(workers.serving).toBe(2))
    await vi.waitFor(() => expect(of(alive, 2).present().limits?.maxCalls).toBe(10))
    // It began with what served then, and is asked to take the present one.
    await vi.waitFor(() => expect(of(alive, 1).reported).toEqual(['prepare']))
    of(alive, 1).end()
    await vi.waitFor(() => {
      clock.advance(100)
      expect(of(alive, 1)?.present().limits?.maxCalls).toBe(10)
    })
  })

  it('tell their gas fees when they are asked, and one that gives no answer in time is left out', async () => {
    const { workers, alive, clock } = open()
    await workers.open()
    const questions: unknown[] = []
    of(alive, 1).channel.serve(topics.gas, (question) => {
      questions.push(question)
      return [{ network: 'mainnet', since: 1 }]
    })
    of(alive, 2).channel.serve(topics.gas, () => new Promise(() => {}))
    const asking = workers.gas({ network: 'mainnet' })
    await vi.waitFor(() => expect(questions).toEqual([{ network: 'mainnet' }]))
    clock.advance(2_000)
    expect(await asking).toEqual([[{ network: 'mainnet', since: 1 }], undefined])
  })

  it('drain when they are closed, and are not replaced; one that waits for its turn is given up', async () => {
    const { workers, alive, clock, started, metrics } = open()
    await workers.open()
    of(alive, 1).end()
    await vi.waitFor(() => expect(started()).toBe(3))
    of(alive, 1).end()
    const last = of(alive, 2)
    await vi.waitFor(() => expect(metrics.print()).toContain('wayleave_workers{state="starting"} 1'))
    await workers.close()
    expect(last.reported).toEqual(['drain'])
    clock.advance(60_000)
    expect(started()).toBe(3)
    expect(workers.serving).toBe(0)
  })

  it('have one process more wait from a second after their start, which takes the place of one that ends', async () => {
    const { workers, alive, clock, pass, started } = open({ hasSpare: true })
    await workers.open()
    clock.advance(999)
    expect(started()).toBe(2)
    clock.advance(1)
    expect(started()).toBe(3)
    await pass(10_000)
    of(alive, 1).end()
    await vi.waitFor(() => expect(alive).toHaveLength(2))
    expect(started()).toBe(3)
    clock.advance(1_000)
    expect(started()).toBe(4)
    await workers.close()
    clock.advance(60_000)
    expect(started()).toBe(4)
  })
})
