import { rawJsonFromText, RpcError, type RpcHandler, systemClock } from '@wayleave/jsonrpc-core'
import { expect, it } from 'vitest'
import { createTurns } from '@wayleave/upstream'
import { GatewayContext } from '../../../src/context/context.ts'
import { limitBatches } from '../../../src/rpc/stages/limit-batches.ts'
import { call, principalOf, rejectionOf, sleep } from '../../support.ts'

function scene(maxBatchInFlight: number) {
  const held: { answer(): void; fail(why: RpcError): void }[] = []
  const below: RpcHandler<GatewayContext> = () =>
    new Promise((resolve, reject) => {
      held.push({ answer: () => resolve({ result: rawJsonFromText('1') }), fail: reject })
    })
  const handler = limitBatches({ maxBatchInFlight, turns: createTurns({ nextTurn: setImmediate }) })(
    below as RpcHandler,
  )
  const context = (size?: number) =>
    new GatewayContext(
      { clock: systemClock, deadline: Infinity, batch: size === undefined ? undefined : { size } },
      { principal: principalOf({ id: 'p', name: 'p', requireSecret: false }), network: 'mainnet', traceId: 't' },
    )
  return { held, handler, context }
}

it('some calls of a batch go at once, and each that ends lets one more go', async () => {
  const { held, handler, context } = scene(2)
  const batch = context(5)
  const answers = Array.from({ length: 5 }, () => handler(call('a'), batch))
  expect(held).toHaveLength(2)
  held[0]!.answer()
  await answers[0]
  expect(held).toHaveLength(3)
  held[1]!.fail(new RpcError('disconnected', 'it broke'))
  await rejectionOf(answers[1]!)
  expect(held).toHaveLength(4)
  held[2]!.answer()
  held[3]!.answer()
  await Promise.all(answers.slice(2, 4))
  held[4]!.answer()
  await answers[4]
  // The places are free again.
  void handler(call('a'), batch)
  void handler(call('a'), batch)
  expect(held).toHaveLength(7)
})

it('other batches and single calls are not counted', () => {
  const { held, handler, context } = scene(1)
  for (const one of [context(2), context(2), context(), context(), context()]) void handler(call('a'), one)
  expect(held).toHaveLength(5)
})

it('a batch that is cancelled ends those that wait, without asking for them', async () => {
  const { held, handler, context } = scene(1)
  const batch = context(3)
  const answers = Array.from({ length: 3 }, () => rejectionOf(handler(call('a'), batch)))
  const gone = new RpcError('aborted', 'the caller left')
  batch.cancel(gone)
  held[0]!.fail(gone)
  expect(await Promise.all(answers)).toEqual([gone, gone, gone])
  await sleep(0)
  expect(held).toHaveLength(1)
})
