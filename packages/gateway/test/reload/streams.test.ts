import { describe, expect, it, onTestFinished } from 'vitest'
import { testChain, type ChainNode, type TestChain } from '../chain-node.ts'
import { frame, key, until } from '../support.ts'
import { openSocket } from '../web-socket-client.ts'
import { openEvents } from '../rpc/sse/support.ts'
import { configOf, networkOf, startNodes, startWith } from './support.ts'

/** Has a node answer for fees, too. */
function withFees(node: ChainNode, chain: TestChain): ChainNode {
  node.answer = (method, [count, newest, percentiles]) => {
    if (method !== 'eth_feeHistory') return undefined
    const last = String(newest).startsWith('0x') ? Number(newest) : chain.height - node.lag
    const blocks = Array.from({ length: Math.min(Number(count), last + 1) })
    return {
      result: {
        oldestBlock: `0x${(last - blocks.length + 1).toString(16)}`,
        baseFeePerGas: [...blocks, undefined].map(() => '0x7'),
        gasUsedRatio: blocks.map(() => 0.5),
        reward: blocks.map(() => ((percentiles ?? []) as readonly number[]).map(() => '0x1')),
      },
    }
  }
  return node
}

async function beginFees() {
  const chain = testChain(500, { startedAt: Math.floor(Date.now() / 1_000) - 500 })
  const [a, b] = (await startNodes(chain, 2)).map((node) => withFees(node, chain))
  const gateway = await startWith(configOf({ mainnet: networkOf([a!]), other: networkOf([a!]) }))
  const stream = await openEvents(`${gateway.rpc}/v3/${key}/networks/1/suggestedGasFees/stream`)
  onTestFinished(() => stream.leave())
  expect(stream.response.status).toBe(200)
  await until(() => stream.events.length > 0)
  async function mine(): Promise<void> {
    chain.height++
    for (const node of [a!, b!]) node.pushHead()
    await until(() => Number(stream.events.at(-1)!.lastEventId) === chain.height)
  }
  return { a: a!, b: b!, gateway, stream, mine }
}

describe('a stream of fees', () => {
  it('goes on over other upstreams', async () => {
    const { b, gateway, stream, mine } = await beginFees()
    await mine()
    await gateway.reload(configOf({ mainnet: networkOf([b]), other: networkOf([b]) }))
    await mine()
    await mine()
    expect(stream.events.map(({ lastEventId }) => Number(lastEventId))).toEqual([500, 501, 502, 503])
  })

  it('ends where fees are suggested otherwise from now on, so that its reader comes back', async () => {
    const { a, gateway, stream } = await beginFees()
    const gas = { strategy: 'metamask' }
    const report = await gateway.reload(configOf({ mainnet: networkOf([a], { gas }), other: networkOf([a], { gas }) }))
    expect(report).toMatchObject({ applied: true })
    await stream.ended
    const again = await openEvents(`${gateway.rpc}/v3/${key}/networks/1/suggestedGasFees/stream`)
    expect(again.response.status).toBe(200)
    again.leave()
  })

  it('ends with the last network of its chain', async () => {
    const { a, gateway, stream } = await beginFees()
    await gateway.reload(configOf({ mainnet: networkOf([a], { gas: false }), other: networkOf([a], { gas: false }) }))
    await stream.ended
  })
})

it('a stream of events goes on over other upstreams, each head once, and ends with its key', async () => {
  const chain = testChain(500)
  const [a, b] = await startNodes(chain, 2)
  const gateway = await startWith(configOf({ mainnet: networkOf([a!]) }))
  const stream = await openEvents(`${gateway.rpc}/v3/${key}/events?type=newHeads`)
  onTestFinished(() => stream.leave())
  expect(stream.response.status).toBe(200)
  const mine = async (): Promise<void> => {
    chain.height++
    for (const node of [a!, b!]) node.pushHead()
    await until(() => stream.events.some(({ data }) => Number(JSON.parse(data).number) === chain.height))
  }
  await mine()
  for (const nodes of [[b!], [a!, b!], [a!]]) {
    await gateway.reload(configOf({ mainnet: networkOf(nodes) }))
    await mine()
  }
  expect(stream.events.map(({ data }) => Number(JSON.parse(data).number))).toEqual([501, 502, 503, 504])
  await gateway.reload(
    configOf(
      { mainnet: networkOf([a!]) },
      { projects: [{ name: 'open', keys: [{ key: 'another-key-of-some-length' }] }] },
    ),
  )
  await stream.ended
})

it('a network that follows heads no longer ends its subscriptions, and tells its own again once it does', async () => {
  const chain = testChain(500)
  const [a] = await startNodes(chain, 1)
  const gateway = await startWith(configOf({ mainnet: networkOf([a!]) }))
  const open = async () => {
    const socket = await openSocket(`${gateway.ws}/ws/v3/${key}`)
    socket.send(frame('eth_subscribe', ['newHeads']))
    expect(await socket.next()).toMatchObject({ result: expect.any(String) })
    return socket
  }
  const mine = async (socket: Awaited<ReturnType<typeof open>>): Promise<void> => {
    chain.height++
    a!.pushHead()
    expect(await socket.next()).toMatchObject({ params: { result: { number: `0x${chain.height.toString(16)}` } } })
  }
  const first = await open()
  await mine(first)
  for (const followHeads of [false, true]) {
    const before = followHeads ? await open() : first
    await gateway.reload(configOf({ mainnet: networkOf([a!], { followHeads }) }))
    await until(() => before.closed !== undefined)
    expect(before.closed!.code).toBe(1013)
  }
  const last = await open()
  await until(() => a!.subscribers > 0)
  await mine(last)
  await mine(last)
})
