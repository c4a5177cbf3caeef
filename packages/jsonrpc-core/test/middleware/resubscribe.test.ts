import {
  createContext,
  rawJsonFromText,
  RpcError,
  type RpcGap,
  type RpcHandler,
  type RpcResponse,
  type RpcSink,
  type RpcSubscription,
} from '@wayleave/jsonrpc-core'
import { resubscribe, type ResubscribeOptions } from '@wayleave/jsonrpc-core/websocket'
import { FakeClock } from '@wayleave/jsonrpc-core/testing'
import { describe, expect, it } from 'vitest'
import { call, resultText } from '../support.ts'

const drop = new RpcError('disconnected', 'the connection closed (1006)')
const down = new RpcError('connect', 'no connection', { delivery: 'not_sent' })

/** A peer that the test moves: each subscription it gave, and what it answers next. */
function scene(options: ResubscribeOptions = {}) {
  const clock = new FakeClock()
  const log: string[] = []
  const sources: { readonly id: string; readonly sink: RpcSink }[] = []
  const cancelled: string[] = []
  let calls = 0
  let next: () => RpcResponse | Promise<RpcResponse> = () => give()

  /** Answers with a subscription; `held` events are told while it is opened. */
  function give(id = `0x${sources.length + 1}`, held: string[] = []): RpcResponse {
    const subscription: RpcSubscription = {
      id,
      open(sink) {
        sources.push({ id, sink })
        for (const event of held) sink.event('eth_subscription', rawJsonFromText(event))
        return () => log.push(`left ${id}`)
      },
    }
    return { result: rawJsonFromText(JSON.stringify(id)), subscription }
  }

  const peer: RpcHandler = async (request, context) => {
    calls++
    context.onCancel(({ code }) => cancelled.push(code))
    if (request.method !== 'eth_subscribe') return { result: rawJsonFromText('1') }
    expect(request.params?.text()).toBe('["newHeads"]')
    return next()
  }
  const middleware = resubscribe({ clock, random: () => 0.5, baseDelayMs: 100, maxDelayMs: 800, ...options })
  const handler = middleware(peer)
  const sink: RpcSink = {
    event: (method, result) => log.push(`${method} ${result.text()}`) > 0,
    gap: (gap: RpcGap) => log.push(`gap ${gap.last?.text()}..${gap.first?.text()}: ${gap.reason}`),
    end: (why) => log.push(`end ${why?.code}`),
  }
  const subscribe = async (): Promise<RpcSubscription & { readonly result: string }> => {
    const response = await handler(call('eth_subscribe', ['newHeads']), createContext())
    if (response.error !== undefined || response.subscription === undefined) throw new Error('no subscription came')
    return { id: response.subscription.id, open: (to) => response.subscription!.open(to), result: resultText(response) }
  }
  const report = (event: string, to = sources.at(-1)!): unknown =>
    to.sink.event('eth_subscription', rawJsonFromText(event))
  const end = (why?: RpcError): void => sources.at(-1)!.sink.end(why)
  const settle = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve))
  return {
    clock,
    log,
    sources,
    cancelled,
    handler,
    middleware,
    sink,
    give,
    subscribe,
    report,
    end,
    settle,
    answers: (answer: typeof next) => void (next = answer),
    calls: () => calls,
  }
}

