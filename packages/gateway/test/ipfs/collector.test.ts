import { createLog } from '@wayleave/gateway'
import { IpfsError } from '@wayleave/ipfs-http'
import { createMemoryPinLedger, type IpfsBackend } from '@wayleave/ipfs-http/server'
import type { Clock } from '@wayleave/jsonrpc-core'
import { FakeClock } from '@wayleave/jsonrpc-core/testing'
import { describe, expect, it } from 'vitest'
import { startCollector } from '../../src/ipfs/collector.ts'

const hour = 3_600_000

function start(everyMs: number): {
  readonly waits: { readonly ms: number; readonly run: () => void }[]
  readonly runs: PromiseWithResolvers<{ removed: number; bytes: bigint }>[]
  readonly logged: string[]
  readonly gauges: number[]
  readonly failure: () => string | undefined
  readonly stop: () => Promise<void>
} {
  const waits: { readonly ms: number; readonly run: () => void }[] = []
  const runs: PromiseWithResolvers<{ removed: number; bytes: bigint }>[] = []
  const logged: string[] = []
  const clock: Clock = {
    now: () => 0,
    date: () => 0,
    after(ms, run) {
      const wait = { ms, run }
      waits.push(wait)
      return () => void waits.splice(waits.indexOf(wait), 1)
    },
  }
  const backend = {
    collect() {
      const run = Promise.withResolvers<{ removed: number; bytes: bigint }>()
      runs.push(run)
      return run.promise
    },
  } as Partial<IpfsBackend> as IpfsBackend
  const log = createLog({ level: 'info', destination: { write: (line) => void logged.push(line) } })
  const gauges: number[] = []
  const { failure, close } = startCollector({
    backend,
    ledger: createMemoryPinLedger(),
    everyMs,
    maxUnpinnedBytes: 1_000,
    minFreeBytes: 5_000,
    clock,
    log,
    metrics: { ipfsCollectionFailed: () => ({ set: (value) => void gauges.push(value), add() {} }) },
  })
  return { waits, runs, logged, gauges, failure, stop: close }
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

it('collects ten minutes after the start, and then at its pace after the end of each run, also of one that fails', async () => {
  const { waits, runs, logged, stop } = start(hour)
  expect(waits.map(({ ms }) => ms)).toEqual([600_000])
  waits.shift()!.run()
  expect(waits).toEqual([])
  runs[0]!.reject(new Error('a block is broken'))
  await settled()
  expect(waits.map(({ ms }) => ms)).toEqual([hour])
  waits.shift()!.run()
  runs[1]!.resolve({ removed: 2, bytes: 10n })
  await settled()
  expect(waits.map(({ ms }) => ms)).toEqual([hour])
  expect(logged.map((line) => (JSON.parse(line) as { msg: string }).msg)).toEqual([
    'content that no project pins could not be removed',
    'removed content that no project pins',
  ])
  await stop()
  expect(waits).toEqual([])
})

it('tells of a run that failed until one has done its work', async () => {
  const { waits, runs, gauges, failure, stop } = start(hour)
  expect([failure(), gauges]).toEqual([undefined, [0]])
  for (const [thrown, expected] of [
    [new IpfsError('bad_content', 'nothing was removed: below the pin a, block b is broken'), /below the pin a/],
    [new Error('a secret of the database'), /^the log has the reason$/],
  ] as const) {
    waits.shift()!.run()
    runs.at(-1)!.reject(thrown)
    await settled()
    expect([failure(), gauges.at(-1)]).toEqual([expect.stringMatching(expected), 1])
  }
  waits.shift()!.run()
  runs.at(-1)!.resolve({ removed: 0, bytes: 0n })
  await settled()
  expect([failure(), gauges.at(-1)]).toEqual([undefined, 0])
  await stop()
})

it('collects at its pace from the start where that is faster', async () => {
  const { waits, stop } = start(20)
  expect(waits.map(({ ms }) => ms)).toEqual([20])
  await stop()
})

it('ends when the run at hand has ended, and begins no other', async () => {
  const { waits, runs, logged, stop } = start(hour)
  waits.shift()!.run()
  let isStopped = false
  const stopping = stop().then(() => (isStopped = true))
  await settled()
  expect(isStopped).toBe(false)
  runs[0]!.reject(new Error('aborted'))
  await stopping
  expect([waits, logged]).toEqual([[], []])
})

describe('for want of space', () => {
  async function press(
    use: { freeBytes?: number; isFull?: boolean; unpinnedBytes?: number; hasReleased?: boolean } | 'broken',
  ): Promise<{
    clock: FakeClock
    collections: () => number
    stop: () => Promise<void>
    settle: (outcome: 'done' | 'failed') => Promise<void>
  }> {
    const clock = new FakeClock()
    const runs: PromiseWithResolvers<{ removed: number; bytes: bigint }>[] = []
    const backend = {
      async diskUse() {
        if (use === 'broken') throw new Error('the disk does not answer')
        return { freeBytes: 10_000, isFull: false, unpinnedBytes: 0, hasReleased: false, ...use }
      },
      collect() {
        const run = Promise.withResolvers<{ removed: number; bytes: bigint }>()
        runs.push(run)
        return run.promise
      },
    } as Partial<IpfsBackend> as IpfsBackend
    const log = createLog({ level: 'silent', destination: { write() {} } })
    const ledger = createMemoryPinLedger()
    const { close: stop } = startCollector({
      backend,
      ledger,
      everyMs: hour,
      maxUnpinnedBytes: 1_000,
      minFreeBytes: 5_000,
      clock,
      log,
      metrics: { ipfsCollectionFailed: () => ({ set() {}, add() {} }) },
    })
    clock.advance(5_000)
    await settled()
    return {
      clock,
      stop,
      collections: () => runs.length,
      async settle(outcome) {
        if (outcome === 'done') runs.at(-1)!.resolve({ removed: 1, bytes: 1n })
        else runs.at(-1)!.reject(new Error('a pinned block is missing'))
        await settled()
      },
    }
  }

  it.each([
    [{ unpinnedBytes: 1_001 }, 1],
    [{ unpinnedBytes: 1_000 }, 0],
    [{ freeBytes: 4_999, unpinnedBytes: 1 }, 1],
    [{ freeBytes: 4_999, hasReleased: true }, 1],
    // Everything there is pinned.
    [{ freeBytes: 4_999 }, 0],
    // Nobody knows what the process before has left.
    [{ freeBytes: 4_999, isFull: true }, 1],
    ['broken', 0],
  ] as const)('collects where it helps: %j', async (use, expected) => {
    const { collections, stop, settle } = await press(use)
    expect(collections()).toBe(expected)
    if (expected > 0) await settle('done')
    await stop()
  })

  it('rests four times as long as it took, and ten minutes after a failure', async () => {
    const { clock, collections, settle, stop } = await press({ unpinnedBytes: 2_000 })
    const pass = async (ms: number): Promise<number> => {
      for (let at = 0; at < ms; at += 5_000) {
        clock.advance(5_000)
        await settled()
      }
      return collections()
    }
    // The run at hand is not joined by another.
    expect(await pass(10_000)).toBe(1)
    await settle('done')
    expect(await pass(35_000)).toBe(1)
    expect(await pass(10_000)).toBe(2)
    await settle('failed')
    expect(await pass(500_000)).toBe(2)
    expect(await pass(110_000)).toBe(3)
    await settle('done')
    await stop()
  })

  it('runs again ten minutes after a failure, without want of space', async () => {
    const use: { unpinnedBytes?: number } = { unpinnedBytes: 2_000 }
    const { clock, collections, settle, stop } = await press(use)
    await settle('failed')
    use.unpinnedBytes = 0
    for (let at = 0; at < 620_000; at += 5_000) {
      clock.advance(5_000)
      await settled()
    }
    expect(collections()).toBe(2)
    await settle('done')
    await stop()
  })
})
