import { FakeClock } from '@wayleave/jsonrpc-core/testing'
import { rawJsonFromValue, RpcError, type RpcHandler, type RpcResponse } from '@wayleave/jsonrpc-core'
import { expect, it } from 'vitest'
import { GatewayContext } from '../../src/context/context.ts'
import { traceCalls } from '../../src/rpc/stages/trace-calls.ts'
import { traceOf } from '../../src/trace/call-trace.ts'
import { createCallRecorder } from '../../src/trace/recorder.ts'
import { call, principalOf } from '../support.ts'

/** Calls that are answered after a time, under ids that count from 1. */
function begin() {
  const clock = new FakeClock()
  const recorder = createCallRecorder({ clock })
  const answer: RpcResponse = { result: rawJsonFromValue('0x1'), meta: { endpoint: 'a', attempts: 1 } }
  const principal = principalOf({ id: 'p', name: 'p', requireSecret: false })
  let calls = 0
  async function serveBy(handler: RpcHandler<GatewayContext>): Promise<string> {
    const traceId = String(++calls)
    const trace = traceCalls({
      network: 'mainnet',
      methods: new Set(['eth_gasPrice']),
      candidates: () => [],
      recorder,
      tracer: { ended() {}, batchEnded() {} },
      clock,
    })
    const context = new GatewayContext(
      { clock, deadline: clock.now() + 60_000 },
      { principal, network: 'mainnet', traceId },
    )
    await trace(handler as RpcHandler)(call('eth_gasPrice'), context).catch(() => {})
    context.release()
    return traceId
  }
  async function serve(ms: number): Promise<string> {
    return serveBy(async () => {
      clock.advance(ms)
      return answer
    })
  }
  return { clock, recorder, serve, serveBy }
}

it('lists a call from a second on, and remembers it beyond the thousand that went well', async () => {
  const { recorder, serve } = begin()
  const well = await serve(999)
  const slow = await serve(1_000)
  expect(recorder.last(9).map(({ id, ms, cause }) => [id, ms, cause])).toEqual([
    [slow, 1_000, 'answered by a after 1.0 s'],
  ])
  expect(recorder.find(well)).toMatchObject([{ outcome: 'answered', ms: 999, upstream: 'a' }])
  for (let i = 0; i < 1_023; i++) await serve(1)
  expect(recorder.find(well)).toHaveLength(1)
  await serve(1)
  expect([recorder.find(well).length, recorder.find(slow).length]).toEqual([0, 1])
})

it('tells of a caller who left which upstream was asked then, and for how long it had been silent', async () => {
  const { clock, recorder, serveBy } = begin()
  const id = await serveBy(async (_request, context) => {
    const trace = traceOf(context)!
    trace.mark('asked', clock.now(), 'a')
    clock.advance(400)
    trace.mark('failed', 400, 'a', 'unreachable')
    trace.mark('asked', clock.now(), 'b')
    clock.advance(2_600)
    throw new RpcError('aborted', 'the caller closed the connection')
  })
  const cause = 'the caller closed the connection after 3.0 s, while b had not answered for 2.6 s'
  expect(recorder.find(id)).toMatchObject([{ outcome: 'cancelled', cause }])
})

it('tells a hundred calls of one id at most, the last ones', async () => {
  const { recorder } = begin()
  for (let at = 0; at < 150; at++) recorder.refused({ id: `f.${at}`, at, status: 401, message: 'no' })
  const reported = recorder.find('f').map(({ id }) => id)
  expect([reported.length, reported[0], reported.at(-1)]).toEqual([100, 'f.149', 'f.50'])
  // An id is none that it begins.
  expect(recorder.find('f.1')).toHaveLength(1)
})
