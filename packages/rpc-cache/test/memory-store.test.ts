import { createMemoryStore, type KeptAnswer } from '@wayleave/rpc-cache'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

const mib = 1_048_576
const kept = (length: number, place: Partial<KeptAnswer> = { isFinal: true }): KeptAnswer => ({
  body: 'a'.repeat(length),
  byteLength: length,
  isFinal: false,
  ...place,
})

describe('the memory', () => {
  it('stays within its bound, and evicts no more than it must', () => {
    const store = createMemoryStore({ maxBytes: mib })
    const partition = store.partition('a')
    let longest = 0
    for (let i = 0; i < 5_000; i++) {
      const length = (i * 7_919) % 9_000
      longest = Math.max(longest, length)
      expect(partition.set(`key ${i}`, kept(length))).toBe(true)
      expect(store.bytes).toBeLessThanOrEqual(mib)
    }
    expect(store.evictions).toBe(5_000 - store.entries)
    expect(store.bytes).toBeGreaterThan(mib - longest - 1_000)
  })

  it('spares an answer that was used while others pass by once', () => {
    const store = createMemoryStore({ maxBytes: mib })
    const partition = store.partition('a')
    partition.set('used', kept(10_000))
    partition.set('unused', kept(10_000))
    for (let i = 0; i < 150; i++) {
      partition.get('used')
      partition.peek('unused')
      partition.set(`scan ${i}`, kept(10_000))
    }
    expect(partition.peek('used')).toBeDefined()
    expect(partition.peek('unused')).toBeUndefined()
  })

  it('counts the answers of an owner, in all his partitions, until nothing of his is left', () => {
    const store = createMemoryStore({ maxBytes: mib })
    const own = store.bytes
    const [a, latest, b] = [
      store.partition('a', 'one'),
      store.partition('a latest', 'one'),
      store.partition('b', 'two'),
    ]
    expect(store.tallyOf('nobody')).toBeUndefined()
    a.set('k', kept(1_000))
    latest.set('k', kept(1_000))
    b.set('k', kept(5_000))
    expect(store.tallyOf('one')).toMatchObject({ entries: 2, evictions: 0 })
    expect(store.tallyOf('one')!.bytes + store.tallyOf('two')!.bytes).toBe(store.bytes - own)
    a.set('k', kept(2_000))
    a.delete('none')
    expect(store.tallyOf('one')!.entries).toBe(2)
    for (let i = 0; i < 500; i++) b.set(`key ${i}`, kept(9_000))
    expect(store.tallyOf('one')).toMatchObject({ bytes: 0, entries: 0, evictions: 2 })
    expect(store.tallyOf('two')).toMatchObject({ entries: store.entries, evictions: store.evictions - 2 })
    a.close()
    expect(store.tallyOf('one')).toBeDefined()
    latest.close()
    expect(store.tallyOf('one')).toBeUndefined()
    store.close()
    expect(store.tallyOf('two')).toBeUndefined()
  })

  it('forgets the name of a partition that all have left, once nothing is in it', () => {
    const store = createMemoryStore({ maxBytes: mib })
    const partition = store.partition('a')
    expect(store.partition('a')).toBe(partition)
    partition.close()
    expect(partition.set('k', kept(1))).toBe(true)
    partition.close()
    expect(partition.set('another', kept(1))).toBe(false)
    // It holds an answer for whoever comes again.
    const again = store.partition('a')
    expect(again).toBe(partition)
    expect(again.set('another', kept(1))).toBe(true)
    again.close()
    const other = store.partition('b')
    for (let i = 0; partition.entries > 0; i++) other.set(`key ${i}`, kept(10_000))
    expect(store.partition('a')).not.toBe(partition)
    other.close()
    expect(store.partition('b')).toBe(other)
  })

  it('forgets a partition that held nothing as soon as all have left', () => {
    const store = createMemoryStore({ maxBytes: mib })
    const partition = store.partition('a')
    partition.close()
    expect(store.partition('a')).not.toBe(partition)
  })

  it('counts keys, with two bytes for a character that is not ASCII', () => {
    const store = createMemoryStore({ maxBytes: mib })
    const partition = store.partition('a')
    const empty = store.bytes
    partition.set('a'.repeat(1_000), kept(1))
    const ascii = store.bytes
    partition.set('é'.repeat(1_000), kept(1))
    expect(store.bytes - ascii).toBe(ascii - empty + 1_000)
  })

  it('keeps no answer beyond the longest, and drops the one that it was to replace', () => {
    const store = createMemoryStore({ maxBytes: mib, maxEntryBytes: 1_000 })
    const empty = store.bytes
    const partition = store.partition('a')
    expect(partition.set('k', kept(500))).toBe(true)
    expect(partition.set('k', kept(1_000))).toBe(false)
    expect(partition.peek('k')).toBeUndefined()
    expect([store.bytes, store.entries]).toEqual([empty, 0])
  })

  it('shares its bound among partitions, and no answer', () => {
    const store = createMemoryStore({ maxBytes: mib })
    const [a, b] = [store.partition('a'), store.partition('b')]
    a.set('k', kept(1))
    expect(store.partition('a').peek('k')).toBeDefined()
    expect(b.get('k')).toBeUndefined()
    for (let i = 0; i < 200; i++) b.set(`key ${i}`, kept(10_000))
    expect(a.entries).toBe(0)
    expect(store.bytes).toBeLessThanOrEqual(mib)
  })

  it('reserves an eighth at most, within its bound', () => {
    const store = createMemoryStore({ maxBytes: mib })
    for (let i = 0; i < 200; i++) store.partition('a').set(`key ${i}`, kept(10_000))
    expect(store.reserve(mib / 8)).toBe(true)
    expect(store.bytes).toBeLessThanOrEqual(mib)
    expect(store.reserve(1)).toBe(false)
    const before = store.bytes
    store.release(mib / 8)
    expect(store.bytes).toBe(before - mib / 8)
  })

  it('holds nothing once it is closed', () => {
    const store = createMemoryStore({ maxBytes: mib })
    const empty = store.bytes
    const partition = store.partition('a')
    partition.set('k', kept(1))
    store.close()
    expect([store.bytes, store.entries]).toEqual([empty, 0])
    expect(partition.set('k', kept(1))).toBe(false)
    expect(store.reserve(1)).toBe(false)
  })

  it.each([
    [{ maxBytes: 1_000 }, 'maxBytes must be a whole number from 1048576, but is 1000'],
    [{ maxBytes: Number.NaN }, 'maxBytes must be a whole number from 1048576, but is NaN'],
    [
      { maxBytes: mib, maxEntryBytes: mib },
      `maxEntryBytes must be a whole number from 1 to half of maxBytes, but is ${mib}`,
    ],
  ])('refuses a bound that it cannot keep: %o', (options, message) => {
    expect(() => createMemoryStore(options)).toThrow(new RangeError(message))
  })
})

