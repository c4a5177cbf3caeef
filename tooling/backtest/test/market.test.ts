import { expect, it } from 'vitest'
import { reordered } from '../src/market.ts'
import { smallMarket } from './support/small-market.ts'

const market = {
  ...smallMarket([1n, 2n, 3n, 4n, 5n].map((baseFee) => ({ baseFee, tip: 0n }))),
  marginalTips: [1n, 2n, 3n, 4n, 5n],
}
const feesOf = (order: 'forwards' | 'backwards' | 'third') =>
  reordered(market, order).map(({ blocks }) => blocks.map(({ baseFeePerGas }) => baseFeePerGas))

it('turns a market round, and splits it into three of every third block', () => {
  expect(reordered(market, 'forwards')).toEqual([market])
  expect(feesOf('backwards')).toEqual([[5n, 4n, 3n, 2n, 1n]])
  expect(reordered(market, 'backwards')[0]!.marginalTips).toEqual([5n, 4n, 3n, 2n, 1n])
  expect(feesOf('third')).toEqual([[1n, 4n], [2n, 5n], [3n]])
  expect(reordered(market, 'third').map(({ name, marginalTips }) => [name, marginalTips])).toEqual([
    ['small 1/3', [1n, 4n]],
    ['small 2/3', [2n, 5n]],
    ['small 3/3', [3n]],
  ])
})
