import { rawJsonFromValue, RpcError, type RpcSink } from '@wayleave/jsonrpc-core'
import { describe, expect, it } from 'vitest'
import { createLiveSubscription } from '../src/live-subscription.ts'

const why = new RpcError('disconnected', 'the connection closed')

function scene(maxHeld = 10) {
  const log: string[] = []
  const subscription = createLiveSubscription('0x1', maxHeld, () => log.push('unsubscribe'))
  const sink: RpcSink = {
    event: (_method, result) => log.push(`event ${result.text()}`) > 0,
    gap: () => log.push('gap'),
    end: (reason) => log.push(`end ${reason?.code}`),
  }
  const deliver = (n: number): void => subscription.deliver('e', rawJsonFromValue(n))
  return { log, subscription, sink, deliver }
}

it('holds what comes before it is opened and tells it first, in order', () => {
  const { log, subscription, sink, deliver } = scene()
  deliver(1)
  deliver(2)
  expect(log).toEqual([])
  subscription.open(sink)
  deliver(3)
  expect(log).toEqual(['event 1', 'event 2', 'event 3'])
})

it('keeps the order where an event brings another one while the held ones are told', () => {
  const { log, subscription, sink, deliver } = scene()
  deliver(1)
  deliver(2)
  subscription.open({
    ...sink,
    event(method, result) {
      if (result.text() === '1') deliver(3)
      return sink.event(method, result)
    },
  })
  expect(log).toEqual(['event 1', 'event 2', 'event 3'])
})

it('tells its end once, after the events that came before it', () => {
  const { log, subscription, sink, deliver } = scene()
  deliver(1)
  subscription.end(why)
  subscription.end()
  deliver(2)
  subscription.open(sink)()
  subscription.end()
  expect(log).toEqual(['event 1', 'end disconnected'])
})

it('tells its end last where it ends while the held events are told', () => {
  const { log, subscription, sink, deliver } = scene()
  deliver(1)
  deliver(2)
  subscription.open({ ...sink, event: (method, result) => (subscription.end(why), sink.event(method, result)) })
  expect(log).toEqual(['event 1', 'event 2', 'end disconnected'])
})

it('unsubscribes once, and is silent from then on', () => {
  const { log, subscription, sink, deliver } = scene()
  const leave = subscription.open(sink)
  leave()
  leave()
  deliver(1)
  subscription.end(why)
  expect(log).toEqual(['unsubscribe'])
})

it('does not unsubscribe from what has ended', () => {
  const { log, subscription, sink } = scene()
  const leave = subscription.open(sink)
  subscription.end(why)
  leave()
  expect(log).toEqual(['end disconnected'])
})

describe('more events than are held', () => {
  it('end it as overloaded, and unsubscribe', () => {
    const { log, subscription, sink, deliver } = scene(2)
    for (let n = 1; n <= 4; n++) deliver(n)
    expect(log).toEqual(['unsubscribe'])
    subscription.open(sink)()
    expect(log).toEqual(['unsubscribe', 'end overloaded'])
  })
})

it('is opened once', () => {
  const { subscription, sink } = scene()
  subscription.open(sink)
  expect(() => subscription.open(sink)).toThrowError('opened once')
})
