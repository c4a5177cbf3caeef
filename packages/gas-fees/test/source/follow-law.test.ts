import { createFeeSource } from '@wayleave/gas-fees'
import { RpcError } from '@wayleave/jsonrpc-core'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { settle, SimulatedChain } from '../simulated-chain.ts'

const steps = fc.oneof(
  fc.record({ kind: fc.constant('mine' as const), count: fc.integer({ min: 1, max: 5 }) }),
  fc.record({
    kind: fc.constant('reorganise' as const),
    depth: fc.integer({ min: 1, max: 30 }),
    count: fc.integer({ min: 1, max: 32 }),
  }),
  fc.record({ kind: fc.constant('lag' as const), count: fc.integer({ min: 0, max: 3 }) }),
  fc.record({ kind: fc.constant('fail' as const), count: fc.integer({ min: 0, max: 1 }) }),
  fc.record({ kind: fc.constant('end' as const) }),
)

it('whatever the chain and its node do, the blocks are in the end those of the chain', async () => {
  const runs = fc.asyncProperty(
    fc.array(steps, { maxLength: 12 }),
    fc.boolean(),
    fc.constantFrom(1_024, 20),
    async (script, pushes, most) => {
      const chain = new SimulatedChain({ blocks: 100 })
      Object.assign(chain, { pushes, most, shortens: most === 20 })
      const source = createFeeSource({ handler: chain.handler, clock: chain.clock, window: 60 })
      await source.current()
      await settle()
      for (const step of script) {
        if (step.kind === 'mine') chain.mine(step.count)
        else if (step.kind === 'reorganise') chain.reorganise(step.depth, step.count)
        else if (step.kind === 'lag') chain.lag = step.count
        else if (step.kind === 'fail') chain.failure = step.count > 0 ? new RpcError('connect', 'refused') : undefined
        else chain.endSubscriptions()
        await settle()
      }
      chain.lag = 0
      chain.failure = undefined
      for (let i = 0; i < 4; i++) {
        chain.mine()
        await settle()
        // As long as a poll is apart from the next at most.
        for (let second = 0; second < 16; second++) {
          chain.clock.advance(1_000)
          await settle()
        }
      }
      const reading = await source.current()
      await source.close()
      if (reading.state !== 'ready') throw new Error(JSON.stringify(reading))
      const { blocks, nextBaseFeePerGas } = reading.answer.history
      const expected = chain.blocks.slice(-blocks.length)
      expect(blocks.length).toBeGreaterThan(Math.min(60, chain.blocks.length) * 0.75)
      expect(blocks.map(({ number, baseFeePerGas }) => [number, baseFeePerGas])).toEqual(
        expected.map(({ number, baseFee }) => [number, baseFee]),
      )
      expect(nextBaseFeePerGas).toBe(chain.nextBaseFee)
      expect(chain.clock.timers).toBe(0)
    },
  )
  await fc.assert(runs, { numRuns: 100 })
}, 60_000)