describe('a subscription whose source drops', () => {
  it('goes on under its id, and is told the gap just before the first event that follows', async () => {
    const own = scene()
    const subscription = await own.subscribe()
    subscription.open(own.sink)
    own.report('1')
    own.report('2')
    own.end(drop)
    await own.settle()
    expect(own.sources.map(({ id }) => id)).toEqual(['0x1', '0x2'])
    expect(own.log).toEqual(['eth_subscription 1', 'eth_subscription 2'])
    own.report('5')
    own.report('6')
    expect(own.log.slice(2)).toEqual([
      'gap 2..5: the connection closed (1006)',
      'eth_subscription 5',
      'eth_subscription 6',
    ])
    expect(subscription.id).toBe('0x1')
    expect(own.clock.timers).toBe(0)
  })

  it('before any event has a gap without a last one; several drops are one gap', async () => {
    const own = scene()
    ;(await own.subscribe()).open(own.sink)
    for (let i = 0; i < 3; i++) {
      own.end(drop)
      await own.settle()
      own.clock.advance(1_000)
      await own.settle()
    }
    own.report('1')
    expect(own.log).toEqual(['gap undefined..1: the connection closed (1006)', 'eth_subscription 1'])
  })

  it('tells the gap as soon as it is open again, where it is asked to', async () => {
    const methods: string[] = []
    const gapAt = ({ method }: { readonly method: string }): 'reopening' => {
      methods.push(method)
      return 'reopening'
    }
    const { log, subscribe, sink, report, end, settle } = scene({ gapAt })
    const { open } = await subscribe()
    open(sink)
    report('1')
    end(drop)
    await settle()
    expect(log).toEqual(['eth_subscription 1', `gap 1..undefined: ${drop.message}`])
    report('2')
    expect(log.slice(2)).toEqual(['eth_subscription 2'])
    expect(methods).toEqual(['eth_subscribe'])
  })

  it('ends the new subscription if its reader leaves when told of the gap at once', async () => {
    const { log, subscribe, sink, end, settle } = scene({ gapAt: () => 'reopening' })
    const { open } = await subscribe()
    const leave = open({ ...sink, gap: () => leave() })
    end(drop)
    await settle()
    expect(log).toEqual(['left 0x2'])
  })

  it('loses none of the events that came with the new subscription', async () => {
    const own = scene()
    ;(await own.subscribe()).open(own.sink)
    own.answers(() => own.give('0x2', ['7', '8']))
    own.end(drop)
    await own.settle()
    expect(own.log).toEqual([
      'gap undefined..7: the connection closed (1006)',
      'eth_subscription 7',
      'eth_subscription 8',
    ])
  })

  it('before it was opened is opened again too', async () => {
    const own = scene()
    const ended: RpcSubscription = {
      id: '0x1',
      open(to) {
        to.end(drop)
        return () => own.log.push('left what had ended')
      },
    }
    own.answers(() => ({ result: rawJsonFromText('"0x1"'), subscription: ended }))
    const subscription = await own.subscribe()
    own.answers(() => own.give())
    subscription.open(own.sink)
    await own.settle()
    own.report('1')
    expect(own.log).toEqual(['gap undefined..1: the connection closed (1006)', 'eth_subscription 1'])
  })

  it('while it is opened is left with the attempt for another', async () => {
    const own = scene()
    const ended: RpcSubscription = {
      id: '0x1',
      open(to) {
        to.end(drop)
        return () => own.log.push('left what had ended')
      },
    }
    own.answers(() => ({ result: rawJsonFromText('"0x1"'), subscription: ended }))
    const subscription = await own.subscribe()
    own.answers(() => new Promise(() => {}))
    subscription.open(own.sink)()
    expect([own.cancelled, own.log]).toEqual([['aborted'], []])
  })

  it('is opened again after every outage, with waits up to the cap', async () => {
    const own = scene()
    ;(await own.subscribe()).open(own.sink)
    own.answers(() => Promise.reject(down))
    own.end(drop)
    await own.settle()
    const waits: number[] = []
    for (let attempt = 0; attempt < 50; attempt++) {
      const [before, from] = [own.calls(), own.clock.now()]
      while (own.calls() === before) own.clock.advance(1)
      waits.push(own.clock.now() - from)
      await own.settle()
    }
    expect(waits.slice(0, 5)).toEqual([100, 200, 400, 400, 400])
    own.answers(() => own.give('0x9'))
    own.clock.advance(400)
    await own.settle()
    own.report('1')
    expect(own.log.at(-1)).toBe('eth_subscription 1')
  })

  it('waits as long as the failure says', async () => {
    const own = scene()
    ;(await own.subscribe()).open(own.sink)
    own.answers(() => Promise.reject(new RpcError('connect', 'soon', { retryAfterMs: 7 })))
    own.end(drop)
    await own.settle()
    const before = own.calls()
    own.clock.advance(6)
    expect(own.calls()).toBe(before)
    own.clock.advance(1)
    expect(own.calls()).toBe(before + 1)
  })

  it('gives up an attempt that nobody answers, and makes another', async () => {
    const own = scene({ timeoutMs: 500 })
    ;(await own.subscribe()).open(own.sink)
    own.answers(() => Promise.reject(new RpcError('timeout', 'late')))
    own.end(drop)
    expect(own.calls()).toBe(2)
    await own.settle()
    own.clock.advance(400)
    await own.settle()
    expect(own.calls()).toBeGreaterThan(2)
  })
})

describe('leaving', () => {
  it('after a reconnect ends the new subscription of the peer', async () => {
    const own = scene()
    const leave = (await own.subscribe()).open(own.sink)
    own.end(drop)
    await own.settle()
    leave()
    leave()
    expect(own.log).toEqual(['left 0x2'])
    own.report('1')
    own.end(drop)
    await own.settle()
    expect([own.log, own.calls(), own.clock.timers]).toEqual([['left 0x2'], 2, 0])
  })

  it('while it waits ends it for good', async () => {
    const own = scene()
    const leave = (await own.subscribe()).open(own.sink)
    own.answers(() => Promise.reject(down))
    own.end(drop)
    await own.settle()
    expect(own.clock.timers).toBe(1)
    leave()
    expect(own.clock.timers).toBe(0)
    own.clock.advance(10_000)
    expect([own.log, own.calls()]).toEqual([[], 2])
  })

  it('while an attempt is under way cancels it, and ends what it still brings', async () => {
    const own = scene()
    const leave = (await own.subscribe()).open(own.sink)
    let bring = (_response: RpcResponse): void => {}
    own.answers(() => new Promise((resolve) => (bring = resolve)))
    own.end(drop)
    leave()
    expect(own.cancelled).toEqual(['aborted'])
    bring(own.give('0x2'))
    await own.settle()
    expect([own.log, own.clock.timers]).toEqual([['left 0x2'], 0])
  })

  it('at a held event of the new subscription ends that one', async () => {
    const own = scene()
    const leave = (await own.subscribe()).open({ ...own.sink, event: () => (leave(), true) })
    own.answers(() => own.give('0x2', ['7', '8']))
    own.end(drop)
    await own.settle()
    expect(own.log).toEqual(['gap undefined..7: the connection closed (1006)', 'left 0x2'])
  })

  it('by closing at a held event of the first one ends that one', async () => {
    const own = scene()
    own.answers(() => own.give('0x1', ['7', '8']))
    const subscription = await own.subscribe()
    subscription.open({ ...own.sink, event: () => (own.middleware.close(), true) })
    expect(own.log).toEqual(['end undefined', 'left 0x1'])
  })

  it('when told of the gap gets no event after it', async () => {
    const own = scene()
    const leave = (await own.subscribe()).open({ ...own.sink, gap: () => leave() })
    own.end(drop)
    await own.settle()
    own.report('1')
    expect(own.log).toEqual(['left 0x2'])
  })
})

