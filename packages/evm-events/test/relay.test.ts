import { createContext, rawJsonFromText, RpcError, type RpcHandler, type RpcSink } from '@wayleave/jsonrpc-core'
import { FakeClock } from '@wayleave/jsonrpc-core/testing'
import { createRelay, type RelayOptions } from '@wayleave/evm-events'
import { expect, it } from 'vitest'

const request = { method: 'eth_subscribe', params: rawJsonFromText('["newThings"]'), notification: false }

/** A node with a subscription at a time, whose answers a test decides. */
function begin(options: Partial<RelayOptions> = {}) {
  const clock = new FakeClock()
  const node = {
    asked: 0,
    open: 0,
    answer: 'takes' as 'takes' | 'refuses' | 'fails' | 'ends at once',
    sink: undefined as RpcSink | undefined,
  }
  const ask: RpcHandler = async () => {
    node.asked++
    if (node.answer === 'refuses') return { error: { code: -32601, message: 'no "newThings" subscription' } }
    if (node.answer === 'fails') throw new RpcError('unavailable', 'nobody is there')
    const endsAtOnce = node.answer === 'ends at once'
    return {
      result: rawJsonFromText('"0x1"'),
      subscription: {
        id: '0x1',
        open(sink) {
          node.open++
          node.sink = sink
          if (endsAtOnce) {
            node.answer = 'takes'
            sink.end()
          }
          let isOver = false
          return () => {
            if (!isOver) node.open--
            isOver = true
          }
        },
      },
    }
  }
  let idle = 0
  const relay = createRelay({ ask, clock, request, onIdle: () => void idle++, ...options })
  const push = (text: string): boolean => node.sink!.event('eth_subscription', rawJsonFromText(text))
  const join = () => {
    const got: unknown[] = []
    const leave = relay.join({
      event: (_, result) => got.push(result.value()) > 0,
      gap: ({ reason }) => void got.push(reason),
      end: (why) => void got.push(why?.message),
    })
    return { got, leave }
  }
  return { clock, node, relay, push, join, idle: () => idle }
}

const turns = async (): Promise<void> => {
  for (let i = 0; i < 20; i++) await Promise.resolve()
}

it('is one subscription of a node for all, which ends with the last of them', async () => {
  const { node, relay, push, join, idle } = begin()
  const context = createContext()
  expect(await Promise.all([relay.ready(context), relay.ready(context)])).toEqual([undefined, undefined])
  context.release()
  const [one, two] = [join(), join()]
  push('1')
  one.leave()
  one.leave()
  push('2')
  expect([one.got, two.got, node.asked, node.open, relay.size]).toEqual([[1], [1, 2], 1, 1, 1])
  two.leave()
  expect([node.open, idle(), relay.size]).toEqual([0, 1, 0])
})

it.each(['ends', 'ends at once'] as const)('moves to another node when the subscription %s', async (how) => {
  const { clock, node, push, join } = begin()
  if (how === 'ends at once') node.answer = how
  const { got } = join()
  await turns()
  if (how === 'ends') {
    push('1')
    node.answer = 'fails'
    node.sink!.end(new RpcError('disconnected', 'gone'))
    await turns()
    node.answer = 'refuses'
    clock.advance(100)
    await turns()
    node.answer = 'takes'
    clock.advance(200)
    await turns()
  }
  push('2')
  expect([got.at(-1), node.open]).toEqual([2, 1])
})

it('gives the refusal of nodes, and the failure to reach one', async () => {
  const { node, relay, idle, join } = begin()
  const context = createContext()
  node.answer = 'refuses'
  expect(await relay.ready(context)).toMatchObject({ code: -32601 })
  node.answer = 'fails'
  await expect(relay.ready(context)).rejects.toThrow('nobody is there')
  expect(idle()).toBe(2)
  // One that did not ask before is ended.
  const { got } = join()
  await turns()
  expect(got).toEqual(['nobody is there'])
  context.release()
})

it('ends its sinks when no node takes it any more for a while, and asks nothing afterwards', async () => {
  const { clock, node, join } = begin({ patienceMs: 5_000 })
  const { got } = join()
  await turns()
  node.answer = 'fails'
  node.sink!.end()
  for (let i = 0; i < 80; i++) {
    await turns()
    clock.advance(100)
  }
  expect(got).toEqual(['no node takes the subscription any more'])
  const { asked } = node
  clock.advance(60_000)
  await turns()
  expect(node.asked).toBe(asked)
})

it('is closed when nobody joins who wanted it', async () => {
  const { clock, node, relay } = begin()
  const context = createContext()
  await relay.ready(context)
  context.release()
  expect(node.open).toBe(1)
  clock.advance(10_000)
  expect(node.open).toBe(0)
})

it('is closed when those who wanted it left before it was open', async () => {
  const { clock, node, relay } = begin()
  const context = createContext()
  const ready = relay.ready(context)
  context.cancel(new RpcError('aborted', 'the caller left'))
  await expect(ready).rejects.toMatchObject({ code: 'aborted' })
  await turns()
  clock.advance(9_999)
  expect(node.open).toBe(1)
  clock.advance(1)
  expect([node.asked, node.open, clock.timers]).toEqual([1, 0, 0])
})
