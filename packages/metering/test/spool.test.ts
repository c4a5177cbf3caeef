import { FakeClock } from '@wayleave/jsonrpc-core/testing'
import { createSpool, type Spool, type SpoolOptions, type UsageRow } from '@wayleave/metering'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createDisk, createStore, type Disk, type Store } from './simulated-disk.ts'

const rows = (calls: number, length = 1): UsageRow[] =>
  Array.from({ length }, (_, i) => ({
    project: 'p',
    key: `k${i}`,
    network: 'mainnet',
    method: 'eth_call',
    status: '2xx',
    minute: 1,
    calls,
    credits: 80 * calls,
  }))

interface Scene {
  readonly clock: FakeClock
  readonly disk: Disk
  readonly store: Store
  readonly failures: string[]
  start(process: string, options?: Partial<SpoolOptions>): Spool
}

function scene(): Scene {
  const clock = new FakeClock()
  const disk = createDisk()
  const store = createStore()
  const failures: string[] = []
  const start = (process: string, options: Partial<SpoolOptions> = {}): Spool =>
    createSpool({
      file: disk.open(),
      clock,
      process,
      store: store.take,
      onFailure: (what) => failures.push(what),
      ...options,
    })
  return { clock, disk, store, failures, start }
}

async function turns(n = 50): Promise<void> {
  for (let i = 0; i < n; i++) await Promise.resolve()
}

/** Adds rows of so many calls and waits until they are safe. */
async function put(spool: Spool, calls: number, length = 1): Promise<void> {
  spool.add(rows(calls, length))
  await spool.flush()
}

describe('the spool', () => {
  it('hands batches to the store in order, and empties its file when all are taken', async () => {
    const { disk, store, start } = scene()
    const spool = start('a')
    await spool.open()
    await put(spool, 1)
    await put(spool, 2)
    await spool.drain()
    expect(store.taken).toEqual(['a:1', 'a:2'])
    expect([store.calls, disk.size]).toEqual([3, 0])
  })

  it('hands over after a start what an earlier process has left, under its name', async () => {
    const { store, start, clock } = scene()
    store.fails = true
    const first = start('a')
    await first.open()
    await put(first, 1)
    await put(first, 2)
    await first.close()
    expect(clock.timers).toBe(0)
    store.fails = false
    const second = start('b')
    await second.open()
    await put(second, 4)
    await second.drain()
    expect(store.taken).toEqual(['a:1', 'a:2', 'b:1'])
    expect(store.calls).toBe(7)
  })

  it('asks a store that fails again, later and later', async () => {
    const { store, start, clock, failures } = scene()
    const spool = start('a')
    await spool.open()
    store.fails = true
    await put(spool, 1)
    await turns()
    for (const wait of [250, 500, 1_000]) {
      clock.advance(wait - 1)
      await turns()
      const before = failures.length
      clock.advance(1)
      await turns()
      expect(failures.length).toBe(before + 1)
    }
    store.fails = false
    clock.advance(2_000)
    await turns()
    expect(store.calls).toBe(1)
  })

  it('gives up waiting for a store that is silent, and gives it the batch again', async () => {
    const { store, start, clock, failures } = scene()
    const spool = start('a', { timeoutMs: 5_000 })
    await spool.open()
    store.hangs = true
    await put(spool, 1)
    await turns()
    clock.advance(5_000)
    await turns()
    expect(failures).toEqual(['store'])
    store.hangs = false
    clock.advance(1_000)
    await turns()
    expect(store.calls).toBe(1)
  })

  it('serves on from memory while the disk is full, and drops and counts what finds no place there', async () => {
    const { disk, store, start, failures } = scene()
    const dropped: number[] = []
    const spool = start('a', { maxRows: 5, onDropped: (calls) => dropped.push(calls) })
    await spool.open()
    store.fails = true
    disk.room = 10
    for (let i = 0; i < 8; i++) await put(spool, 1)
    expect([spool.waitingRows, spool.droppedCalls]).toEqual([5, 3])
    expect(dropped).toEqual([1, 1, 1])
    expect(failures).toContain('file')
    // The rest of a failed write on the disk hides nothing that is written after it.
    disk.room = 1_000_000
    store.fails = false
    await spool.drain()
    store.fails = true
    await put(spool, 10)
    const next = start('b')
    store.fails = false
    await next.open()
    await next.drain()
    expect(store.calls).toBe(15)
  })

  it('writes what a full disk refused once there is space, in order, and tells how things stand', async () => {
    const { disk, store, start } = scene()
    const spool = start('a')
    await spool.open()
    store.fails = true
    disk.room = 10
    await put(spool, 1)
    await put(spool, 3)
    expect(disk.size).toBe(10)
    expect([spool.unsafeCalls, spool.fileFault]).toMatchObject([4, { code: 'ENOSPC' }])
    disk.room = 1_000_000
    await put(spool, 2)
    expect([spool.unsafeCalls, spool.fileFault]).toEqual([0, undefined])
    store.fails = false
    const next = start('b')
    await next.open()
    await next.drain()
    expect(store.taken).toEqual(['a:1', 'a:2', 'a:3'])
    expect(store.calls).toBe(6)
  })

  it('writes it also where no further calls come', async () => {
    const { disk, store, start, clock } = scene()
    const spool = start('a')
    await spool.open()
    store.fails = true
    disk.room = 10
    await put(spool, 1)
    await turns()
    disk.room = 1_000_000
    clock.advance(250)
    await turns()
    expect([spool.unsafeCalls, spool.fileFault]).toEqual([0, undefined])
    const next = start('b')
    store.fails = false
    await next.open()
    await next.drain()
    expect(store.calls).toBe(1)
  })

  it('holds a bounded number of rows in memory, and reads the rest back in order', async () => {
    const { store, start } = scene()
    const spool = start('a', { maxRows: 20 })
    await spool.open()
    store.fails = true
    for (let i = 0; i < 30; i++) await put(spool, 1, 5)
    expect(spool.waitingRows).toBe(20)
    store.fails = false
    await spool.drain()
    expect(store.taken).toEqual(Array.from({ length: 30 }, (_, i) => `a:${i + 1}`))
    expect([store.calls, spool.droppedCalls, spool.waitingRows]).toEqual([150, 0, 0])
  })

  it('writes no more to its file than it may', async () => {
    const { store, disk, start } = scene()
    const spool = start('a', { maxRows: 3, maxFileBytes: 400 })
    await spool.open()
    store.fails = true
    for (let i = 0; i < 20; i++) await put(spool, 1)
    expect(disk.size).toBeLessThanOrEqual(400)
    store.fails = false
    await spool.drain()
    expect(store.calls + spool.droppedCalls).toBe(20)
  })

  it('ends reading at a torn record, whatever stands there', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 60 }), async (garbage) => {
        const { disk, store, start } = scene()
        const first = start('a')
        await first.open()
        store.fails = true
        await put(first, 3)
        await disk.open().append(garbage)
        store.fails = false
        const second = start('b')
        await second.open()
        await put(second, 4)
        await second.drain()
        expect(store.calls).toBe(7)
      }),
    )
  })

  it('refuses rows after it was closed, and a batch longer than a record', async () => {
    const { start } = scene()
    const spool = start('a')
    await spool.open()
    expect(() => spool.add(rows(1, 100_000))).toThrow('at most 4194304 fit')
    await spool.close()
    expect(() => spool.add(rows(1))).toThrow('was closed')
  })
})

