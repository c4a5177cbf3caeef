import { openStores, type StoredFilter, type StoresOptions } from '@wayleave/stores'
import { describe, expect, it } from 'vitest'

export function filterOf(id: string, more: Partial<StoredFilter> = {}): StoredFilter {
  return {
    id,
    project: 'shop',
    kind: 'logs',
    criteria: { topics: [null, `a 'topic' — ☃ \u0000`] },
    cursor: { number: 9_000_000_000, hash: `0x${'ab'.repeat(32)}` },
    pendingCursor: undefined,
    expiresAt: 1_000,
    revision: 0,
    ...more,
  }
}

/** Tests that hold for filters in either database. */
export function filterCases(
  fresh: () => Promise<StoresOptions>,
  execute: (options: StoresOptions, statement: string) => Promise<void>,
): void {
  describe('filters', () => {
    it('are there after a restart, exactly, by their network', async () => {
      const options = await fresh()
      const filters = [
        filterOf('0x1'),
        filterOf('0x2', { project: undefined, kind: 'blocks', criteria: null }),
        filterOf('0x3', { kind: 'pending', criteria: true, pendingCursor: 'x-7' }),
      ]
      {
        await using stores = await openStores(options)
        for (const filter of filters) expect(await stores.filters.put('mainnet', filter)).toBe(true)
      }
      await using stores = await openStores(options)
      for (const filter of filters) expect(await stores.filters.get('mainnet', filter.id)).toEqual(filter)
      expect(await stores.filters.get('sepolia', '0x1')).toBeUndefined()
      expect(await stores.filters.put('sepolia', filterOf('0x1', { project: 'other' }))).toBe(true)
      expect(await stores.filters.get('mainnet', '0x1')).toEqual(filters[0])
    })

    it('move by one revision at a time, so that of two processes one moves them', async () => {
      const options = await fresh()
      await using stores = await openStores(options)
      await using others = await openStores(options)
      const first = filterOf('0x1')
      expect(await stores.filters.put('mainnet', { ...first, revision: 1 })).toBe(false)
      expect(await stores.filters.put('mainnet', first)).toBe(true)
      expect(await stores.filters.put('mainnet', first)).toBe(false)
      const moved = (hash: string) => ({ ...first, cursor: { number: 7, hash }, expiresAt: 2_000, revision: 1 })
      const both = [stores.filters.put('mainnet', moved('0xaa')), others.filters.put('mainnet', moved('0xbb'))]
      expect((await Promise.all(both)).toSorted()).toEqual([false, true])
      expect(await stores.filters.get('mainnet', '0x1')).toMatchObject({ revision: 1, expiresAt: 2_000 })
    })

    it('are removed once', async () => {
      await using stores = await openStores(await fresh())
      await stores.filters.put('mainnet', filterOf('0x1'))
      expect(await stores.filters.remove('sepolia', '0x1')).toBe(false)
      expect(await stores.filters.remove('mainnet', '0x1')).toBe(true)
      expect(await stores.filters.remove('mainnet', '0x1')).toBe(false)
      expect(await stores.filters.put('mainnet', filterOf('0x1', { revision: 1 }))).toBe(false)
    })

    it('are listed while they live, and pruned after that', async () => {
      await using stores = await openStores(await fresh())
      for (let i = 1; i <= 250; i++) await stores.filters.put('mainnet', filterOf(`0x${i}`, { expiresAt: i }))
      await stores.filters.put('sepolia', filterOf('0x1', { expiresAt: 240 }))
      const ids = async (now: number, limit = 10) =>
        (await stores.filters.list('mainnet', now, limit)).map(({ id }) => id)
      expect(await ids(247)).toEqual(['0x248', '0x249', '0x250'])
      expect(await ids(0, 2)).toEqual(['0x249', '0x250'])
      await stores.filters.prune(247)
      expect(await ids(0)).toEqual(['0x248', '0x249', '0x250'])
      expect(await stores.filters.get('mainnet', '0x247')).toBeUndefined()
      expect(await stores.filters.get('sepolia', '0x1')).toBeUndefined()
    })

    it('are as many as their project may have in a network, and each that ends makes room', async () => {
      const options = await fresh()
      await using stores = await openStores(options)
      await using others = await openStores(options)
      const put = (id: string, more: Partial<StoredFilter> = {}, network = 'mainnet', by = stores) =>
        by.filters.put(network, filterOf(id, more), 2)
      expect([await put('0x1'), await put('0x2', {}, 'mainnet', others)]).toEqual([true, true])
      expect([await put('0x3'), await put('0x3', {}, 'mainnet', others)]).toEqual([false, false])
      expect(await put('0x3', { project: 'other' })).toBe(true)
      expect(await put('0x4', { project: undefined })).toBe(true)
      expect(await put('0x5', {}, 'sepolia')).toBe(true)
      // Those that are there go on.
      expect(await put('0x1', { revision: 1 })).toBe(true)
      await others.filters.remove('mainnet', '0x2')
      expect([await put('0x6'), await put('0x7')]).toEqual([true, false])
      await stores.filters.prune(1_000)
      expect(await put('0x7')).toBe(true)
    })

    it('that are not what was written are told so', async () => {
      const options = await fresh()
      await using stores = await openStores(options)
      for (const change of [`criteria = '{'`, `kind = 'odd'`]) {
        await stores.filters.put('mainnet', filterOf('0x1'))
        await execute(options, `update filters set ${change} where id = '0x1'`)
        await stores.filters.put('mainnet', filterOf('0x2'))
        await expect(stores.filters.get('mainnet', '0x1')).rejects.toMatchObject({ code: 'corrupt' })
        expect(await stores.filters.list('mainnet', 0, 9)).toEqual([filterOf('0x2')])
        await stores.filters.remove('mainnet', '0x1')
      }
    })
  })
}
