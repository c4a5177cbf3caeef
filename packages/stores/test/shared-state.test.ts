import { once } from 'node:events'
import { connect } from 'node:net'
import { openRedis } from '@wayleave/stores'
import { createMemoryPort, createSharedStores } from '@wayleave/stores/shared-state'
import { FakeClock } from '@wayleave/jsonrpc-core/testing'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { missingRedis, type RedisServer, startRedis } from './redis-server.ts'
import { lawsOfOneProcess, lawsOfSeveralProcesses, type SharedScene } from './shared-state-laws.ts'

const isOptional = process.env['REQUIRE_SERVICES'] === undefined

describe('state in memory', () => {
  lawsOfOneProcess(async () => {
    const clock = new FakeClock()
    return { join: async () => createSharedStores(createMemoryPort(clock), clock) }
  })

  it('is shared with no other process', () => {
    const clock = new FakeClock()
    expect(createSharedStores(createMemoryPort(clock), clock).view('n').settled).toBeUndefined()
  })
})

/** Has a Redis forget everything, over a connection of its own. */
async function flush(url: string): Promise<void> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  socket.write('FLUSHALL\r\n')
  await once(socket, 'data')
  socket.destroy()
}

async function joinRedis(url: string, prefix: string): Promise<Awaited<ReturnType<typeof openRedis>>> {
  const redis = await openRedis({ url, prefix })
  onTestFinished(() => redis.close())
  return redis
}

describe('state in a Redis that is gone', () => {
  // A port where nobody listens: the state is kept in this process alone.
  lawsOfOneProcess(async () => ({ join: () => joinRedis('redis://127.0.0.1:1', 'test') }))
})

describe.skipIf(isOptional && missingRedis() !== undefined)('state in Redis', () => {
  let server: RedisServer
  let prefixes = 0
  beforeAll(async () => {
    server = await startRedis()
  })
  afterAll(() => server?.stop())

  async function begin(): Promise<SharedScene> {
    const prefix = `test${++prefixes}`
    return {
      async join() {
        const redis = await joinRedis(server.url, prefix)
        // A busy machine takes its time.
        await expect.poll(() => redis.state().connected).toBe(true)
        return redis
      },
    }
  }
  lawsOfOneProcess(begin)
  lawsOfSeveralProcesses(begin)

  it('heads and cordons that Redis has lost are there again, though no connection broke', async () => {
    const { join } = await begin()
    const one = await join()
    one.view('mainnet').raise(1_000)
    await one.cordons.cordon('mainnet', 'a', 'repair')
    await one.view('mainnet').settled!()
    await flush(server.url)
    const late = async (): Promise<unknown> => {
      const other = await join()
      await other.view('mainnet').settled!()
      return [other.view('mainnet').head, other.cordons.isCordoned('mainnet', 'a')]
    }
    await expect.poll(late, { interval: 300 }).toEqual([1_000, true])
  })
})
