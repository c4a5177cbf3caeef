import { createLog } from '@wayleave/telemetry'
import type { StoredFilter } from '@wayleave/evm-events'
import { FakeClock } from '@wayleave/jsonrpc-core/testing'
import { type FilterTable, StoresError } from '@wayleave/stores'
import { expect, it } from 'vitest'
import { openFilterStores } from '../../src/filters/filter-stores.ts'

const filter: StoredFilter = {
  id: '0x1',
  project: 'one',
  kind: 'blocks',
  criteria: null,
  cursor: { number: 7, hash: '0xaa' },
  expiresAt: 900_000,
  revision: 0,
}

/** A database that fails as it is told. */
function scene(fault?: () => Error | undefined) {
  const clock = new FakeClock()
  const log = createLog({ level: 'silent' })
  const calls: unknown[][] = []
  const answer =
    <T>(name: string, value: T) =>
    async (...args: unknown[]): Promise<T> => {
      calls.push([name, ...args])
      const why = fault?.()
      if (why !== undefined) throw why
      return value
    }
  const filters: FilterTable = {
    get: answer('get', filter),
    put: answer('put', true),
    remove: answer('remove', true),
    list: answer('list', [filter]),
    prune: answer('prune', undefined),
  }
  const stores = openFilterStores({ store: { filters }, limits: { maxFilters: 10 }, clock, log })
  return { clock, calls, stores }
}

it('a database keeps the filters of each network, and gives those that live at the start', async () => {
  const { clock, calls, stores } = scene()
  const { store, known } = await stores.open('mainnet')
  expect(known).toEqual([filter])
  expect([await store.get('0x1'), await store.put(filter), await store.remove('0x1')]).toEqual([filter, true, true])
  expect(calls).toEqual([
    ['list', 'mainnet', clock.date(), 10],
    ['get', 'mainnet', '0x1'],
    ['put', 'mainnet', filter],
    ['remove', 'mainnet', '0x1'],
  ])
})

it('expired filters are removed from the database each minute, also after a failure, until the end', async () => {
  const { clock, calls, stores } = scene(() => (calls.length === 1 ? new Error('failed') : undefined))
  for (let minute = 1; minute <= 3; minute++) {
    clock.advance(60_000)
    await new Promise((resolve) => setImmediate(resolve))
    expect(calls).toHaveLength(minute)
    expect(calls.at(-1)).toEqual(['prune', clock.date()])
  }
  stores.close()
  clock.advance(60_000)
  expect([calls.length, clock.timers]).toEqual([3, 0])
})

it.each([
  [new StoresError('unavailable', 'postgres://host cannot be reached'), 'unavailable', undefined],
  [Object.assign(new Error('the store cannot be used now'), { code: 'store_gone' }), 'unavailable', undefined],
  [new StoresError('conflict', 'there are 100000 filters'), 'overloaded', -32005],
])('a failure, such as %s, is an outage to callers, without its words', async (why, code, rpc) => {
  const { stores } = scene(() => why)
  const { store, known } = await stores.open('mainnet')
  expect(known).toEqual([])
  for (const work of [store.get('0x1'), store.put(filter), store.remove('0x1')]) {
    const thrown: unknown = await work.catch((error: unknown) => error)
    expect(thrown).toMatchObject({ name: 'RpcError', code })
    expect((thrown as { rpc?: { code: number } }).rpc?.code).toBe(rpc)
    expect(String(thrown)).not.toMatch(/postgres|100000/)
  }
})

it('a filter that was damaged is removed, and unknown', async () => {
  const { calls, stores } = scene(() =>
    calls.at(-1)?.[0] === 'get' ? new StoresError('corrupt', 'the filter 0x1 is not what was written') : undefined,
  )
  const { store } = await stores.open('mainnet')
  expect(await store.get('0x1')).toBeUndefined()
  expect(calls.at(-1)).toEqual(['remove', 'mainnet', '0x1'])
})

it('without a database and Redis the filters are in memory', async () => {
  const clock = new FakeClock()
  const log = createLog({ level: 'silent' })
  const stores = openFilterStores({ limits: { maxFilters: 10 }, clock, log })
  const { store, known } = await stores.open('mainnet')
  expect([known, await store.put(filter), await store.get('0x1')]).toEqual([[], true, filter])
  expect(clock.timers).toBe(0)
})
