import { FakeClock } from '@wayleave/jsonrpc-core/testing'
import { createUsage, type UsageOptions, type UsageRow } from '@wayleave/metering'
import { describe, expect, it } from 'vitest'

const caller = { project: 'p', key: 'k', network: 'mainnet' }
const known = new Set(['eth_call', 'eth_chainId'])

function scene(options: Partial<UsageOptions> = {}) {
  const clock = new FakeClock()
  const slices: (readonly UsageRow[])[] = []
  let flushes = 0
  const usage = createUsage({ clock, add: (rows) => slices.push(rows), flush: async () => void flushes++, ...options })
  return { clock, usage, slices, rows: () => slices.flat(), flushes: () => flushes }
}

/** Lets promises and timers of 0 ms run. */
async function settle(clock: FakeClock, turns = 200): Promise<void> {
  for (let i = 0; i < turns; i++) {
    await Promise.resolve()
    clock.advance(0)
  }
}

describe('usage', () => {
  it('is counted by method, status class and minute', async () => {
    const { usage, rows, clock } = scene()
    const { count } = usage.recorder(caller, known)
    count('eth_call', 200, 80)
    count('eth_call', 200, 80)
    count('eth_call', 404, 5)
    count('eth_chainId', 200, 5)
    clock.advance(39_000)
    await settle(clock)
    count('eth_call', 200, 80)
    await usage.flush()
    const minute = Math.floor(1_700_000_001_000 / 60_000)
    const row = { ...caller, method: 'eth_call', status: '2xx', minute }
    expect(rows()).toEqual([
      { ...row, calls: 2, credits: 160 },
      { ...row, status: '4xx', calls: 1, credits: 5 },
      { ...row, method: 'eth_chainId', calls: 1, credits: 5 },
      { ...row, minute: minute + 1, calls: 1, credits: 80 },
    ])
  })

  it('of 100,000 invented methods is one row', async () => {
    const { usage, rows } = scene()
    const { count } = usage.recorder(caller, known)
    for (let i = 0; i < 100_000; i++) count(`invented_${i}`, 200, 80)
    await usage.flush()
    expect(rows()).toHaveLength(1)
    expect(rows()[0]).toMatchObject({ method: 'other', calls: 100_000, credits: 8_000_000 })
  })

  it('is flushed once a second while calls come, and leaves no timer behind', async () => {
    const { usage, flushes, clock } = scene()
    const { count } = usage.recorder(caller, known)
    expect(clock.timers).toBe(0)
    count('eth_call', 200, 80)
    clock.advance(999)
    await settle(clock)
    expect(flushes()).toBe(0)
    clock.advance(1)
    await settle(clock)
    expect([flushes(), clock.timers]).toEqual([1, 0])
    count('eth_call', 200, 80)
    await usage.close()
    expect([flushes(), clock.timers]).toEqual([2, 0])
  })

  it('of many keys leaves the turn after each 200 rows, and counts what comes meanwhile once', async () => {
    const { usage, slices, rows, clock } = scene()
    const recorders = Array.from({ length: 1_000 }, (_, i) => usage.recorder({ ...caller, key: `k${i}` }, known))
    for (const { count } of recorders) count('eth_call', 200, 80)
    const flushed = usage.flush()
    await Promise.resolve()
    await Promise.resolve()
    expect(slices).toHaveLength(1)
    for (const { count } of recorders) count('eth_call', 200, 80)
    await settle(clock)
    await flushed
    const second = usage.flush()
    await settle(clock)
    await second
    expect(Math.max(...slices.map(({ length }) => length))).toBe(200)
    expect(rows().reduce((sum, { calls }) => sum + calls, 0)).toBe(2_000)
  })

  it('beyond the cap of rows is counted by project', async () => {
    const { usage, rows } = scene({ maxRows: 2 })
    for (let i = 0; i < 50; i++) usage.recorder({ ...caller, key: `k${i}` }, known).count('eth_call', 200, 80)
    await usage.flush()
    expect(rows()).toHaveLength(3)
    expect(rows()[2]).toMatchObject({ project: 'p', key: '', method: 'other', calls: 48, credits: 3_840 })
  })

  it('tells of a flush that failed', async () => {
    const reported: unknown[] = []
    const why = new Error('full')
    const { usage, clock } = scene({ flush: () => Promise.reject(why), onFailure: (failure) => reported.push(failure) })
    usage.recorder(caller, known).count('eth_call', 200, 80)
    clock.advance(1_000)
    await settle(clock)
    expect(reported).toEqual([why])
  })
})
