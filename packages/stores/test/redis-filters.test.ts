import { once } from 'node:events'
import { connect } from 'node:net'
import { openRedis, type StoredFilter } from '@wayleave/stores'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { filterOf as anyFilter } from './filter-cases.ts'
import { missingRedis, type RedisServer, startRedis } from './redis-server.ts'

const isOptional = process.env['REQUIRE_SERVICES'] === undefined
const filterOf = (id: string, more: Partial<StoredFilter> = {}): StoredFilter =>
  anyFilter(id, { expiresAt: Date.now() + 60_000, ...more })

describe.skipIf(isOptional && missingRedis() !== undefined)('filters in Redis', () => {
  let server: RedisServer
  beforeAll(async () => {
    server = await startRedis()
  })
  afterAll(() => server?.stop())

  /** The stores of two processes. */
  async function open(prefix: string) {
    const pair = await Promise.all([openRedis({ url: server.url, prefix }), openRedis({ url: server.url, prefix })])
    for (const each of pair) await expect.poll(() => each.state().connected).toBe(true)
    return pair as [(typeof pair)[0], (typeof pair)[0]]
  }

  /** Runs a command as it is. */
  async function command(...words: readonly string[]): Promise<void> {
    const socket = connect(server.port, '127.0.0.1')
    const parts = words.map((word) => `$${word.length}\r\n${word}\r\n`)
    socket.write(`*${words.length}\r\n${parts.join('')}`)
    await once(socket, 'data')
    socket.destroy()
  }

  it('are found by all, exactly, by their network, until one removes them', async () => {
    const [redis, other] = await open('found')
    const [one, two] = [redis.filters('mainnet'), other.filters('mainnet')]
    const filters = [
      filterOf('0x1'),
      filterOf('0x2', { project: undefined, kind: 'blocks', criteria: null }),
      filterOf('0x3', { kind: 'pending', criteria: true, pendingCursor: 'x-7' }),
    ]
    expect(await two.get('0x1')).toBeUndefined()
    for (const filter of filters) expect(await one.put(filter)).toBe(true)
    for (const filter of filters) expect(await two.get(filter.id)).toEqual(filter)
    expect(await other.filters('sepolia').get('0x1')).toBeUndefined()
    expect(await two.remove('0x1')).toBe(true)
    expect(await one.remove('0x1')).toBe(false)
    expect(await one.get('0x1')).toBeUndefined()
    await Promise.all([redis.close(), other.close()])
  })

  it('move by one revision at a time, so that of two processes one moves them', async () => {
    const [redis, other] = await open('moved')
    const [one, two] = [redis.filters('mainnet'), other.filters('mainnet')]
    const first = filterOf('0x1')
    expect(await one.put({ ...first, revision: 1 })).toBe(false)
    expect(await one.put(first)).toBe(true)
    expect(await two.put(first)).toBe(false)
    const moved = [one.put({ ...first, revision: 1 }), two.put({ ...first, revision: 1 })]
    expect((await Promise.all(moved)).toSorted()).toEqual([false, true])
    for (let revision = 2; revision < 12; revision++) expect(await two.put({ ...first, revision })).toBe(true)
    expect(await one.get('0x1')).toMatchObject({ revision: 11 })
    await Promise.all([redis.close(), other.close()])
  })

  it('are as many as their project may have in a network, of both processes, and each that ends makes room', async () => {
    const [redis, other] = await open('counted')
    const [one, two] = [redis.filters('mainnet'), other.filters('mainnet')]
    expect([await one.put(filterOf('0x1'), 2), await two.put(filterOf('0x2'), 2)]).toEqual([true, true])
    expect([await one.put(filterOf('0x3'), 2), await two.put(filterOf('0x3'), 2)]).toEqual([false, false])
    expect(await one.get('0x3')).toBeUndefined()
    expect(await two.put(filterOf('0x3', { project: 'other' }), 2)).toBe(true)
    expect(await two.put(filterOf('0x4', { project: undefined }))).toBe(true)
    expect(await redis.filters('sepolia').put(filterOf('0x5'), 2)).toBe(true)
    expect(await two.put(filterOf('0x1', { revision: 1 }), 2)).toBe(true)
    expect(await two.remove('0x2')).toBe(true)
    expect([await one.put(filterOf('0x6'), 2), await two.put(filterOf('0x7'), 2)]).toEqual([true, false])
    // One that has expired counts no more.
    expect(await one.put(filterOf('0x6', { revision: 1, expiresAt: 5 }))).toBe(true)
    expect(await two.put(filterOf('0x7'), 2)).toBe(true)
    await Promise.all([redis.close(), other.close()])
  })

  it('that are not what was written are told so, and listed without them', async () => {
    const [redis, other] = await open('corrupt')
    const filters = redis.filters('mainnet')
    const sound = filterOf('0x2')
    await filters.put(sound)
    for (const text of ['0 {', '0 null', '0 {}', '0']) {
      await filters.put(filterOf('0x1'))
      await command('HSET', 'corrupt:{filters:mainnet}:places', '0x1', text)
      await expect(filters.get('0x1')).rejects.toMatchObject({ code: 'corrupt' })
      expect(await filters.list(0, 9)).toEqual([sound])
      expect(await filters.remove('0x1')).toBe(true)
    }
    await Promise.all([redis.close(), other.close()])
  })

  it('are listed while they live, and make room for others after that', async () => {
    const [redis, other] = await open('listed')
    const filters = redis.filters('mainnet')
    const start = Date.now() + 60_000
    for (let i = 1; i <= 1_002; i++) await filters.put(filterOf(`0x${i}`, { expiresAt: start + i }))
    const ids = async (now: number, limit: number) => (await filters.list(now, limit)).map(({ id }) => id)
    expect(await ids(start + 999, 10)).toEqual(['0x1000', '0x1001', '0x1002'])
    const all = await ids(0, 2_000)
    expect([all.length, all[0], all[1_001]]).toEqual([1_002, '0x1', '0x1002'])
    expect(await ids(0, 700)).toEqual(all.slice(-700))
    await filters.put(filterOf('0x1', { expiresAt: 5, revision: 1 }))
    await filters.put(filterOf('0x1003', { expiresAt: start + 1_003 }))
    expect(await filters.get('0x1')).toBeUndefined()
    await Promise.all([redis.close(), other.close()])
  })
})

it('filters cannot be had where nobody listens', async () => {
  await using redis = await openRedis({ url: 'redis://127.0.0.1:1' })
  const filters = redis.filters('mainnet')
  for (const work of [filters.put(filterOf('0x1')), filters.get('0x1'), filters.remove('0x1'), filters.list(0, 9)]) {
    await expect(work).rejects.toMatchObject({ code: 'unavailable' })
  }
})
