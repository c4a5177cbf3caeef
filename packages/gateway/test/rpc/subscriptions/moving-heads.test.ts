import {
  rawJsonFromValue,
  RpcError,
  type RpcResponse,
  type RpcSink,
  type RpcSubscription,
} from '@wayleave/jsonrpc-core'
import { FakeClock } from '@wayleave/jsonrpc-core/testing'
import type { Endpoint, Position } from '@wayleave/upstream'
import { expect, it } from 'vitest'
import { evmHeadStream } from '../../../src/networks/evm-head-stream.ts'
import { evmHeads } from '../../../src/networks/evm-heads.ts'
import { movingHeads } from '../../../src/rpc/subscriptions/moving-heads.ts'
import { type TestBlock, testChain, type TestChain } from '../../chain-node.ts'
import { call, until } from '../../support.ts'

const height = 100
const settled = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve))

/** An upstream that pushes heads to its last subscriber. */
function upstream(name: string, chain: TestChain) {
  const endpoint: Endpoint = { name, carriesSubscriptions: true, handler: () => Promise.reject(new Error('unused')) }
  const held: TestBlock[] = []
  let sink: RpcSink | undefined
  const node = {
    endpoint,
    chain,
    left: 0,
    /** Answers to its calls wait for it. */
    gate: Promise.resolve(),
    push(number: number) {
      const block = chain.block(number)
      if (sink === undefined) held.push(block)
      else sink.event('eth_subscription', rawJsonFromValue(block))
    },
    end: (why?: RpcError) => sink!.end(why),
    subscription: (): RpcSubscription => ({
      id: name,
      open(to) {
        sink = to
        for (const block of held.splice(0)) to.event('eth_subscription', rawJsonFromValue(block))
        return () => void node.left++
      },
    }),
    async answer(method: string, params: readonly unknown[]): Promise<RpcResponse> {
      await node.gate
      const meta = { endpoint: name }
      if (method === 'eth_subscribe') return { result: rawJsonFromValue(name), subscription: node.subscription(), meta }
      const known = Array.from({ length: chain.height + 1 }, (_, i) => chain.block(i))
      const block = method === 'eth_getBlockByHash' ? known.find(({ hash }) => hash === params[0]) : known.at(-1)
      return { result: rawJsonFromValue(block ?? null), meta }
    },
  }
  return node
}

type Upstream = ReturnType<typeof upstream>

/** A subscription at the first of some upstreams, whose base is the block `height`. */
function begin(...upstreams: readonly [Upstream, ...Upstream[]]) {
  const clock = new FakeClock()
  const [first] = upstreams
  const asked: string[] = []
  const events: string[] = []
  let hasLost = 0
  const base = first.chain.block(height)
  const heads = movingHeads({
    first: first.subscription(),
    request: call('eth_subscribe', ['newHeads']),
    endpoint: first.endpoint,
    base: { number: height, hash: base.hash },
    reader: evmHeads('0x1'),
    stream: evmHeadStream,
    event: 'eth_subscription',
    lane: undefined,
    clock,
    async ask({ method, params }, _context, may) {
      const chosen = upstreams.find(({ endpoint }) => may(endpoint))
      if (chosen === undefined) throw new RpcError('unavailable', 'none fits')
      asked.push(`${chosen.endpoint.name} ${method}`)
      return chosen.answer(method, params!.value() as unknown[])
    },
    endpointOf: ({ meta }) => upstreams.find(({ endpoint }) => endpoint.name === meta!.endpoint)!.endpoint,
    remember: (position: Position) => position,
    isFit: () => true,
    onOpen: () => {},
    onLost: () => void hasLost++,
    onOver: () => {},
  })
  const leave = heads.open({
    event(_method, result) {
      const { number, hash } = result.value() as TestBlock
      const forks = upstreams.filter(({ chain }) => chain.block(Number(number)).hash === hash)
      events.push(`${Number(number)}${forks.map(({ endpoint }) => endpoint.name).join('')}`)
      return true
    },
    gap: ({ after, first: next }) =>
      void events.push(`gap ${after!.height} ${Number((next!.value() as TestBlock).number)}`),
    end: (why) => void events.push(`end ${why?.message}`),
  })
  return { heads, events, asked, clock, leave, lost: () => hasLost }
}

