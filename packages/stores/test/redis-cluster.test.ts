import { openRedis } from '@wayleave/stores'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { missingRedis, type RedisServer, startRedis } from './redis-server.ts'

const isOptional = process.env['REQUIRE_SERVICES'] === undefined

describe.skipIf(isOptional && missingRedis() !== undefined)('a Redis Cluster of three nodes', () => {
  let nodes: readonly RedisServer[] = []
  beforeAll(async () => {
    nodes = await Promise.all([0, 1, 2].map(() => startRedis('--cluster-enabled', 'yes')))
    const { createClient } = await import('@redis/client')
    const clients = await Promise.all(nodes.map(({ url }) => createClient({ url }).connect()))
    const slots = ['0 5460', '5461 10922', '10923 16383']
    for (const [i, client] of clients.entries()) {
      await client.sendCommand(['CLUSTER', 'SET-CONFIG-EPOCH', String(i + 1)])
      await client.sendCommand(['CLUSTER', 'ADDSLOTSRANGE', ...slots[i]!.split(' ')])
      await clients[0]!.sendCommand(['CLUSTER', 'MEET', '127.0.0.1', String(nodes[i]!.port)])
    }
    for (const client of clients) {
      for (let info = ''; !/cluster_state:ok[\s\S]*cluster_known_nodes:3/.test(info);) {
        info = String(await client.sendCommand(['CLUSTER', 'INFO']))
      }
    }
    for (const client of clients) client.destroy()
  })
  afterAll(async () => {
    await Promise.all(nodes.map((node) => node.stop()))
  })

  it('holds limits, views and cordons, wherever their keys are', async () => {
    const open = (i: number) => openRedis({ url: [nodes[i]!.url] })
    await using one = await open(0)
    await using two = await open(1)
    await expect.poll(() => one.state().connected && two.state().connected).toBe(true)
    const ids = Array.from({ length: 30 }, (_, i) => `key-${i}`)
    const taken = await Promise.all(
      ids.flatMap((id) => [one.limits.take(id, 0, 100, 70), two.limits.take(id, 0, 100, 70)]),
    )
    expect(taken.reduce((sum, { granted }) => sum + granted, 0)).toBe(30 * 100)
    const networks = ['mainnet', 'sepolia', 'base-mainnet', 'polygon-mainnet', 'linea-mainnet']
    const now = performance.now()
    for (const network of networks) {
      one.view(network).raise(10)
      one.view(network).raiseNonce('0xa', 5, now)
      two.view(network)
    }
    await expect.poll(() => networks.every((network) => two.view(network).head === 10)).toBe(true)
    await expect.poll(() => networks.every((network) => two.view(network).nonceOf('0xa', now) === 5)).toBe(true)
    await two.cordons.cordon('mainnet', 'a', 'repair')
    await expect.poll(() => one.cordons.isCordoned('mainnet', 'a')).toBe(true)
  })

  it('answers every call, with credits or an error, when a node dies', async () => {
    await using redis = await openRedis({ url: nodes.map(({ url }) => url), prefix: 'dying' })
    await expect.poll(() => redis.state().connected).toBe(true)
    await nodes[2]!.stop()
    const ids = Array.from({ length: 30 }, (_, i) => `key-${i}`)
    const outcomes = await Promise.allSettled(ids.map((id) => redis.limits.take(id, 0, 100, 70)))
    const failed = outcomes.filter(({ status }) => status === 'rejected')
    expect(failed.length).toBeGreaterThan(0)
    for (const { reason } of failed as readonly PromiseRejectedResult[]) {
      expect(reason).toMatchObject({ name: 'StoresError', code: 'unavailable' })
    }
    expect(redis.cordons.list()).toEqual([])
  })
})
