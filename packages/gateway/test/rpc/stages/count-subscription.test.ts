import { rawJsonFromValue, RpcError, type RpcSink } from '@wayleave/jsonrpc-core'
import { describe, expect, it } from 'vitest'
import { createMetrics } from '../../../src/telemetry/metrics.ts'
import { countSubscription, subscriptionKind } from '../../../src/rpc/stages/count-subscription.ts'
import { call } from '../../support.ts'

function scene() {
  const all = createMetrics()
  const reported: unknown[] = []
  let below: RpcSink | undefined
  let left = 0
  const subscription = {
    id: '0x1',
    open(sink: RpcSink) {
      below = sink
      return () => void left++
    },
  }
  const counted = countSubscription(subscription, call('eth_subscribe', ['logs']), all.network('mainnet'))
  const sink: RpcSink = {
    event: (...event) => reported.push(event) > 0,
    reached: (at) => void reported.push(at),
    gap: (gap) => void reported.push(gap),
    end: (why) => void reported.push(why),
  }
  return {
    leave: counted.open(sink),
    below: below!,
    reported,
    left: () => left,
    open: () => all.read('wayleave_subscriptions').map(({ labels, value }) => [...labels, value]),
    ends: () => all.read('wayleave_subscription_ends_total').map(({ labels, value }) => [...labels, value]),
  }
}

describe('a subscription that is counted', () => {
  it('passes on all that it is told, and is over when its caller leaves', () => {
    const { below, reported, leave, left, open, ends } = scene()
    expect(open()).toEqual([['mainnet', 'logs', 1]])
    expect(below.event('eth_subscription', rawJsonFromValue(1))).toBe(true)
    below.reached!({ height: 5 })
    expect(below.drained!()).toBeUndefined()
    expect(reported).toHaveLength(2)
    leave()
    leave()
    expect([left(), open(), ends()]).toEqual([2, [['mainnet', 'logs', 0]], []])
  })

  it('is over once, by the reason that came first', () => {
    const { below, reported, leave, open, ends } = scene()
    below.gap({ reason: 'lost' })
    below.end(new RpcError('aborted', 'its session closed'))
    leave()
    expect(reported).toHaveLength(2)
    expect([open(), ends()]).toEqual([[['mainnet', 'logs', 0]], [['mainnet', 'logs', 'gap', 1]]])
  })

  it('has no reason after an orderly end', () => {
    const { below, open, ends } = scene()
    below.end()
    expect([open(), ends()]).toEqual([[['mainnet', 'logs', 0]], []])
  })
})

it.each([
  ['eth_subscribe', ['newHeads'], 'newHeads'],
  ['eth_subscribe', ['newPendingTransactions', true], 'newPendingTransactions'],
  ['eth_subscribe', ['a kind of its own'], 'other'],
  ['eth_subscribe', [], 'other'],
  ['starknet_subscribeNewHeads', {}, 'newHeads'],
  ['starknet_subscribeTransactionStatus', { transaction_hash: '0x1' }, 'transactionStatus'],
])('%s %j has the label %s', (method, params, kind) => {
  expect(subscriptionKind(call(method, params))).toBe(kind)
})
