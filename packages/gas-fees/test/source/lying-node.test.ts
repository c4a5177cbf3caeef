import { createFeeSource, createGasApi } from '@wayleave/gas-fees'
import { rawJsonFromValue, RpcError, type RpcHandler } from '@wayleave/jsonrpc-core'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { settle, SimulatedChain } from '../simulated-chain.ts'

const hex = fc.oneof(
  fc.bigInt({ min: 0n, max: 2n ** 256n }).map((value) => `0x${value.toString(16)}`),
  fc.integer({ min: 0, max: 700 }).map((value) => `0x${value.toString(16)}`),
  fc.constantFrom('0x', '0xzz', '', '1', 'latest', `0x${'f'.repeat(500)}`),
)
const anything = fc.oneof(hex, fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<unknown>)

/** A member that is another one than the node told. */
const lies = fc.oneof(
  fc.tuple(fc.constantFrom('number', 'hash', 'parentHash', 'timestamp', 'oldestBlock'), anything),
  fc.tuple(fc.constantFrom('baseFeePerGas', 'gasUsedRatio'), fc.oneof(anything, fc.array(fc.oneof(anything, hex)))),
  fc.tuple(fc.constant('reward'), fc.oneof(anything, fc.array(fc.oneof(anything, fc.array(anything))))),
)
const answers = fc.oneof(
  { arbitrary: fc.constant({ kind: 'truth' as const }), weight: 12 },
  { arbitrary: lies.map(([name, value]) => ({ kind: 'lie' as const, name, value })), weight: 5 },
  anything.map((result) => ({ kind: 'result' as const, result })),
  fc.integer({ min: -33_000, max: 5_000 }).map((code) => ({ kind: 'error' as const, code })),
  fc.constant({ kind: 'throw' as const }),
)

it('whatever a node answers, a source has one answer, none, or a reason, and blocks without a hole', async () => {
  const property = fc.asyncProperty(fc.array(answers, { minLength: 1, maxLength: 12 }), async (script) => {
    const chain = new SimulatedChain({ blocks: 60 })
    let calls = 0
    const handler: RpcHandler = async (request, context) => {
      const step = script[calls++ % script.length]!
      if (step.kind === 'error') return { error: { code: step.code, message: 'no' } }
      if (step.kind === 'throw') throw new RpcError('disconnected', 'gone')
      if (step.kind === 'result') return { result: rawJsonFromValue(step.result) }
      const truth = await chain.handler(request, context)
      if (step.kind === 'truth' || truth.result === undefined || !('value' in truth.result)) return truth
      return { result: rawJsonFromValue({ ...(truth.result.value() as object), [step.name]: step.value }) }
    }
    const source = createFeeSource({ handler, clock: chain.clock, window: 50 })
    const api = createGasApi({ source: () => source, names: {}, clock: chain.clock })
    const reading = source.current()
    for (let i = 0; i < 12; i++) {
      await settle()
      chain.mine(i % 3)
    }
    await reading
    const { status } = await api({ method: 'GET', path: '/networks/1/suggestedGasFees', headers: {} })
    expect([200, 400, 503]).toContain(status)
    const last = await source.current()
    await source.close()
    expect(chain.clock.timers).toBe(0)
    if (last.state !== 'ready') return
    const { blockNumber, history } = last.answer
    expect(history.blocks.map(({ number }) => blockNumber - number).toReversed()).toEqual(
      history.blocks.map((_, back) => back),
    )
  })
  await fc.assert(property, { numRuns: 300 })
}, 60_000)