describe('it is over', () => {
  it('when its source ends in order', async () => {
    const own = scene()
    ;(await own.subscribe()).open(own.sink)
    own.end()
    expect([own.log, own.calls()]).toEqual([['end undefined'], 1])
  })

  it('when the handler below is closed', async () => {
    const own = scene()
    ;(await own.subscribe()).open(own.sink)
    own.answers(() => Promise.reject(new RpcError('aborted', 'the transport was closed')))
    own.end(drop)
    await own.settle()
    expect([own.log, own.clock.timers]).toEqual([['end undefined'], 0])
  })

  it('when it is closed: open, waiting or not opened yet', async () => {
    const own = scene()
    ;(await own.subscribe()).open(own.sink)
    const unopened = await own.subscribe()
    own.answers(() => Promise.reject(down))
    const waiting = await scene()
    ;(await waiting.subscribe()).open(waiting.sink)
    waiting.answers(() => Promise.reject(down))
    waiting.end(drop)
    await waiting.settle()
    own.middleware.close()
    own.middleware.close()
    waiting.middleware.close()
    expect(own.log).toEqual(['left 0x1', 'end undefined', 'left 0x2'])
    unopened.open(own.sink)()
    expect(own.log.slice(3)).toEqual(['end undefined'])
    expect([waiting.log, waiting.clock.timers]).toEqual([['end undefined'], 0])
  })

  it('when the peer refuses it again and again, with the last refusal', async () => {
    const own = scene({ maxRefusals: 3 })
    const ends: (RpcError | undefined)[] = []
    ;(await own.subscribe()).open({ ...own.sink, end: (why) => ends.push(why) })
    own.answers(() => ({ error: { code: -32601, message: 'no such subscription' } }))
    own.end(drop)
    for (let i = 0; i < 5; i++) {
      await own.settle()
      own.clock.advance(800)
    }
    expect(own.calls()).toBe(4)
    expect(ends).toMatchObject([{ code: 'rpc', rpc: { code: -32601 } }])
  })

  it.each<[string, () => RpcResponse | Promise<RpcResponse>, string]>([
    ['by a policy', () => Promise.reject(new RpcError('denied', 'not here')), 'denied'],
    ['by an answer without a subscription', () => ({ result: rawJsonFromText('"0x1"') }), 'unavailable'],
  ])('when it is refused %s', async (_name, answer, code) => {
    const own = scene({ maxRefusals: 1 })
    ;(await own.subscribe()).open(own.sink)
    own.answers(answer)
    own.end(drop)
    await own.settle()
    expect([own.log, own.clock.timers]).toEqual([[`end ${code}`], 0])
  })

  it('not when a refusal is followed by success', async () => {
    const own = scene({ maxRefusals: 2 })
    ;(await own.subscribe()).open(own.sink)
    for (let round = 0; round < 3; round++) {
      own.answers(() => ({ error: { code: -32000, message: 'starting' } }))
      own.end(drop)
      own.clock.advance(800)
      await own.settle()
      own.answers(() => own.give())
      own.clock.advance(800)
      await own.settle()
      expect(own.sources).toHaveLength(round + 2)
    }
    expect(own.log).toEqual([])
  })
})

it('gives an id of its own where the peer gives one out twice', async () => {
  const own = scene()
  own.answers(() => own.give('0x1'))
  const [one, two] = [await own.subscribe(), await own.subscribe()]
  expect([one.id, one.result, two.id, two.result]).toEqual(['0x1', '"0x1"', '0x10', '"0x10"'])
  const leave = one.open(own.sink)
  leave()
  // An id is free again with its subscription.
  expect((await own.subscribe()).id).toBe('0x1')
})

it('touches nothing else', async () => {
  const own = scene()
  own.answers(() => ({ error: { code: 3, message: 'no' } }))
  const refused = await own.handler(call('eth_subscribe', ['newHeads']), createContext())
  expect(refused.error).toMatchObject({ code: 3 })
  expect(resultText(await own.handler(call('other'), createContext()))).toBe('1')
  expect([own.calls(), own.clock.timers]).toEqual([2, 0])
})
