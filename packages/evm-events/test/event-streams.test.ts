import {
  createContext,
  rawJsonFromText,
  rawJsonFromValue,
  RpcError,
  type RpcHandler,
  type RpcResponse,
} from '@wayleave/jsonrpc-core'
import { FakeClock } from '@wayleave/jsonrpc-core/testing'
import { createEventStreams, type EventStreamsOptions } from '@wayleave/evm-events'
import { expect, it } from 'vitest'
import { createSimChain, log } from './support/sim-chain.ts'
import { createSimNode, settle } from './support/sim-node.ts'

function begin(options: Partial<EventStreamsOptions> = {}) {
  const clock = new FakeClock()
  const chain = createSimChain(100)
  const node = createSimNode(chain, clock)
  /** Open subscriptions of the node, by their params. */
  const open: string[] = []
  const ask: RpcHandler = async (request, context) => {
    if (request.method !== 'eth_subscribe') return node.ask(request, context)
    const params = request.params!.text()
    return {
      result: rawJsonFromText('"0x1"'),
      subscription: {
        id: '0x1',
        open() {
          open.push(params)
          return () => void open.splice(open.indexOf(params), 1)
        },
      },
    }
  }
  const streams = createEventStreams({ source: chain, ask, clock, ...options })
  const ends: (RpcError | undefined)[] = []
  const ask1 = (...params: readonly unknown[]): Promise<RpcResponse> => askIn(undefined, ...params)
  async function askIn(tenant: string | undefined, ...params: readonly unknown[]): Promise<RpcResponse> {
    const context = createContext({ clock, tenant })
    const request = { method: 'eth_subscribe', params: rawJsonFromValue(params), notification: false }
    try {
      return await streams.subscribe(request, context)
    } finally {
      context.release()
    }
  }
  async function subscribe(...params: readonly unknown[]) {
    const response = await ask1(...params)
    if (response.error !== undefined) throw new Error(response.error.message)
    const got: unknown[] = []
    const leave = response.subscription!.open({
      event: (_, result) => got.push(result.value()) > 0,
      gap: () => expect.unreachable(),
      end: (why) => void ends.push(why),
    })
    await settle(clock)
    return { got, leave }
  }
  return { clock, chain, node, open, streams, ends, subscribe, ask: ask1, askIn }
}

it('serves kinds that the chain has, and relays each other one once for all', async () => {
  const { clock, chain, node, open, subscribe } = begin()
  const heads = await subscribe('newHeads')
  const logs = await subscribe('logs', {})
  const relayed = [
    await subscribe('newPendingTransactions'),
    await subscribe('newPendingTransactions', false),
    await subscribe('newPendingTransactions', true),
    await subscribe('newThings', { a: 1 }, 2),
  ]
  expect(open).toEqual(['["newPendingTransactions"]', '["newPendingTransactions",true]', '["newThings",{"a":1},2]'])
  chain.grow([log(1, 1)])
  await settle(clock)
  expect([heads.got.length, logs.got.length]).toEqual([1, 1])
  for (const { leave } of [heads, logs, ...relayed]) leave()
  const asked = node.asked.length
  chain.grow([log(1, 1)])
  await settle(clock, 1_000)
  expect([open, node.asked.length, clock.timers]).toEqual([[], asked, 0])
})

it('tells of each subscription of a node that opens or ends, and of one that no node takes', async () => {
  const changes: number[] = []
  const onRelay = (change: 1 | -1): void => void changes.push(change)
  const { clock, subscribe, streams } = begin({ onRelay })
  await subscribe('newHeads')
  const first = await subscribe('newPendingTransactions')
  const second = await subscribe('newPendingTransactions')
  await subscribe('newThings')
  expect(changes).toEqual([1, 1])
  first.leave()
  expect(changes).toEqual([1, 1])
  second.leave()
  expect(changes).toEqual([1, 1, -1])
  streams.close(new RpcError('aborted', 'the end'))
  await settle(clock)
  expect(changes).toEqual([1, 1, -1, -1])
  const refused = begin({ onRelay, ask: async () => ({ error: { code: -32601, message: 'unknown' } }) })
  expect((await refused.ask('newThings')).error).toMatchObject({ code: -32601 })
  expect(changes).toEqual([1, 1, -1, -1, 1, -1])
})

