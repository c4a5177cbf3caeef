import { FakeClock } from '@wayleave/jsonrpc-core/testing'
import { expect, it } from 'vitest'
import { createFilterQuota } from '../src/filter-quota.ts'
import { createMemoryFilterStore, type StoredFilter } from '../src/filter-store.ts'

const lifeMs = 900_000

it('an expired filter leaves its place at once, whatever filters of others were used later', async () => {
  const clock = new FakeClock()
  const begin = clock.date()
  const used = new Map<string | undefined, number>()
  const share = {
    take(project: string | undefined, amount: number) {
      if ((used.get(project) ?? 0) + amount > 2) return false
      used.set(project, (used.get(project) ?? 0) + amount)
      return true
    },
    give: (project: string | undefined, amount: number) => void used.set(project, used.get(project)! - amount),
  }
  const store = createMemoryFilterStore(clock)
  const quota = createFilterQuota(clock, share, store, [])
  async function make(id: string, project: string): Promise<boolean> {
    const expiresAt = clock.date() + lifeMs
    const filter = {
      id,
      project,
      kind: 'blocks',
      criteria: null,
      cursor: { hash: '0x', number: 1 },
      expiresAt,
      revision: 0,
    }
    if (!(await quota.admit(filter as unknown as StoredFilter, false))) return false
    await store.put(filter as unknown as StoredFilter)
    return quota.admit(filter as unknown as StoredFilter, true)
  }
  await make('a', 'one')
  await make('b', 'one')
  clock.advance(800_000)
  await make('x', 'two')
  // Its filters are looked at, and stay.
  expect(await make('c', 'one')).toBe(false)
  clock.advance(begin + lifeMs + 1_000 - clock.date())
  expect(await make('d', 'one')).toBe(true)
})
