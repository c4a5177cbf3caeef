import { rawJsonFromText, type RpcResponse, systemClock } from '@wayleave/jsonrpc-core'
import { createByteBudget, Holding } from '@wayleave/http-server'
import { createTurns } from '@wayleave/upstream'
import { describe, expect, it } from 'vitest'
import { GatewayContext } from '../../../src/context/context.ts'
import { holdResults } from '../../../src/rpc/stages/hold-results.ts'
import { call, principalOf, rejectionOf } from '../../support.ts'

/** A call of a batch whose project may hold `capacity` bytes. */
function scene(response: RpcResponse, capacity = 100_000_000) {
  const turns = createTurns({ nextTurn: setImmediate })
  const holding = new Holding(createByteBudget({ capacity, turns, onRefused() {} }).account('p'))
  const principal = principalOf({ id: 'p', name: 'p', requireSecret: false })
  const context = new GatewayContext(
    { clock: systemClock, deadline: Infinity, batch: { size: 1 } },
    { principal, network: 'mainnet', traceId: 't', holding },
  )
  return { holding, answer: () => holdResults(async () => response)(call('a'), context) }
}

describe.each<[what: string, answerOf: (length: number) => RpcResponse]>([
  ['a result', (length) => ({ result: rawJsonFromText(`"${'x'.repeat(length - 2)}"`) })],
  [
    'an error of a node',
    (length) => ({ error: { code: 3, message: 'reverted', raw: rawJsonFromText(`"${'x'.repeat(length - 2)}"`) } }),
  ],
])('%s of a batch', (_, answerOf) => {
  it.each([10_000, 1_000_000])('of %i bytes is charged with all of them', async (length) => {
    const response = answerOf(length)
    const { holding, answer } = scene(response)
    expect(await answer()).toBe(response)
    expect(holding.results).toBe(length)
  })

  it('that may not be held is refused', async () => {
    const { holding, answer } = scene(answerOf(1_000_000), 500_000)
    expect(await rejectionOf(answer())).toMatchObject({ code: 'overloaded' })
    expect(holding.results).toBe(0)
  })
})
