import { createPrices, MeteringError, settledPrice } from '@wayleave/metering'
import { describe, expect, it } from 'vitest'

describe('prices', () => {
  it.each([
    ['evm', 'eth_getStorageAt', 80],
    ['evm', 'eth_getUncleByBlockHashAndIndex', 150],
    ['evm', 'eth_getTransactionByBlockHashAndIndex', 150],
    ['evm', 'eth_getTransactionByHash', 80],
    ['evm', 'eth_getBlockReceipts', 1000],
    ['evm', 'eth_estimateGas', 300],
    ['evm', 'eth_chainId', 5],
    ['evm', 'net_version', 5],
    ['evm', 'eth_syncing', 5],
    ['starknet', 'starknet_estimateFee', 240],
    ['starknet', 'starknet_simulateTransactions', 160],
    ['gas', 'suggestedGasFees', 80],
    ['gas', 'totalFee', 380],
  ])('are those of the field: %s %s costs %i', (kind, method, price) => {
    expect(createPrices().priceOf(kind, method)).toBe(price)
  })

  it('fall back from the kind to EVM, and from there to 80', () => {
    const prices = createPrices()
    expect(prices.priceOf('rollup', 'eth_getBlockReceipts')).toBe(1000)
    expect(prices.priceOf('unheard', 'eth_chainId')).toBe(5)
    expect(prices.priceOf('evm', 'invented_method')).toBe(80)
    expect(prices.priceOf('rollup', 'toString')).toBe(80)
  })

  it("give an operator's price before the default, a name before the longest prefix, the kind before EVM", () => {
    const overrides = {
      evm: { eth_call: 26, 'debug_*': 500, 'debug_trace*': 900, debug_traceCall: 1 },
      rollup: { eth_call: 30, '*': 7 },
    }
    const { priceOf } = createPrices({ overrides })
    expect(priceOf('evm', 'eth_call')).toBe(26)
    expect(priceOf('starknet', 'eth_call')).toBe(26)
    expect(priceOf('rollup', 'eth_call')).toBe(30)
    expect(priceOf('evm', 'debug_traceBlock')).toBe(900)
    expect(priceOf('evm', 'debug_traceCall')).toBe(1)
    expect(priceOf('evm', 'debug_setHead')).toBe(500)
    expect(priceOf('rollup', 'eth_chainId')).toBe(7)
    expect(priceOf('rollup', 'anything')).toBe(7)
  })

  it.each([-1, 1.5, Number.NaN, '80' as unknown as number])('refuse %s and name where it stands', (price) => {
    const make = (): unknown => createPrices({ overrides: { evm: { eth_call: price } } })
    expect(make).toThrow(MeteringError)
    expect(make).toThrow("prices.evm['eth_call'] must be a whole number")
  })

  it('of events are those of their subscription', () => {
    const { eventPriceOf } = createPrices({ events: { newHeads: 1 } })
    expect([eventPriceOf('newHeads'), eventPriceOf('logs'), eventPriceOf('newPendingTransactions')]).toEqual([
      1, 300, 200,
    ])
    expect(eventPriceOf('syncing')).toBe(80)
  })

  it.each([
    [200, 80],
    [402, 0],
    [429, 0],
    [400, 5],
    [403, 5],
    [499, 80],
    [500, 0],
    [504, 0],
  ])('settle a call of status %i at %i of 80 credits', (status, cost) => {
    expect(settledPrice(80, status)).toBe(cost)
  })

  it('never make a call dearer by its error', () => {
    expect(settledPrice(2, 404)).toBe(2)
  })
})
