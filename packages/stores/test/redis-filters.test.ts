import { openRedis } from '@wayleave/stores'
import { expect, it, onTestFinished } from 'vitest'
import { missingRedis, startRedis } from './redis-server.ts'

const isOptional = process.env['REQUIRE_SERVICES'] === undefined
const filter = { project: 'shop', upstream: 'node-1', nodeId: '"0x7"' }

it.skipIf(isOptional && missingRedis() !== undefined)(
  'filters that one process puts are found by all, by their network, until one removes them',
  async () => {
    const server = await startRedis()
    onTestFinished(() => server.stop())
    await using redis = await openRedis({ url: server.url })
    await using other = await openRedis({ url: server.url })
    for (const each of [redis, other]) await expect.poll(() => each.state().connected).toBe(true)
    const [one, two] = [redis.filters('mainnet'), other.filters('mainnet')]
    expect(await two.find('0x1')).toBeUndefined()
    await one.put('0x1', filter)
    await one.put('0x2', { ...filter, project: undefined, nodeId: '7' })
    expect(await two.find('0x1')).toEqual(filter)
    expect(await two.find('0x2')).toEqual({ upstream: 'node-1', nodeId: '7' })
    expect(await other.filters('sepolia').find('0x1')).toBeUndefined()
    await two.remove('0x1')
    expect([await one.find('0x1'), await one.find('0x2')]).toMatchObject([undefined, { nodeId: '7' }])
  },
)

it('filters cannot be had where nobody listens', async () => {
  await using redis = await openRedis({ url: 'redis://127.0.0.1:1' })
  const filters = redis.filters('mainnet')
  for (const work of [filters.put('0x1', filter), filters.find('0x1'), filters.remove('0x1')]) {
    await expect(work).rejects.toMatchObject({ code: 'unavailable' })
  }
})
