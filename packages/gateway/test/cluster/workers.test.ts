import { FakeClock } from '@wayleave/jsonrpc-core/testing'
import { describe, expect, it, vi } from 'vitest'
import type { PinnedConfig } from '../../src/chains/pinned-config.ts'
import { ConfigError } from '../../src/config/check.ts'
import { ListenError } from '../../src/http/server.ts'
import { createMetrics } from '../../src/telemetry/metrics.ts'
import type { Channel } from '../../src/shared-state/channel.ts'
import { topics } from '../../src/shared-state/topics.ts'
import type { Prepared, WorkerStart, WorkerStarted } from '../../src/cluster/worker-messages.ts'
import { createWorkers } from '../../src/cluster/workers.ts'
import { channelPair } from '../workers/channel-pair.ts'

interface FakeWorker {
  readonly first: WorkerStart
  readonly channel: Channel
  /** All that it was told, in order. */
  readonly told: string[]
  readonly present: () => PinnedConfig
  isKilled: boolean
  end(why?: string): void
  stall(): void
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
  const metrics = createMetrics()
  const alive: FakeWorker[] = []
  let generation = 0
  const workers = createWorkers({
    count,
    start(onStalled) {
      const own = generation++
      const pair = channelPair()
      let resolveEnd: (why: string) => void
      const ended = new Promise<string>((resolve) => (resolveEnd = resolve))
      pair.worker.serve(topics.start, (first) => {
        const started = outcome((first as WorkerStart).slot, own)
        let present = (first as WorkerStart).config
        let next = present
        const told: string[] = []
        const worker: FakeWorker = {
          first: first as WorkerStart,
          channel: pair.worker,
          told,
          present: () => present,
          isKilled: false,
          end,
          stall: onStalled,
        }
        pair.worker.serve(topics.prepare, (given) => {
          told.push('prepare')
          next = given as PinnedConfig
          return prepare(worker.first.slot)
        })
        pair.worker.serve(topics.commit, () => {
          told.push('commit')
          present = next
        })
        pair.worker.serve(topics.abandon, () => void told.push('abandon'))
        pair.worker.serve(topics.metrics, () => [])
        pair.worker.serve(topics.release, () => void told.push('release'))
        pair.worker.serve(topics.drain, () => {
          told.push('drain')
          end('it ended with code 0')
        })
        if (started.ok) alive.push(worker)
        return started
      })
      function end(why = 'SIGKILL ended it'): void {
        const at = alive.findIndex(({ channel }) => channel === pair.worker)
        if (at >= 0) alive.splice(at, 1)
        pair.close()
        resolveEnd(why)
      }
      return { pid: own, channel: pair.primary, ready: Promise.resolve(), ended, kill: () => end() }
    },
    rpc: '127.0.0.1:1',
    hasSpare,
    config,
    memoryBytes: 1_000,
    absentNetworks: {},
    logLevel: 'silent',
    metrics,
    clock,
    log: { info: () => {}, warn: () => {}, error: () => {} },
  })
  return { workers, alive, clock, metrics, started: () => generation }
}

const of = (alive: readonly FakeWorker[], slot: number): FakeWorker => alive.find(({ first }) => first.slot === slot)!

describe('workers', () => {
  it('are released, also those that come in the place of one that ends meanwhile', async () => {
    const { workers, alive } = open()
    await workers.open()
    workers.release()
    await vi.waitFor(() => expect(alive.map(({ told }) => told)).toEqual([['release'], ['release']]))
    of(alive, 1).end()
    await vi.waitFor(() => expect(alive).toHaveLength(2))
    await vi.waitFor(() => expect(of(alive, 1).told).toEqual(['release']))
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
    const { workers, alive, clock, started } = open({ count: 1 })
    await workers.open()
    clock.advance(10_000)
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
    clock.advance(10_000)
    const before = started()
    of(alive, 1).end()
    await vi.waitFor(() => expect(started()).toBe(before + 1))
    expect(workers.restarts).toBe(11)
  })

  it('are ended where they do not read, or give no sign of life', async () => {
    const { workers, alive, clock, started } = open()
    await workers.open()
    of(alive, 1).stall()
    await vi.waitFor(() => expect(started()).toBe(3))
    await vi.waitFor(() => expect(alive).toHaveLength(2))
    for (let second = 0; second < 20; second++) {
      of(alive, 2).channel.tell(topics.beat, [])
      await Promise.resolve()
      clock.advance(1_000)
    }
    await vi.waitFor(() => expect(started()).toBe(4))
    expect(of(alive, 2).told).toEqual([])
  })

  it('all take a configuration, or none does', async () => {
    let hasProblem = true
    const problem = { path: 'networks', expected: 'a', got: 'b' }
    const { workers, alive } = open({ prepare: (slot) => ({ problems: slot === 2 && hasProblem ? [problem] : [] }) })
    await workers.open()
    await expect(workers.prepare({ ...config, limits: { maxCalls: 20 } })).rejects.toMatchObject({
      problems: [problem],
    })
    for (const { told, present } of alive) {
      expect(told).toEqual(['prepare', 'abandon'])
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
    expect(alive.flatMap(({ told }) => told)).toEqual([])
  })

  it('that end while a configuration is prepared are no reason to refuse it, and come to it later', async () => {
    const { workers, alive, clock } = open({
      prepare: (slot) => (slot === 1 ? new Promise(() => {}) : { problems: [] }),
    })
    await workers.open()
    clock.advance(10_000)
    const preparing = workers.prepare({ ...config, limits: { maxCalls: 20 } })
    await vi.waitFor(() => expect(of(alive, 1).told).toEqual(['prepare']))
    of(alive, 1).end()
    const prepared = await preparing
    await prepared.commit()
    await vi.waitFor(() => expect(workers.serving).toBe(2))
    await vi.waitFor(() => expect(of(alive, 2).present().limits?.maxCalls).toBe(10))
    // It began with what served then, and is asked to take the present one.
    await vi.waitFor(() => expect(of(alive, 1).told).toEqual(['prepare']))
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
    expect(last.told).toEqual(['drain'])
    clock.advance(60_000)
    expect(started()).toBe(3)
    expect(workers.serving).toBe(0)
  })

  it('have one process more wait from a second after their start, which takes the place of one that ends', async () => {
    const { workers, alive, clock, started } = open({ hasSpare: true })
    await workers.open()
    clock.advance(999)
    expect(started()).toBe(2)
    clock.advance(1)
    expect(started()).toBe(3)
    clock.advance(10_000)
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
