import type { Pin } from '@wayleave/ipfs-http/server'
import { openStores, type StoresOptions } from '@wayleave/stores'
import { describe, expect, it } from 'vitest'

function pinOf(cid: string, bytes: bigint, more: Partial<Pin> = {}): Pin {
  return { cid, type: 'recursive', name: undefined, bytes, ...more }
}

/** Tests that hold for pins in either database. */
export function pinCases(
  fresh: () => Promise<StoresOptions>,
  execute: (options: StoresOptions, statement: string) => Promise<void>,
): void {
  describe('pins', () => {
    it('are there after a restart, exactly', async () => {
      const options = await fresh()
      const pins = [
        pinOf('QmA', 2n ** 62n, { name: "a 'name' — ☃" }),
        pinOf('bafyB', 9_007_199_254_740_993n, { type: 'direct' }),
      ]
      {
        await using stores = await openStores(options)
        for (const pin of pins) expect(await stores.pins.put('p', pin)).toBe('put')
      }
      await using stores = await openStores(options)
      expect(await stores.pins.list('p', { limit: 10 })).toEqual(expect.arrayContaining(pins))
      expect(await stores.pins.get('p', 'QmA')).toEqual(pins[0])
      expect(await stores.pins.get('q', 'QmA')).toBeUndefined()
      expect((await stores.pins.usage('p', '2026-11')).storedBytes).toBe(2n ** 62n + 9_007_199_254_740_993n)
    })

    it('are rows of one project, and the last of several tells so', async () => {
      await using stores = await openStores(await fresh())
      for (const project of ['p', 'q']) await stores.pins.put(project, pinOf('QmA', 5n))
      expect(await stores.pins.remove('r', 'QmA')).toBe(false)
      expect(await stores.pins.remove('p', 'QmA')).toEqual(true)
      expect(await stores.pins.remove('p', 'QmA')).toBe(false)
      expect(await stores.pins.list('p', { limit: 10 })).toEqual([])
      expect(await stores.pins.isPinned('QmA')).toBe(true)
      expect(await stores.pins.remove('q', 'QmA')).toEqual(true)
      expect(await stores.pins.isPinned('QmA')).toBe(false)
      expect((await stores.pins.usage('q', '2026-11')).storedBytes).toBe(0n)
    })

    it('name the projects that hold them, the first ones where there are many', async () => {
      await using stores = await openStores(await fresh())
      for (const project of ['q', 'p', 'r']) await stores.pins.put(project, pinOf('QmA', 5n))
      await stores.pins.put('p', pinOf('QmB', 5n))
      expect(await stores.pins.holders('QmA', 9)).toEqual(['p', 'q', 'r'])
      expect(await stores.pins.holders('QmA', 2)).toEqual(['p', 'q'])
      expect(await stores.pins.holders('QmC', 9)).toEqual([])
    })

    it('count once however often they are put, as they were put last', async () => {
      await using stores = await openStores(await fresh())
      await stores.pins.put('p', pinOf('QmA', 5n, { type: 'direct', name: 'old' }))
      await stores.pins.put('p', pinOf('QmA', 7n))
      expect(await stores.pins.get('p', 'QmA')).toEqual(pinOf('QmA', 7n))
      expect((await stores.pins.usage('p', '2026-11')).storedBytes).toBe(7n)
    })

    it('are refused beyond the quota, and nothing has changed then', async () => {
      await using stores = await openStores(await fresh())
      const quota = { maxStoredBytes: 10n }
      expect(await stores.pins.put('p', pinOf('QmA', 10n), quota)).toBe('put')
      expect(await stores.pins.put('p', pinOf('QmB', 1n), quota)).toBe('quota')
      expect(await stores.pins.replace('p', 'QmA', pinOf('QmB', 11n), quota)).toBe('quota')
      expect(await stores.pins.replace('p', 'QmA', pinOf('QmB', 1n), { ...quota, keep: true })).toBe('quota')
      expect(await stores.pins.list('p', { limit: 10 })).toEqual([pinOf('QmA', 10n)])
      // A bound that was lowered since then takes nothing away.
      expect(await stores.pins.put('p', pinOf('QmA', 9n), { maxStoredBytes: 1n })).toBe('put')
    })

    it('stay within the quota where many are put at once', async () => {
      const options = await fresh()
      await using one = await openStores(options)
      await using two = await openStores(options)
      const puts = Array.from({ length: 20 }, (_, i) =>
        (i % 2 === 0 ? one : two).pins.put('p', pinOf(`Qm${i}`, 3n), { maxStoredBytes: 30n }),
      )
      expect((await Promise.all(puts)).filter((result) => result === 'put')).toHaveLength(10)
      expect((await one.pins.usage('p', '2026-11')).storedBytes).toBe(30n)
    })

    it('are replaced in one step', async () => {
      await using stores = await openStores(await fresh())
      await stores.pins.put('p', pinOf('QmA', 5n))
      await stores.pins.put('q', pinOf('QmA', 5n))
      expect(await stores.pins.replace('p', 'QmNone', pinOf('QmB', 1n))).toBeUndefined()
      expect(await stores.pins.replace('p', 'QmA', pinOf('QmB', 6n))).toEqual('replaced')
      expect(await stores.pins.replace('q', 'QmA', pinOf('QmB', 6n), { keep: true })).toEqual('replaced')
      expect(await stores.pins.replace('q', 'QmA', pinOf('QmA', 6n))).toEqual('replaced')
      expect(await stores.pins.replace('q', 'QmA', pinOf('QmB', 6n))).toEqual('replaced')
      expect(await stores.pins.list('q', { limit: 10 })).toEqual([pinOf('QmB', 6n)])
      expect((await stores.pins.usage('q', '2026-11')).storedBytes).toBe(6n)
    })

    it('are listed page by page, and what any project holds once', async () => {
      await using stores = await openStores(await fresh())
      const cids = Array.from({ length: 7 }, (_, i) => `Qm${'aBcDeFg'[i]}`)
      for (const cid of cids) await stores.pins.put('p', pinOf(cid, 1n, { type: 'direct' }))
      await stores.pins.put('q', pinOf(cids[3]!, 1n))
      const listed: string[] = []
      const roots: (readonly [string, boolean])[] = []
      for (let after: string | undefined; listed.length < 7; after = listed.at(-1)) {
        const page = await stores.pins.list('p', { after, limit: 3 })
        expect(page.length).toBeGreaterThan(0)
        listed.push(...page.map(({ cid }) => cid))
      }
      for (let after: string | undefined; roots.length < 7; after = roots.at(-1)![0]) {
        const page = await stores.pins.roots({ after, limit: 2 })
        expect(page.length).toBeGreaterThan(0)
        roots.push(...page.map(({ cid, recursive }) => [cid, recursive] as const))
      }
      expect(new Set(listed)).toEqual(new Set(cids))
      expect(new Map(roots)).toEqual(new Map(cids.map((cid) => [cid, cid === cids[3]])))
    })

    it('count what is moved by project and month, also at once', async () => {
      await using stores = await openStores(await fresh())
      await Promise.all(
        Array.from({ length: 10 }, (_, i) =>
          stores.pins.charge('p', '2026-11', { uploadedBytes: BigInt(i), downloadedBytes: 2n ** 50n }),
        ),
      )
      await stores.pins.charge('p', '2026-12', { uploadedBytes: 1n })
      expect(await stores.pins.usage('p', '2026-11')).toEqual({
        storedBytes: 0n,
        uploadedBytes: 45n,
        downloadedBytes: 10n * 2n ** 50n,
      })
      expect((await stores.pins.usage('p', '2026-12')).uploadedBytes).toBe(1n)
      expect((await stores.pins.usage('q', '2026-11')).uploadedBytes).toBe(0n)
    })

    it('are pinned by many holders at once, and released by one alone who finds none and no pin', async () => {
      const options = await fresh()
      await using one = await openStores(options)
      await using two = await openStores(options)
      const minute = 60_000
      expect(await one.pins.lease('QmA', 'a', 'pinning', minute)).toBe('leased')
      expect(await two.pins.lease('QmA', 'b', 'pinning', minute)).toBe('leased')
      expect(await two.pins.lease('QmA', 'b', 'releasing', minute)).toBe('busy')
      expect(await two.pins.endLease('QmA', 'b')).toBe('ended')
      expect(await one.pins.endLease('QmA', 'a')).toBe('unpinned')
      expect(await one.pins.lease('QmA', 'a', 'releasing', minute)).toBe('leased')
      expect(await two.pins.lease('QmA', 'b', 'pinning', minute)).toBe('busy')
      expect(await two.pins.lease('QmA', 'b', 'releasing', minute)).toBe('busy')
      expect(await one.pins.endLease('QmA', 'a')).toBe('ended')
      expect(await one.pins.endLease('QmA', 'a')).toBe('lost')
      await two.pins.put('p', pinOf('QmA', 1n, { type: 'direct' }))
      expect(await two.pins.lease('QmA', 'b', 'releasing', minute)).toBe('direct')
      await two.pins.put('q', pinOf('QmA', 1n))
      expect(await two.pins.lease('QmA', 'b', 'releasing', minute)).toBe('recursive')
    })

    it('whose lease has expired are told, and pass to the next holder', async () => {
      await using stores = await openStores(await fresh())
      expect(await stores.pins.lease('QmA', 'a', 'releasing', 60_000)).toBe('leased')
      expect(await stores.pins.expiredLeases(10)).toEqual([])
      await stores.pins.renewLease('QmA', 'a', -1)
      expect(await stores.pins.expiredLeases(10)).toEqual(['QmA'])
      expect(await stores.pins.lease('QmA', 'b', 'pinning', 60_000)).toBe('leased')
      expect(await stores.pins.expiredLeases(10)).toEqual([])
      await stores.pins.renewLease('QmA', 'a', 60_000)
      expect(await stores.pins.endLease('QmA', 'a')).toBe('lost')
    })

    it('are bound to the first store that is named, for all processes and restarts', async () => {
      const options = await fresh()
      {
        await using one = await openStores(options)
        await using two = await openStores(options)
        const bound = await Promise.all([one.pins.bindStore('a'), two.pins.bindStore('b')])
        expect(new Set(bound).size).toBe(1)
        expect(['a', 'b']).toContain(bound[0])
        expect(await two.pins.bindStore('c')).toBe(bound[0])
      }
      await using stores = await openStores(options)
      expect(['a', 'b']).toContain(await stores.pins.bindStore('c'))
    })

    it('that are not what was written are told by their CID', async () => {
      const options = await fresh()
      await using stores = await openStores(options)
      await stores.pins.put('p', pinOf('QmA', 1n))
      await execute(options, `update pins set type = 'loose'`)
      await expect(stores.pins.get('p', 'QmA')).rejects.toMatchObject({
        code: 'corrupt',
        message: expect.stringContaining('QmA') as string,
      })
    })
  })
}