it('opens so many different subscriptions of nodes, and refuses one more until one has ended', async () => {
  const { ask, subscribe } = begin({ maxRelays: 2 })
  const first = await subscribe('newThings', 1)
  await subscribe('newThings', 2)
  expect(await ask('newThings', 3)).toMatchObject({ error: { code: -32005 } })
  expect(await ask('newThings', 'x'.repeat(65_536))).toMatchObject({ error: { code: -32602 } })
  first.leave()
  await subscribe('newThings', 3)
})

it('leaves room for other projects, and for pending transactions, whatever one project opens', async () => {
  const { askIn } = begin({ maxRelays: 6, maxTenantRelays: 2 })
  const codes = []
  for (const i of [1, 2, 3]) codes.push((await askIn('greedy', 'newThings', i)).error?.code)
  for (const i of [1, 4, 5, 6]) codes.push((await askIn('other', 'newThings', i)).error?.code)
  expect(codes).toEqual([undefined, undefined, -32005, undefined, undefined, undefined, -32005])
  for (const tenant of ['third', 'fourth', 'fifth']) codes.push((await askIn(tenant, tenant)).error?.code)
  expect(codes.slice(-3)).toEqual([undefined, undefined, -32005])
  for (const flag of [false, true]) {
    expect((await askIn('greedy', 'newPendingTransactions', flag)).error).toBeUndefined()
  }
})

it('leaves room for other projects while the node of one does not answer', async () => {
  const { clock, askIn } = begin({
    ask: (_, context) => new Promise((_resolve, reject) => context.onCancel(reject)),
    maxTenantRelays: 1,
  })
  const waiting = [askIn('greedy', 'newThings', 1), askIn('other', 'newThings', 2)]
  const ends = Promise.allSettled(waiting)
  expect(await askIn('greedy', 'newThings', 3)).toMatchObject({ error: { code: -32005 } })
  await settle(clock, 10_000, 500)
  expect((await ends).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(clock.timers).toBe(0)
})

it('refuses a place that is too far back or not known, and goes on from one that is', async () => {
  const { clock, chain, ask, subscribe } = begin({ maxBlocks: 3 })
  for (let i = 0; i < 6; i++) chain.grow([log(1, 1)])
  expect(await ask('newHeads', { fromBlock: '0x1' })).toMatchObject({ error: { code: -32602 } })
  expect(await ask('logs', { fromHash: `0x${'9'.repeat(64)}` })).toMatchObject({ error: { code: -32000 } })
  const { got } = await subscribe('newHeads', { fromBlock: `0x${(104).toString(16)}` })
  await settle(clock, 1_000)
  expect(got.map((head) => Number((head as { number: string }).number))).toEqual([104, 105, 106])
})

it('tells geth’s object while the chain is not at its end, and false when it is', async () => {
  let progress: { startingBlock: number; currentBlock: number; highestBlock: number } | undefined
  const { clock, subscribe } = begin({ progress: () => progress })
  const one = await subscribe('syncing')
  progress = { startingBlock: 1, currentBlock: 16, highestBlock: 255 }
  await settle(clock, 1_000)
  const two = await subscribe('syncing')
  const syncing = { syncing: true, status: { startingBlock: '0x1', currentBlock: '0x10', highestBlock: '0xff' } }
  progress = undefined
  await settle(clock, 3_000)
  expect([one.got, two.got]).toEqual([
    [false, syncing, false],
    [syncing, false],
  ])
})

it('ends all of them when it is closed', async () => {
  const { streams, open, ends, subscribe, clock } = begin()
  await subscribe('newHeads')
  await subscribe('logs', {})
  await subscribe('newThings')
  await subscribe('syncing')
  streams.close(new RpcError('aborted', 'the network is closed'))
  expect(ends.map((why) => why?.message)).toEqual(Array.from({ length: 4 }, () => 'the network is closed'))
  expect([open, clock.timers]).toEqual([[], 0])
})
