import { type DevNode, startDevNode } from '@wayleave/dev-node'
import { createLog, type RunningGateway, startGateway } from '@wayleave/gateway'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { transact } from './support/chain.ts'
import { basic, type EventReader, gasUrl, get, openEvents } from './support/gas.ts'
import { key, secret, startDevGateway } from './support/gateway.ts'
import { ask } from './support/http.ts'
import { anHour, until } from './support/wait.ts'

let node: DevNode

beforeAll(async () => {
  node = await startDevNode()
})

afterAll(() => node.close())

const transfer = async (network: 'dev' | 'rollup-dev' = 'dev'): Promise<number> =>
  Number((await transact(node.networks[network].httpUrl, {}))['blockNumber'])

const streamUrl = (gateway: RunningGateway): string => gasUrl(gateway, 31337, 'suggestedGasFees/stream')

/** Waits until a reader was told of a block. */
const reported = (reader: EventReader, blockNumber: number): Promise<void> =>
  until(`block ${blockNumber}`, () => Number(reader.events.at(-1)?.id) >= blockNumber)

describe('the stream of suggestions', () => {
  it('tells what holds at once, then each block, to every reader, as the endpoint itself does', async () => {
    await using gateway = await startDevGateway(node)
    const headers = basic(key, secret)
    await using byBasic = await openEvents(`${gateway.rpc}/networks/31337/suggestedGasFees/stream`, headers)
    const readers = [byBasic]
    await using stack = new AsyncDisposableStack()
    for (let i = 0; i < 5; i++) readers.push(stack.use(await openEvents(streamUrl(gateway))))
    await until('the first event', () => readers.every(({ events }) => events.length === 1))
    const blocks: number[] = []
    for (let i = 0; i < 4; i++) {
      const blockNumber = await transfer()
      blocks.push(blockNumber)
      for (const reader of readers) await reported(reader, blockNumber)
      const now = await get(gasUrl(gateway, 31337))
      for (const { events } of readers) {
        expect(events.at(-1)).toEqual({ event: 'suggestedGasFees', id: String(blockNumber), data: now.text })
      }
    }
    for (const { status, headers: got, events } of readers) {
      expect(status).toBe(200)
      expect(got['content-type']).toBe('text/event-stream')
      expect(got['cache-control']).toBe('no-store')
      expect(events.slice(1).map(({ id }) => Number(id))).toEqual(blocks)
    }
  })

  it('follows each chain by itself', async () => {
    await using gateway = await startDevGateway(node)
    await using l1 = await openEvents(streamUrl(gateway))
    await using l2 = await openEvents(gasUrl(gateway, 901, 'suggestedGasFees/stream'))
    await until('the first events', () => l1.events.length === 1 && l2.events.length === 1)
    await reported(l2, await transfer('rollup-dev'))
    expect(l2.events).toHaveLength(2)
    await reported(l1, await transfer())
    expect(l1.events).toHaveLength(2)
  })

  it('refuses strangers and unknown chains before it begins', async () => {
    await using gateway = await startDevGateway(node)
    const stranger = `${gateway.rpc}/v3/nobody/networks/31337/suggestedGasFees/stream`
    expect(await get(stranger)).toMatchObject({ status: 401, text: '{"statusCode":401,"message":"Unauthorized"}' })
    expect((await get(gasUrl(gateway, 5, 'suggestedGasFees/stream'))).status).toBe(400)
    const head = await get(streamUrl(gateway), { method: 'HEAD' })
    expect(head).toMatchObject({ status: 200, text: '' })
  })

  it('outlives the time that a call may take', async () => {
    const { chainId, httpUrl, wsUrl } = node.networks.dev
    await using gateway = await startGateway(
      {
        listen: { rpc: '127.0.0.1:0', admin: '127.0.0.1:0' },
        networks: { dev: { kind: 'evm', chainId, upstreams: [httpUrl, wsUrl], gas: { blocksOnDemand: true } } },
        projects: [{ name: 'p', keys: [{ key }] }],
        limits: { requestTimeoutMs: 1_500, readTimeoutMs: 1_500 },
      },
      { log: createLog({ level: 'silent' }) },
    )
    await using reader = await openEvents(streamUrl(gateway))
    await new Promise((resolve) => setTimeout(resolve, 3_000))
    await reported(reader, await transfer())
    expect(reader.events).toHaveLength(2)
  })

  it('ends whole, and at once, when the gateway closes', async () => {
    const gateway = await startDevGateway(node)
    await using one = await openEvents(streamUrl(gateway))
    await using two = await openEvents(streamUrl(gateway))
    await until('the first event', () => one.events.length === 1 && two.events.length === 1)
    const closing = gateway.close(anHour)
    expect(await Promise.all([one.ended, two.ended])).toEqual([true, true])
    await closing
  })

  it('of a reader who has left costs nothing more: the next ones are told', async () => {
    await using gateway = await startDevGateway(node)
    for (let i = 0; i < 20; i++) {
      await using reader = await openEvents(streamUrl(gateway))
      await until('the first event', () => reader.events.length === 1)
    }
    await using last = await openEvents(streamUrl(gateway))
    await until('the first event', () => last.events.length === 1)
    const blockNumber = await transfer()
    await reported(last, blockNumber)
    expect(Number(await ask(node.networks.dev.httpUrl, 'eth_blockNumber'))).toBe(blockNumber)
  })
})
