import { type Gap, rawJsonFromText, RpcError, type RpcHandler, type RpcSink } from '@wayleave/jsonrpc-core'
import { type EventIteratorOptions, iterateEvents } from '@wayleave/jsonrpc-core/websocket'
import { describe, expect, it } from 'vitest'

async function scene(options: EventIteratorOptions = {}) {
  let sink: RpcSink | undefined
  let left = 0
  const handler: RpcHandler = async () => ({
    result: rawJsonFromText('"0x1"'),
    subscription: {
      id: '0x1',
      open(to) {
        sink = to
        return () => void left++
      },
    },
  })
  const events = await iterateEvents<number>(handler, 'eth_subscribe', ['newHeads'], options)
  const report = (...numbers: number[]): boolean[] =>
    numbers.map((n) => sink!.event('eth_subscription', rawJsonFromText(String(n))))
  return { events, sink: sink!, report, left: () => left }
}

/** Reads `count` events. */
async function read<T>(events: AsyncIterator<T>, count: number): Promise<T[]> {
  const list: T[] = []
  while (list.length < count) list.push((await events.next()).value)
  return list
}

describe('the events of a subscription', () => {
  it('are read in order, by those who wait and those who come later', async () => {
    const own = await scene()
    const waiting = Promise.all([own.events.next(), own.events.next()])
    own.report(1, 2, 3)
    expect((await waiting).map(({ value }) => value)).toEqual([1, 2])
    expect(await read(own.events, 1)).toEqual([3])
    expect(own.events.id).toBe('0x1')
  })

  it('go to their readers in the order of asking, whenever they come', async () => {
    const own = await scene()
    const seen: [string, unknown][] = []
    const ask = (name: string): Promise<unknown> => own.events.next().then(({ value }) => seen.push([name, value]))
    const first = ask('first')
    await Promise.resolve()
    own.report(1)
    const second = ask('second')
    own.report(2)
    await Promise.all([first, second])
    expect(seen).toEqual([
      ['first', 1],
      ['second', 2],
    ])
  })

  it('say when there is room again: at once, when half of them are read, and at the end', async () => {
    const own = await scene({ maxBuffered: 4 })
    const log: string[] = []
    await own.sink.drained!()
    expect(own.report(1, 2, 3, 4)).toEqual([true, true, true, false])
    void own.sink.drained!()!.then(() => log.push('room'))
    await read(own.events, 1)
    log.push('one')
    await read(own.events, 1)
    await Promise.resolve()
    expect(log).toEqual(['one', 'room'])
    own.report(5, 6)
    const drained = own.sink.drained!()
    await own.events.return()
    await drained
  })

  it('stop when the loop is left, which unsubscribes once', async () => {
    const own = await scene()
    own.report(1, 2, 3)
    const seen: number[] = []
    for await (const event of own.events) {
      seen.push(event)
      if (event === 2) break
    }
    expect([seen, own.left()]).toEqual([[1, 2], 1])
    own.report(4)
    await own.events.return()
    expect([await own.events.next(), own.left()]).toEqual([{ done: true, value: undefined }, 1])
  })

  it('stop with `await using`, for a reader who waits, too', async () => {
    let waiting: Promise<IteratorResult<number, undefined>>
    let left: () => number
    {
      const own = await scene()
      await using events = own.events
      waiting = events.next()
      left = own.left
    }
    expect([await waiting, left()]).toEqual([{ done: true, value: undefined }, 1])
  })

  it('are all read before the end, and the end is told once', async () => {
    const own = await scene()
    own.report(1)
    own.sink.end(new RpcError('disconnected', 'gone'))
    own.report(2)
    expect(await read(own.events, 1)).toEqual([1])
    await expect(own.events.next()).rejects.toMatchObject({ code: 'disconnected' })
    expect(await own.events.next()).toEqual({ done: true, value: undefined })
    const inOrder = await scene()
    const waiting = inOrder.events.next()
    inOrder.sink.end()
    expect(await waiting).toEqual({ done: true, value: undefined })
  })

  it('end where one is no JSON', async () => {
    const own = await scene()
    own.sink.event('e', rawJsonFromText('nonsense'))
    own.report(1)
    await expect(own.events.next()).rejects.toMatchObject({ code: 'invalid_response' })
    expect([await own.events.next(), own.left()]).toEqual([{ done: true, value: undefined }, 1])
  })
})

describe('more events than the reader takes', () => {
  it('end it as overloaded after those that were buffered, where nobody hears of gaps', async () => {
    const own = await scene({ maxBuffered: 2 })
    expect(own.report(1, 2, 3, 4)).toEqual([true, false, false, false])
    expect(own.left()).toBe(1)
    expect(await read(own.events, 2)).toEqual([1, 2])
    await expect(own.events.next()).rejects.toMatchObject({ code: 'overloaded' })
  })

  it('push out the oldest where gaps are heard: the gap is told before the event after it', async () => {
    const log: unknown[] = []
    const own = await scene({ maxBuffered: 2, onGap: ({ last, first }: Gap) => log.push({ last, first }) })
    own.report(1)
    log.push(...(await read(own.events, 1)))
    own.report(2, 3, 4, 5)
    log.push(...(await read(own.events, 2)))
    own.report(6)
    log.push(...(await read(own.events, 1)))
    expect(log).toEqual([1, { last: 1, first: 4 }, 4, 5, 6])
    expect(own.left()).toBe(0)
  })

  it('are by default more than 1,000', async () => {
    const own = await scene()
    own.report(...Array.from({ length: 1_000 }, (_, n) => n))
    expect(own.left()).toBe(0)
    own.report(1_000)
    expect(own.left()).toBe(1)
    expect(await read(own.events, 1_000)).toHaveLength(1_000)
  })
})

describe('a gap of the source', () => {
  it('is told at its place in the order of the reader', async () => {
    const log: unknown[] = []
    const own = await scene({ onGap: (gap) => log.push(gap) })
    own.report(1)
    own.sink.gap({ reason: 'reconnected', last: rawJsonFromText('1'), first: rawJsonFromText('5') })
    own.report(5, 6)
    expect(log).toEqual([])
    log.push(...(await read(own.events, 3)))
    expect(log).toEqual([{ reason: 'reconnected', after: undefined, last: 1, first: 5 }, 1, 5, 6])
  })

  it('ends the iteration where nobody hears of it', async () => {
    const own = await scene()
    own.report(1)
    own.sink.gap({ reason: 'reconnected' })
    own.report(5)
    expect(await read(own.events, 1)).toEqual([1])
    await expect(own.events.next()).rejects.toMatchObject({
      code: 'disconnected',
      message: 'events were lost: reconnected',
    })
    expect(own.left()).toBe(1)
  })
})

it('is refused by a handler without subscriptions', async () => {
  const handler: RpcHandler = async () => ({ result: rawJsonFromText('"0x1"') })
  await expect(iterateEvents(handler, 'eth_subscribe', [])).rejects.toMatchObject({ code: 'unavailable' })
})
