import { expect, it } from 'vitest'
import { regimesOf } from '../src/regime.ts'
import { smallMarket } from './support/small-market.ts'

function statesOf(prices: readonly number[]) {
  const market = smallMarket(prices.map((price) => ({ baseFee: BigInt(price), tip: 0n })))
  return regimesOf(
    market,
    prices.map(() => 0n),
  )
}

it('tells a calm market from one that rises, falls or spikes, by what comes after', () => {
  const calm = Array<number>(20).fill(100)
  const stateAfter = (...next: readonly number[]) => statesOf([...calm, ...next])[19]
  expect(stateAfter(...calm)).toBe('calm')
  expect(stateAfter(...Array<number>(10).fill(111))).toBe('rising')
  expect(stateAfter(...Array<number>(10).fill(89))).toBe('falling')
  expect(stateAfter(100, 100, 201, 100, 100)).toBe('spiking')
  expect(stateAfter(100, 100, 100, 201, 100, 100)).toBe('calm')
  expect(stateAfter()).toBe('calm')
})
