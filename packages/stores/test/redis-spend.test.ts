import { openRedis, type RedisStores } from '@wayleave/stores'
import { describe, expect, it, onTestFinished } from 'vitest'
import { missingRedis, type RedisServer, startRedis } from './redis-server.ts'

const isOptional = process.env['REQUIRE_SERVICES'] === undefined
const date = Date.UTC(2026, 10, 23)

describe.skipIf(isOptional && missingRedis() !== undefined)('the units of a plan', () => {
  async function begin(count: number) {
    const server = await startRedis()
    onTestFinished(() => server.stop())
    const stores = await Promise.all(Array.from({ length: count }, () => open(server)))
    return { server, stores, spends: stores.map((each) => each.spend('mainnet:paid')) }
  }

  async function open(server: RedisServer): Promise<RedisStores> {
    const redis = await openRedis({ url: server.url })
    onTestFinished(() => redis.close())
    await expect.poll(() => redis.state().connected).toBe(true)
    return redis
  }

  it('are told once, however often they are told, and outlive the memory of Redis', { timeout: 60_000 }, async () => {
    const { server, spends } = await begin(2)
    // Different ones: only the count of all makes both have the same left.
    spends[0]!.add(80, date)
    spends[1]!.add(120, date)
    await expect.poll(() => spends.map((each) => each.left('day', 1_000, date))).toEqual([400, 400])
    await server.restart(async () => {
      // Each goes on with its share of what was left.
      for (const each of spends) expect(each.left('day', 1_000, date)).toBe(400)
      spends[0]!.add(50, date)
      expect(spends.map((each) => each.left('day', 1_000, date))).toEqual([350, 400])
      expect(spends.map((each) => each.share())).toEqual([0.5, 0.5])
    })
    await expect
      .poll(() => spends.map((each) => each.left('day', 1_000, date)), { timeout: 20_000 })
      .toEqual([375, 375])
  })
})

it('of a plan are those of this process alone where Redis was never there', async () => {
  await using redis = await openRedis({ url: 'redis://127.0.0.1:1' })
  const spend = redis.spend('mainnet:paid')
  spend.add(40, date)
  expect([spend.share(), spend.left('day', 100, date)]).toEqual([1, 60])
  expect(redis.spend('mainnet:paid')).toBe(spend)
})

it('of a plan are divided by the least number of processes while Redis is not there', async () => {
  await using redis = await openRedis({ url: 'redis://127.0.0.1:1', leastProcesses: 4 })
  const spend = redis.spend('mainnet:paid')
  expect([spend.share(), spend.left('day', 100, date)]).toEqual([0.25, 25])
})