describe('a crash', () => {
  it('at any step counts nothing twice and loses nothing that was safe: 1,000 seeds', async () => {
    const step = fc.oneof(
      { weight: 6, arbitrary: fc.record({ kind: fc.constant('put' as const), calls: fc.integer({ min: 1, max: 9 }) }) },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant('break' as const), calls: fc.constant(0) }) },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant('mend' as const), calls: fc.constant(0) }) },
    )
    // Each life of the process ends at an operation of the disk or the store; of what was not synced, some part survives.
    const lives = fc.array(
      fc.record({ steps: fc.array(step, { maxLength: 8 }), crashAt: fc.nat(12), kept: fc.nat(400) }),
      {
        minLength: 1,
        maxLength: 5,
      },
    )
    let crashes = 0
    await fc.assert(
      fc.asyncProperty(lives, async (list) => {
        const { disk, store, start } = scene()
        let safe = 0
        let unsure = 0
        for (const [i, { steps, crashAt, kept }] of list.entries()) {
          const crashed = disk.crashAfter(crashAt, kept)
          store.crashWith(disk)
          const spool = start(`process-${i}`, { maxRows: 3 })
          let isOver = false
          void crashed.then(() => (isOver = true))
          const run = async (): Promise<void> => {
            await spool.open()
            for (const { kind, calls } of steps) {
              if (kind !== 'put') {
                store.fails = kind === 'break'
                continue
              }
              unsure += calls
              await put(spool, calls)
              if (isOver) return
              unsure -= calls
              safe += calls
            }
            await spool.drain()
          }
          await Promise.race([run(), crashed])
          if (isOver) crashes++
          disk.restart()
          store.fails = false
        }
        const last = start('last')
        await last.open()
        await last.drain()
        expect(store.calls).toBeGreaterThanOrEqual(safe)
        expect(store.calls).toBeLessThanOrEqual(safe + unsure)
        // Each call that was put belongs to one batch, and each batch was taken at most once.
        expect(new Set(store.taken).size).toBe(store.taken.length)
      }),
      { numRuns: 1_000 },
    )
    expect(crashes).toBeGreaterThan(500)
  })
})
