import { createFeeSource, localSuggestions, type SuggestedGasFees, suggestFrom } from '@wayleave/gas-fees'
import { RpcError } from '@wayleave/jsonrpc-core'
import { expect, it, onTestFinished } from 'vitest'
import { settle, SimulatedChain } from '../simulated-chain.ts'

const asked = ({ calls }: SimulatedChain): number => calls.filter((each) => each === 'eth_maxPriorityFeePerGas').length

function emptyChain(nodeTip: bigint | undefined, options: ConstructorParameters<typeof SimulatedChain>[0] = {}) {
  const chain = new SimulatedChain(options)
  chain.isEmpty = true
  chain.nodeTip = nodeTip
  return chain
}

function tipsOf({ low, medium, high }: SuggestedGasFees): readonly string[] {
  return [low, medium, high].map((fees) => fees.suggestedMaxPriorityFeePerGas)
}

it.each([
  ['Taiko', 15_000_000n, '0.015'],
  ['an OP chain', 1_000_000n, '0.001'],
  ['anvil', 1_000_000_000n, '1'],
])('offers no less than the node of %s suggests where nobody tipped, and says so', async (_, nodeTip, gwei) => {
  const { handler, clock } = emptyChain(nodeTip)
  const fees = await localSuggestions({ handler, clock })
  expect(tipsOf(fees)).toEqual([gwei, gwei, gwei])
  expect(fees.wayleave).toMatchObject({ nodePriorityFee: gwei })
})

it('asks the node for its own tip while fewer than ten blocks are known, and offers no less', async () => {
  const few = new SimulatedChain({ blocks: 9 })
  few.nodeTip = 1_000_000n
  const { wayleave, ...fees } = await localSuggestions(few)
  expect(tipsOf(fees)).toEqual(['0.001', '0.001', '0.001'])
  expect(wayleave).toEqual({ nodePriorityFee: '0.001', knownBlocks: 9, calibrated: false, congestionBlocks: 8 })
  few.nodeTip = 1n
  expect((await localSuggestions(few)).wayleave).not.toHaveProperty('nodePriorityFee')
  const enough = new SimulatedChain({ blocks: 10 })
  enough.nodeTip = 1_000_000n
  expect((await localSuggestions(enough)).wayleave).toEqual({ congestionBlocks: 9 })
})

it('asks the node for its own tip only where nobody tipped', async () => {
  const chain = new SimulatedChain()
  chain.nodeTip = 1_000_000_000n
  const fees = await localSuggestions(chain)
  expect(asked(chain)).toBe(0)
  expect(fees.wayleave).not.toHaveProperty('nodePriorityFee')
})

it('asks for the tip of a node that gives no rewards', async () => {
  const chain = new SimulatedChain()
  chain.hasRewards = false
  chain.nodeTip = 2_000_000n
  expect(tipsOf(await localSuggestions(chain))).toEqual(['0.002', '0.002', '0.002'])
})

it('offers 1 wei where the node suggests nothing, in any of its ways to say so', async () => {
  const least = '0.000000001'
  for (const chain of [emptyChain(undefined), emptyChain(0n)]) {
    const fees = await localSuggestions(chain)
    expect(tipsOf(fees)).toEqual([least, least, least])
    expect(fees.wayleave).not.toHaveProperty('nodePriorityFee')
  }
  const { handler } = emptyChain(5n)
  const fees = await suggestFrom(async ({ method, params }) => {
    if (method === 'eth_maxPriorityFeePerGas') return 'many'
    const answer = await handler({ method, params: { value: () => params } } as never, {} as never)
    return (answer as unknown as { result: { value(): unknown } }).result.value()
  })
  expect(tipsOf(fees)).toEqual([least, least, least])
})

it('asks once a minute while it follows an empty chain, and keeps the tip through a failure', async () => {
  const chain = emptyChain(15_000_000n, { blockTime: 2 })
  const source = createFeeSource({ handler: chain.handler, clock: chain.clock })
  onTestFinished(() => source.close())
  const tips = async (): Promise<readonly string[]> => {
    const reading = await source.current()
    return reading.state === 'ready' ? tipsOf(reading.answer.fees) : []
  }
  const pass = async (blocks: number): Promise<void> => {
    for (let i = 0; i < blocks; i++) {
      chain.mine()
      await settle()
    }
  }
  expect(await tips()).toEqual(['0.015', '0.015', '0.015'])
  await pass(20)
  expect(asked(chain)).toBe(1)
  chain.errors.set('eth_maxPriorityFeePerGas', { code: -32000, message: 'busy' })
  await pass(15)
  const failed = asked(chain)
  expect(failed).toBeGreaterThan(2)
  expect(await tips()).toEqual(['0.015', '0.015', '0.015'])
  chain.errors.clear()
  chain.nodeTip = 20_000_000n
  await pass(2)
  expect(await tips()).toEqual(['0.02', '0.02', '0.02'])
  chain.isEmpty = false
  await pass(1)
  expect(await tips()).not.toContain('0.02')
})

it('rejects when its caller gives up while the node is asked for its tip', async () => {
  const chain = emptyChain(1n)
  const caller = new AbortController()
  const given = localSuggestions({
    clock: chain.clock,
    signal: caller.signal,
    handler: (request, context) => {
      if (request.method !== 'eth_maxPriorityFeePerGas') return chain.handler(request, context)
      caller.abort()
      return Promise.reject(context.cancelled ?? new RpcError('aborted', 'the caller gave up'))
    },
  })
  await expect(given).rejects.toMatchObject({ code: 'aborted' })
})