it('tells the blocks of another fork from the first one on that replaces an old one', async () => {
  const [a, b] = [upstream('a', testChain(height)), upstream('b', testChain(height))]
  const { heads, events } = begin(a, b)
  b.chain.reorganize(height + 1)
  b.chain.height = height + 4
  for (let i = 1; i <= 3; i++) a.push(height + i)
  await heads.move()
  expect(events).toEqual(['101ab', '102a', '103a', '102b', '103b', '104b'])
  b.push(height + 5)
  await settled()
  expect(events.at(-1)).toBe('105b')
  expect(heads.told).toBe(height + 5)
})

it('tells no head twice that both upstreams announce, and none out of order while it moves', async () => {
  const chain = testChain(height)
  const [a, b] = [upstream('a', chain), upstream('b', chain)]
  const { heads, events } = begin(a, b)
  let open = (): void => {}
  b.gate = new Promise((resolve) => (open = resolve))
  chain.height = height + 2
  const moved = heads.move()
  a.push(height + 1)
  b.push(height + 1)
  b.push(height + 2)
  open()
  await moved
  a.push(height + 2)
  b.push(height + 3)
  await settled()
  expect(events).toEqual(['101ab', '102ab', '103ab'])
  expect([a.left, b.left]).toEqual([1, 0])
})

it('tells no head again that a node announces which came back with an old chain, but those of another fork', async () => {
  const [a, b] = [upstream('a', testChain(height)), upstream('b', testChain(height))]
  const { events } = begin(a, b)
  for (const number of [101, 102, 99, 100, 101, 102, 103]) a.push(number)
  expect(events).toEqual(['101ab', '102ab', '103ab'])
  a.chain.reorganize(102)
  a.push(103)
  a.push(104)
  expect(events.slice(3)).toEqual(['103a', '104a'])
})

it('asks for heads that were missed between two announcements after a move', async () => {
  const chain = testChain(height)
  const [a, b] = [upstream('a', chain), upstream('b', chain)]
  const { heads, events, asked } = begin(a, b)
  await heads.move()
  expect(asked).toEqual(['b eth_subscribe', 'b eth_getBlockByNumber'])
  chain.height = height + 3
  b.push(height + 3)
  await until(() => events.length === 3)
  expect(events).toEqual(['101ab', '102ab', '103ab'])
})

it('tells of a gap where more than 64 heads were missed, and asks for none of them', async () => {
  const chain = testChain(height)
  const [a, b] = [upstream('a', chain), upstream('b', chain)]
  const { heads, events, asked } = begin(a, b)
  chain.height = height + 66
  await heads.move()
  expect(asked).toEqual(['b eth_subscribe', 'b eth_getBlockByNumber'])
  expect(events).toEqual(['gap 100 166', '166ab'])
})

it('stays where it is while no other upstream will do', async () => {
  const a = upstream('a', testChain(height))
  const { heads, events } = begin(a)
  await heads.move()
  a.push(height + 1)
  expect([events, heads.endpoint.name, a.left]).toEqual([['101a'], 'a', 0])
})

it('ends two seconds after its upstream has ended it where no other one takes it on, with the reason', async () => {
  const a = upstream('a', testChain(height))
  const { heads, events, clock, lost } = begin(a)
  a.end(new RpcError('disconnected', 'the connection closed (1006)'))
  expect([lost(), heads.isLost]).toEqual([1, true])
  clock.advance(1_999)
  heads.look()
  expect(events).toEqual([])
  clock.advance(1)
  heads.look()
  expect(events).toEqual(['end the connection closed (1006)'])
})

it('ends a subscription that opens after its caller has left', async () => {
  const chain = testChain(height)
  const [a, b] = [upstream('a', chain), upstream('b', chain)]
  let open = (): void => {}
  b.gate = new Promise((resolve) => (open = resolve))
  const { heads, leave, events } = begin(a, b)
  const moved = heads.move()
  leave()
  open()
  await moved
  expect([a.left, b.left, events]).toEqual([1, 1, []])
})
