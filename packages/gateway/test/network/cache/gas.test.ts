import { expect, it, onTestFinished } from 'vitest'
import { startChainNode, testChain } from '../../chain-node.ts'
import { frame, key, send, startTestGateway } from '../../support.ts'

/** A network whose base fees tell the height of their block, with the questions for fees that reached its node. */
async function start() {
  const chain = testChain(100, { startedAt: Math.floor(Date.now() / 1_000) - 100 })
  const node = await startChainNode(chain, 0)
  onTestFinished(() => node.close())
  const asked: string[] = []
  node.answer = (method, params) => {
    if (method !== 'eth_feeHistory') return undefined
    asked.push(JSON.stringify(params))
    const newest = params[1] === 'latest' ? chain.height : Number(params[1])
    const numbers = Array.from({ length: Number(params[0]) }, (_, i) => newest - Number(params[0]) + 1 + i)
    const result = {
      oldestBlock: `0x${numbers[0]!.toString(16)}`,
      baseFeePerGas: [...numbers, newest + 1].map((number) => `0x${(number * 1e9).toString(16)}`),
      gasUsedRatio: numbers.map(() => 0.5),
      reward: numbers.map(() => (params[2] as readonly number[]).map(() => '0x1')),
    }
    return { result }
  }
  const gateway = await startTestGateway([], {
    networks: { mainnet: { kind: 'evm', chainId: 1, upstreams: [node.url], followHeads: true } },
    cache: {},
  })
  onTestFinished(() => gateway.close(0))
  async function ask(method: string, params: unknown): Promise<{ readonly result: unknown; readonly cache: unknown }> {
    const { body, headers } = await send(gateway.rpc, `/v3/${key}`, { body: frame(method, params) })
    const { result } = JSON.parse(body) as { result: unknown }
    return { result, cache: headers['x-wayleave-cache'] }
  }
  async function baseFee(): Promise<number> {
    const { status, body } = await send(gateway.rpc, `/v3/${key}/networks/1/suggestedGasFees`, { method: 'GET' })
    expect(status, body).toBe(200)
    return Number((JSON.parse(body) as { estimatedBaseFee: string }).estimatedBaseFee)
  }
  /** Waits until the gateway serves a block as its head. */
  async function served(height: number): Promise<void> {
    const number = `0x${height.toString(16)}`
    for (;;) {
      const head = await ask('eth_blockNumber', [])
      if (head.result === number && head.cache === 'hit') return
    }
  }
  return { chain, ask, asked, baseFee, served }
}

it('callers and the gas fees share their answers about the head, and neither has one of an earlier head', async () => {
  const { chain, ask, asked, baseFee, served } = await start()
  await ask('eth_gasPrice', [])
  await served(100)
  expect(await baseFee()).toBe(101)
  const params = JSON.parse(asked.at(-1)!) as [string, string, readonly number[]]
  expect(params[1]).toBe('0x64')
  const sent = (): number => asked.filter((each) => each === JSON.stringify(params)).length
  expect(sent()).toBe(1)
  for (const block of ['latest', '0x64', '0x064']) {
    const fees = await ask('eth_feeHistory', [params[0], block, params[2]])
    expect(fees.cache).toBe('hit')
    expect((fees.result as { baseFeePerGas: string[] }).baseFeePerGas.at(-1)).toBe(`0x${(101e9).toString(16)}`)
  }
  expect(sent()).toBe(1)
  chain.height = 101
  await served(101)
  const next = await ask('eth_feeHistory', [params[0], 'latest', params[2]])
  expect((next.result as { baseFeePerGas: string[] }).baseFeePerGas.at(-1)).toBe(`0x${(102e9).toString(16)}`)
  await expect.poll(baseFee).toBe(102)
})
