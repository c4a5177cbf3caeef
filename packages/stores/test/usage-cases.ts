import type { UsageRow } from '@wayleave/metering'
import { openStores, type StoresOptions } from '@wayleave/stores'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour
/** 2026-11-23T00:00Z. */
const today = 1_795_392_000_000

function rowOf(more: Partial<UsageRow<string>> = {}): UsageRow<string> {
  return {
    minute: today / minute,
    project: 'p',
    key: 'k',
    network: 'mainnet',
    method: 'eth_call',
    status: 'ok',
    calls: 1,
    credits: 80,
    ...more,
  }
}

const all = { from: 0, to: today + 365 * day, by: [], limit: 1 } as const

/** Tests that hold for usage in either database. */
export function usageCases(
  fresh: () => Promise<StoresOptions>,
  execute: (options: StoresOptions, statement: string) => Promise<void>,
): void {
  describe('usage', () => {
    it('adds up by minute, hour and day', async () => {
      await using stores = await openStores(await fresh())
      const ats = [0, 0, minute, hour, day, day - minute]
      await stores.usage.add(
        'a',
        1,
        ats.map((at) => rowOf({ minute: (today + at) / minute })),
      )
      const sums = async (period: 'minute' | 'hour' | 'day') => {
        const rows = await stores.usage.query({ ...all, period, by: ['at'], limit: 10 })
        return rows.map(({ at, calls }) => [at! - today, calls])
      }
      expect(await sums('minute')).toEqual([
        [0, 2],
        [minute, 1],
        [hour, 1],
        [day - minute, 1],
        [day, 1],
      ])
      expect(await sums('hour')).toEqual([
        [0, 3],
        [hour, 1],
        [day - hour, 1],
        [day, 1],
      ])
      expect(await sums('day')).toEqual([
        [0, 5],
        [day, 1],
      ])
    })

    it('counts a batch once, however often it is repeated', async () => {
      const options = await fresh()
      await using stores = await openStores(options)
      expect(await stores.usage.lastSeq('a')).toBeUndefined()
      await stores.usage.add('a', 1, [rowOf()])
      await stores.usage.add('a', 2, [rowOf({ calls: 10 })])
      for (const seq of [1, 2, 1]) await stores.usage.add('a', seq, [rowOf({ calls: 100 })])
      await stores.usage.add('b', 1, [rowOf({ calls: 1_000 })])
      await stores.usage.add('a', 3, [])
      expect(await stores.usage.query({ ...all, period: 'day' })).toEqual([{ calls: 1_011, credits: 240 }])
      expect(await stores.usage.lastSeq('a')).toBe(3)
    })

    it('keeps any text, and counts up to 2^53', async () => {
      await using stores = await openStores(await fresh())
      const odd = { project: '"p"', key: "k'\\u0041", network: '\u0001\n\u{1f600}', method: '$1 ?', status: '{}' }
      await stores.usage.add('a', 1, [rowOf({ ...odd, calls: Number.MAX_SAFE_INTEGER, credits: 0 })])
      const by = ['project', 'key', 'network', 'method', 'status'] as const
      expect(await stores.usage.query({ ...all, period: 'day', by })).toEqual([
        { ...odd, calls: Number.MAX_SAFE_INTEGER, credits: 0 },
      ])
    })

    it('leaves the event loop to others after every 200 rows', async () => {
      await using stores = await openStores(await fresh())
      let isDone = false
      let turns = 0
      const rows = Array.from({ length: 5_000 }, (_, i) => rowOf({ key: `k${i}` }))
      const added = stores.usage.add('a', 1, rows).then(() => (isDone = true))
      for (;;) {
        await new Promise<void>((resolve) => void setImmediate(resolve))
        turns++
        if (isDone) break
      }
      await added
      expect(turns).toBeGreaterThan(rows.length / 200)
    })

    it('goes on where a large batch was cut off', async () => {
      const options = await fresh()
      const rows = Array.from({ length: 1_500 }, (_, i) => rowOf({ key: `k${i}`, calls: i }))
      const calls = (1_499 * 1_500) / 2
      {
        await using stores = await openStores(options)
        await stores.usage.add('a', 7, rows.slice(0, 300))
      }
      // As if the process had ended after the first 300 rows of a batch.
      await using stores = await openStores(options)
      await Promise.all([stores.usage.add('a', 7, rows), stores.usage.add('a', 7, rows)])
      await stores.usage.add('a', 7, rows)
      for (const period of ['minute', 'hour', 'day'] as const) {
        expect(await stores.usage.query({ ...all, period })).toEqual([{ calls, credits: 1_500 * 80 }])
      }
    })

    it('equals a plain sum, for any batches from several processes at once', async () => {
      const options = await fresh()
      const stores = await Promise.all([openStores(options), openStores(options)])
      const row = fc.record({
        minute: fc.integer({ min: today / minute, max: today / minute + 180 }),
        project: fc.constantFrom('p', 'q'),
        key: fc.constantFrom('k', 'l', 'm'),
        network: fc.constantFrom('mainnet', 'sepolia'),
        method: fc.constantFrom('eth_call', 'other', "o'x"),
        status: fc.constantFrom('ok', 'error'),
        calls: fc.nat(1_000),
        credits: fc.nat(100_000),
      })
      let runs = 0
      await fc.assert(
        fc.asyncProperty(fc.array(fc.array(row, { maxLength: 100 }), { maxLength: 6 }), async (batches) => {
          const run = `r${++runs}-`
          const own = batches.map((rows) => rows.map((each) => ({ ...each, project: run + each.project })))
          await Promise.all(own.map((rows, i) => stores[i % 2]!.usage.add(`${run}${i}`, 1, rows)))
          for (const project of [`${run}p`, `${run}q`]) {
            const expected = own.flat().filter((each) => each.project === project && each.method === 'other')
            const [sum] = await stores[0].usage.query({ ...all, period: 'hour', where: { project, method: 'other' } })
            expect(sum!.calls).toBe(expected.reduce((total, { calls }) => total + calls, 0))
            expect(sum!.credits).toBe(expected.reduce((total, { credits }) => total + credits, 0))
          }
        }),
        { numRuns: 15 },
      )
      await Promise.all(stores.map((each) => each.close()))
    })

    it('is asked by any of its members, and by time', async () => {
      await using stores = await openStores(await fresh())
      await stores.usage.add('a', 1, [
        rowOf({ key: 'k', method: 'eth_call', calls: 1 }),
        rowOf({ key: 'l', method: 'eth_call', calls: 2, status: '429' }),
        rowOf({ key: 'l', method: 'other', calls: 4, network: 'sepolia' }),
        rowOf({ minute: (today + hour) / minute, calls: 8, project: 'q' }),
      ])
      const ask = async (query: object) => {
        const rows = await stores.usage.query({ ...all, period: 'hour', limit: 10, ...query })
        return rows.map((sum) => ({ ...sum, credits: undefined }))
      }
      expect(await ask({ where: { project: 'p' }, by: ['method'] })).toEqual([
        { method: 'eth_call', calls: 3 },
        { method: 'other', calls: 4 },
      ])
      expect(await ask({ by: ['project', 'at'] })).toEqual([
        { project: 'p', at: today, calls: 7 },
        { project: 'q', at: today + hour, calls: 8 },
      ])
      expect(await ask({ where: { key: 'l', status: '429' } })).toEqual([{ calls: 2 }])
      expect(await ask({ where: { network: 'sepolia' } })).toEqual([{ calls: 4 }])
      expect(await ask({ from: today + 1 })).toEqual([{ calls: 8 }])
      expect(await ask({ to: today + hour })).toEqual([{ calls: 7 }])
      expect(await ask({ to: today })).toEqual([{ calls: 0 }])
      expect(await ask({ by: ['key'], limit: 1 })).toEqual([{ key: 'k', calls: 9 }])
    })

    it('is removed by its age, each period by its own', async () => {
      const options = await fresh()
      await using stores = await openStores(options)
      const rows = Array.from({ length: 900 }, (_, i) => rowOf({ minute: today / minute + i, calls: 1 }))
      await stores.usage.add('a', 1, rows)
      await stores.usage.add('b', 1, [rowOf({ minute: (today + 2 * day) / minute })])
      await stores.usage.prune({ minutes: today + 800 * minute, hours: today + 10 * hour, processes: today + day })
      const calls = async (period: 'minute' | 'hour' | 'day') =>
        (await stores.usage.query({ ...all, period }))[0]!.calls
      expect([await calls('minute'), await calls('hour'), await calls('day')]).toEqual([101, 301, 901])
      expect(await stores.usage.lastSeq('a')).toBeUndefined()
      expect(await stores.usage.lastSeq('b')).toBe(1)
      await stores.usage.prune({ days: today + 3 * day })
      expect(await calls('day')).toBe(0)
    })

    it('refuses rows that no query could tell apart or add up', async () => {
      await using stores = await openStores(await fresh())
      const refused: readonly Partial<UsageRow<string>>[] = [
        { calls: -1 },
        { calls: 1.5 },
        { credits: Number.NaN },
        { minute: -1 },
        { minute: 0.5 },
        { method: 'm'.repeat(257) },
        { method: 'a\u0000b' },
        { method: '\ud800' },
      ]
      for (const row of refused) {
        await expect(stores.usage.add('a', 1, [rowOf(), rowOf(row)])).rejects.toMatchObject({
          code: 'invalid',
          message: expect.stringContaining('rows[1].') as string,
        })
      }
      const query = { ...all, period: 'day' } as const
      for (const wrong of [{ period: 'week' }, { by: ['calls; --'] }, { limit: 0 }, { from: Number.NaN }]) {
        const asked = stores.usage.query({ ...query, ...wrong } as Parameters<typeof stores.usage.query>[0])
        await expect(asked).rejects.toMatchObject({ code: 'invalid' })
      }
      expect(await stores.usage.query(query)).toEqual([{ calls: 0, credits: 0 }])
    })

    it('leaves nothing of a step that failed', async () => {
      const options = await fresh()
      await using stores = await openStores(options)
      await execute(options, 'alter table usage_rows rename to elsewhere')
      await expect(stores.usage.add('a', 1, [rowOf()])).rejects.toMatchObject({ name: 'StoresError' })
      await execute(options, 'alter table elsewhere rename to usage_rows')
      expect(await stores.usage.lastSeq('a')).toBeUndefined()
      await stores.usage.add('a', 1, [rowOf()])
      expect(await stores.usage.query({ ...all, period: 'day' })).toEqual([{ calls: 1, credits: 80 }])
    })
  })
}
