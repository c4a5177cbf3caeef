import { createFeeSource, createGasApi, type GasAnswer, metamask, wayleave } from '@wayleave/gas-fees'
import { RpcError } from '@wayleave/jsonrpc-core'
import { expect, it, onTestFinished } from 'vitest'
import { settle, SimulatedChain } from '../simulated-chain.ts'

async function ask(query: string, strategy = wayleave, isCut = false): Promise<GasAnswer> {
  const chain = new SimulatedChain()
  const source = createFeeSource({ handler: chain.handler, clock: chain.clock, strategy })
  onTestFinished(() => source.close())
  await source.current()
  await settle()
  if (isCut) {
    chain.failure = new RpcError('connect', 'refused')
    chain.endSubscriptions()
  }
  chain.clock.advance(isCut ? 50_000 : 3_000)
  const api = createGasApi({
    source: (chainId) => (chainId === '1' || chainId === '137' ? source : undefined),
    names: { 137: 'Polygon Mainnet' },
    clock: chain.clock,
  })
  const [prices, fees] = await Promise.all(
    [`/gasprices/blockprices${query}`, '/networks/1/suggestedGasFees'].map((path) =>
      api({ method: 'GET', path, headers: {} }),
    ),
  )
  return { ...prices!, headers: { ...prices!.headers, fees: fees!.body as string } }
}

const bodyOf = ({ body }: GasAnswer): unknown => JSON.parse(body as string)

it('tells the three promises in Blocknative’s shape, and nothing between', async () => {
  const answer = await ask('?chainid=137&confidenceLevels=99,80')
  expect(answer).toMatchObject({ status: 200, headers: { 'x-block-number': '599', 'cache-control': 'no-store' } })
  const fees = JSON.parse(answer.headers['fees']!) as Readonly<
    Record<'low' | 'medium' | 'high', Record<string, string>>
  >
  const offer = (level: 'low' | 'medium' | 'high', confidence: number, withinBlocks: number) => {
    const tip = Number(fees[level]['suggestedMaxPriorityFeePerGas'])
    return {
      confidence,
      price: expect.closeTo(1.000600007 + tip, 9) as number,
      maxPriorityFeePerGas: tip,
      maxFeePerGas: Number(fees[level]['suggestedMaxFeePerGas']),
      wayleave: { level, withinBlocks },
    }
  }
  expect(bodyOf(answer)).toMatchObject({
    system: 'ethereum',
    network: 'Polygon Mainnet',
    unit: 'gwei',
    maxPrice: expect.any(Number) as number,
    currentBlockNumber: 599,
    msSinceLastBlock: 3_000,
    blockPrices: [
      {
        blockNumber: 600,
        estimatedTransactionCount: 0,
        baseFeePerGas: 1.000600007,
        estimatedPrices: [offer('high', 95, 1), offer('medium', 95, 3), offer('low', 90, 10)],
      },
    ],
  })
})

it('is of Ethereum where the query names no chain', async () => {
  expect(bodyOf(await ask(''))).toMatchObject({ network: '1', currentBlockNumber: 599 })
})

it.each([
  ['?system=polygon&network=main', 'expected one chainid'],
  ['?chainid=1&chainid=137', 'expected one chainid'],
  ['?chainid=5', "'5' is not a supported chain id."],
])('refuses %s with 400', async (query, words) => {
  const answer = await ask(query)
  expect(answer.status).toBe(400)
  expect(bodyOf(answer)).toEqual({ statusCode: 400, message: expect.stringContaining(words) as string })
})

it('is refused where the strategy promises nothing', async () => {
  expect(await ask('', metamask)).toMatchObject({
    status: 400,
    body: expect.stringContaining('promise nothing') as string,
  })
})

it('tells the age of an old suggestion', async () => {
  expect((await ask('')).headers).not.toHaveProperty('age')
  expect(await ask('', wayleave, true)).toMatchObject({
    status: 200,
    headers: { age: '50', 'cache-control': 'no-store' },
  })
})
