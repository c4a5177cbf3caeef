import { createLog } from '@wayleave/gateway'
import type { FeeRecord, FeeStore } from '@wayleave/gas-fees'
import { systemClock } from '@wayleave/jsonrpc-core'
import { describe, expect, it } from 'vitest'
import { guardFeeStore } from '../../src/gas/guard-fee-store.ts'

const record = { percentiles: [50], headHash: '0x1', blocks: [] } as FeeRecord

function logged(): { log: ReturnType<typeof createLog>; lines: string[] } {
  const lines: string[] = []
  return { lines, log: createLog({ level: 'info', destination: { write: (line: string) => void lines.push(line) } }) }
}

describe('a guarded store', () => {
  it('warns once while the store fails, keeps what it can in memory, and says when it works again', async () => {
    let fails = true
    const kept = new Map<string, FeeRecord>()
    const fail = async (): Promise<never> => {
      throw Object.assign(new Error('postgres://user:S3CR3T@host'), { code: 'unavailable' })
    }
    const store: FeeStore = {
      load: async (network) => (fails ? fail() : kept.get(network)),
      save: async (network, saved) => (fails ? fail() : void kept.set(network, saved)),
    }
    const { log, lines } = logged()
    const guarded = guardFeeStore(store, systemClock, log)
    expect(await guarded.load('a')).toBeUndefined()
    await guarded.save('a', record)
    expect(await guarded.load('a')).toBe(record)
    expect(lines).toHaveLength(1)
    expect(lines[0]).toContain('"code":"unavailable"')
    expect(lines[0]).not.toContain('S3CR3T')
    fails = false
    await guarded.save('a', record)
    expect(lines).toHaveLength(2)
    expect(kept.get('a')).toBe(record)
  })

  it('waits for a load no longer than two seconds, and for a save no longer than five', async () => {
    const waits: [ms: number, run: () => void][] = []
    const clock = { ...systemClock, after: (ms: number, run: () => void) => (waits.push([ms, run]), () => {}) }
    const never: FeeStore = { load: () => new Promise(() => {}), save: () => new Promise(() => {}) }
    const { log, lines } = logged()
    const guarded = guardFeeStore(never, clock, log)
    const work = Promise.all([guarded.load('a'), guarded.save('a', record)])
    expect(waits.map(([ms]) => ms)).toEqual([2_000, 5_000])
    for (const [, run] of waits) run()
    await work
    expect(lines[0]).toContain('"code":"timeout"')
  })
})
