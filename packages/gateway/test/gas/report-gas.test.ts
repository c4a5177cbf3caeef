import { expect, it } from 'vitest'
import { gasPort, type ReportedGas } from '../../src/gas/report-gas.ts'

const reported = (network: string, since: number, blockNumber: number): ReportedGas =>
  ({ network, since, blockNumber, chainId: 1, ageMs: 0 }) as ReportedGas

it('of several processes that follow a network, the one that has for longest tells it; a silent one is left out', async () => {
  const questions: unknown[] = []
  const workers = [
    [reported('mainnet', 20, 7), reported('base', 30, 1)],
    undefined,
    [reported('mainnet', 10, 6), reported('gnosis', 5, 2)],
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
  expect(await port.find('mainnet')).toEqual({ ...reported('mainnet', 10, 6), history: [] })
  expect(questions).toEqual([{}, { network: 'mainnet' }])
})

it('without workers and without a source that is followed, there is nothing to tell', async () => {
  const port = gasPort(
    () => [],
    () => undefined,
  )
  expect([await port.list(), await port.find('mainnet')]).toEqual([[], undefined])
})
