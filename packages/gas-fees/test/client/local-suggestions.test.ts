import { createFeeSource, localSuggestions, metamask } from '@wayleave/gas-fees'
import { describe, expect, it } from 'vitest'
import { SimulatedChain } from '../simulated-chain.ts'

describe('local suggestions', () => {
  it('are those of a source, in three calls', async () => {
    const chain = new SimulatedChain()
    const source = createFeeSource({ handler: chain.handler, clock: chain.clock })
    const reading = await source.current()
    await source.close()
    chain.calls = []
    const fees = await localSuggestions({ handler: chain.handler, clock: chain.clock })
    const { wayleave: lacks, ...same } = fees
    expect(reading).toMatchObject({ state: 'ready', answer: { fees: same } })
    expect(lacks).toEqual({ congestionBlocks: 199 })
    expect(chain.calls).toEqual(['eth_getBlockByNumber', 'eth_feeHistory', 'eth_getBlockByNumber'])
  })

  it('follow the strategy that is given', async () => {
    const { handler, clock } = new SimulatedChain()
    const fees = await localSuggestions({ handler, clock, strategy: metamask })
    expect(fees.low.suggestedMaxPriorityFeePerGas).toBe('1')
  })

  it('are refused where there is no base fee, and end with their signal', async () => {
    const chain = new SimulatedChain()
    chain.hasBaseFee = false
    const { handler, clock } = chain
    await expect(localSuggestions({ handler, clock })).rejects.toMatchObject({ code: 'unsupported' })
    const signal = AbortSignal.abort()
    await expect(localSuggestions({ handler, clock, signal })).rejects.toMatchObject({ code: 'aborted' })
  })
})
