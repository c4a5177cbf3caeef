import { expect, it } from 'vitest'
import { gasPort, type ToldGas } from '../../src/gas/tell-gas.ts'

const told = (network: string, since: number, blockNumber: number): ToldGas =>
  ({ network, since, blockNumber, chainId: 1, ageMs: 0 }) as ToldGas

it('of several processes that follow a network, the one that has for longest tells it; a silent one is left out', async () => {
  const questions: unknown[] = []
  const workers = [
    [told('mainnet', 20, 7), told('base', 30, 1)],
    undefined,
    [told('mainnet', 10, 6), told('gnosis', 5, 2)],
  ]
  const port = gasPort(
    () => [],
    async (question) => (questions.push(question), workers),
  )
  expect((await port.list()).map(({ network, blockNumber }) => [network, blockNumber])).toEqual([
    ['mainnet', 6],
    ['base', 1],
    ['gnosis', 2],
  ])
  expect(await port.find('mainnet')).toEqual({ ...told('mainnet', 10, 6), history: [] })
  expect(questions).toEqual([{}, { network: 'mainnet' }])
})

it('without workers and without a source that is followed, there is nothing to tell', async () => {
  const port = gasPort(
    () => [],
    () => undefined,
  )
  expect([await port.list(), await port.find('mainnet')]).toEqual([[], undefined])
})