describe('the order of evictions', () => {
  it('keeps whatever comes back soon after it left', () => {
    const store = createMemoryStore({ maxBytes: mib })
    const partition = store.partition('a')
    partition.set('back', kept(10_000))
    let i = 0
    while (partition.peek('back') !== undefined) partition.set(`scan ${i++}`, kept(10_000))
    partition.set('back', kept(10_000))
    for (let j = 0; j < 150; j++) partition.set(`scan ${i++}`, kept(10_000))
    expect(partition.peek('back')).toBeDefined()
  })

  it('evicts every entry in the end, used or not', () => {
    const store = createMemoryStore({ maxBytes: mib })
    const partition = store.partition('a')
    partition.set('used', kept(10_000))
    for (let i = 0; partition.peek('used') !== undefined; i++) {
      if (i > 5_000) throw new Error('it was never evicted')
      partition.set(`key ${i}`, kept(10_000))
      partition.get(`key ${i}`)
    }
    expect(store.bytes).toBeLessThanOrEqual(mib)
  })
})

describe('answers by their height', () => {
  const height = fc.integer({ min: 0, max: 30 })
  const command = fc.oneof(
    fc.record({
      do: fc.constant('set' as const),
      key: fc.integer({ min: 0, max: 40 }),
      isFinal: fc.boolean(),
      height: fc.option(height, { nil: undefined }),
    }),
    fc.record({ do: fc.constant('delete' as const), key: fc.integer({ min: 0, max: 40 }) }),
    fc.record({ do: fc.constant('finalize' as const), height }),
    fc.record({ do: fc.constant('dropAbove' as const), height: fc.integer({ min: -1, max: 30 }) }),
  )

  it('are dropped by a reorg as a plain list of them says', () => {
    fc.assert(
      fc.property(fc.array(command, { maxLength: 200 }), (commands) => {
        const partition = createMemoryStore({ maxBytes: mib }).partition('a')
        const model = new Map<string, { isFinal: boolean; height: number | undefined }>()
        let finalized = -1
        for (const step of commands) {
          if (step.do === 'set') {
            const place = { isFinal: step.isFinal, height: step.height }
            partition.set(String(step.key), kept(1, place))
            model.set(String(step.key), place)
          } else if (step.do === 'delete') {
            partition.delete(String(step.key))
            model.delete(String(step.key))
          } else if (step.do === 'finalize') {
            partition.finalize(step.height)
            finalized = Math.max(finalized, step.height)
          } else {
            partition.dropAbove(step.height)
            for (const [key, { isFinal, height: own }] of model) {
              const isSettled = isFinal || (own !== undefined && own <= finalized)
              const isAbove = own === undefined ? !isFinal : own > step.height
              if (isAbove && (!isSettled || step.height < finalized)) model.delete(key)
            }
          }
        }
        expect(partition.entries).toBe(model.size)
        for (const [key, { isFinal, height: own }] of model) {
          const found = partition.peek(key)!
          expect(partition.isFinal(found)).toBe(isFinal || (own !== undefined && own <= finalized))
        }
      }),
      { numRuns: 500 },
    )
  })

  it('are dropped at any depth, whether there are more heights or more lists', () => {
    const partition = createMemoryStore({ maxBytes: 64 * mib }).partition('a')
    for (let i = 0; i < 20_000; i++) partition.set(`k${i}`, kept(1, { height: 20_000_000 + i }))
    partition.finalize(20_000_000 + 9_999)
    partition.dropAbove(20_000_000 + 19_996)
    expect(partition.entries).toBe(19_997)
    partition.dropAbove(20_000_000 + 9_999)
    expect(partition.entries).toBe(10_000)
    partition.dropAbove(-1)
    expect(partition.entries).toBe(0)
  })
})
