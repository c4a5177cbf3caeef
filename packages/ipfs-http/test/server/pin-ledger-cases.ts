import { describe, expect, it } from 'vitest'
import type { Pin, PinLedger } from '../../src/pin-ledger.ts'

function pinOf(cid: string, bytes: bigint, more: Partial<Pin> = {}): Pin {
  return { cid, type: 'recursive', name: undefined, bytes, ...more }
}

/** What holds of every pin ledger. */
export function pinLedgerCases(create: () => Promise<PinLedger> | PinLedger): void {
  describe('a pin ledger', () => {
    it('keeps a pin as it is, for its project alone', async () => {
      const ledger = await create()
      const pin = pinOf('QmA', 9_007_199_254_740_993n, { name: "a 'name' — ☃", type: 'direct' })
      expect(await ledger.put('p', pin)).toBe('put')
      expect(await ledger.get('p', 'QmA')).toEqual(pin)
      expect(await ledger.get('q', 'QmA')).toBeUndefined()
      expect(await ledger.isPinned('QmA')).toBe(true)
      expect(await ledger.isPinned('QmB')).toBe(false)
      await ledger.put('o', pin)
      expect(await ledger.holders('QmA', 9)).toEqual(['o', 'p'])
      expect(await ledger.holders('QmA', 1)).toEqual(['o'])
      expect(await ledger.holders('QmB', 9)).toEqual([])
    })

    it('replaces a pin of the same CID, and counts it once', async () => {
      const ledger = await create()
      await ledger.put('p', pinOf('QmA', 5n))
      await ledger.put('p', pinOf('QmA', 7n, { name: 'n' }), { maxStoredBytes: 7n })
      expect(await ledger.list('p', { limit: 9 })).toEqual([pinOf('QmA', 7n, { name: 'n' })])
      expect((await ledger.usage('p', '2026-11')).storedBytes).toBe(7n)
    })

    it('changes nothing where the project would hold too much', async () => {
      const ledger = await create()
      await ledger.put('p', pinOf('QmA', 5n))
      expect(await ledger.put('p', pinOf('QmB', 6n), { maxStoredBytes: 10n })).toBe('quota')
      expect(await ledger.put('p', pinOf('QmA', 11n), { maxStoredBytes: 10n })).toBe('quota')
      expect(await ledger.replace('p', 'QmA', pinOf('QmB', 6n), { keep: true, maxStoredBytes: 10n })).toBe('quota')
      expect(await ledger.list('p', { limit: 9 })).toEqual([pinOf('QmA', 5n)])
      expect(await ledger.put('p', pinOf('QmB', 5n), { maxStoredBytes: 10n })).toBe('put')
    })

    it('lets what lies beyond a bound that was lowered be replaced by what is no larger', async () => {
      const ledger = await create()
      await ledger.put('p', pinOf('QmA', 9n))
      expect(await ledger.put('p', pinOf('QmA', 9n, { name: 'n' }), { maxStoredBytes: 5n })).toBe('put')
      expect(await ledger.replace('p', 'QmA', pinOf('QmB', 8n), { maxStoredBytes: 5n })).toEqual('replaced')
      expect(await ledger.put('p', pinOf('QmC', 1n), { maxStoredBytes: 5n })).toBe('quota')
    })

    it('tells when the last project has removed a CID', async () => {
      const ledger = await create()
      await ledger.put('p', pinOf('QmA', 5n))
      await ledger.put('q', pinOf('QmA', 5n))
      expect(await ledger.remove('r', 'QmA')).toBe(false)
      expect(await ledger.remove('p', 'QmA')).toEqual(true)
      expect(await ledger.remove('p', 'QmA')).toBe(false)
      expect(await ledger.remove('q', 'QmA')).toEqual(true)
      expect(await ledger.usage('p', '')).toMatchObject({ storedBytes: 0n })
    })

    it('puts one pin in the place of another', async () => {
      const ledger = await create()
      expect(await ledger.replace('p', 'QmA', pinOf('QmB', 6n))).toBeUndefined()
      await ledger.put('p', pinOf('QmA', 5n))
      await ledger.put('q', pinOf('QmA', 5n))
      expect(await ledger.replace('p', 'QmA', pinOf('QmB', 6n), { maxStoredBytes: 6n })).toEqual('replaced')
      expect(await ledger.replace('p', 'QmB', pinOf('QmC', 7n), { keep: true })).toEqual('replaced')
      expect(await ledger.replace('p', 'QmB', pinOf('QmC', 8n))).toEqual('replaced')
      expect(await ledger.list('p', { limit: 9 })).toEqual([pinOf('QmC', 8n)])
      expect(await ledger.replace('p', 'QmC', pinOf('QmC', 9n))).toEqual('replaced')
      expect((await ledger.usage('p', '')).storedBytes).toBe(9n)
    })

    it('lists in the order of CIDs, page by page', async () => {
      const ledger = await create()
      const cids = ['Qmb', 'QmB', 'bafy2', 'QmA', 'bafy10']
      for (const cid of cids) await ledger.put('p', pinOf(cid, 1n))
      await ledger.put('q', pinOf('QmZ', 1n))
      const sorted = ['QmA', 'QmB', 'Qmb', 'bafy10', 'bafy2']
      const first = await ledger.list('p', { limit: 3 })
      expect(first.map(({ cid }) => cid)).toEqual(sorted.slice(0, 3))
      const rest = await ledger.list('p', { after: first.at(-1)!.cid, limit: 3 })
      expect(rest.map(({ cid }) => cid)).toEqual(sorted.slice(3))
    })

    it('names each root once, recursive where any pin of it is', async () => {
      const ledger = await create()
      await ledger.put('p', pinOf('QmA', 1n, { type: 'direct' }))
      await ledger.put('q', pinOf('QmA', 1n))
      await ledger.put('q', pinOf('QmB', 1n, { type: 'direct' }))
      const both = [
        { cid: 'QmA', recursive: true },
        { cid: 'QmB', recursive: false },
      ]
      expect(await ledger.roots({ limit: 9 })).toEqual(both)
      expect(await ledger.roots({ after: 'QmA', limit: 9 })).toEqual(both.slice(1))
      expect(await ledger.roots({ limit: 1 })).toEqual(both.slice(0, 1))
      await ledger.remove('q', 'QmA')
      expect(await ledger.roots({ limit: 1 })).toEqual([{ cid: 'QmA', recursive: false }])
    })

    it('charges transfers to a month', async () => {
      const ledger = await create()
      expect(await ledger.usage('p', '2026-11')).toEqual({ storedBytes: 0n, uploadedBytes: 0n, downloadedBytes: 0n })
      await ledger.charge('p', '2026-11', { uploadedBytes: 5n })
      await ledger.charge('p', '2026-11', { uploadedBytes: 2n ** 60n, downloadedBytes: 7n })
      expect(await ledger.usage('p', '2026-11')).toMatchObject({ uploadedBytes: 2n ** 60n + 5n, downloadedBytes: 7n })
      expect(await ledger.usage('q', '2026-11')).toMatchObject({ uploadedBytes: 0n })
      await ledger.charge('p', '2026-12', { downloadedBytes: 1n })
      expect(await ledger.usage('p', '2026-12')).toMatchObject({ uploadedBytes: 0n, downloadedBytes: 1n })
    })
  })
}
