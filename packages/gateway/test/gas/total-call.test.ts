import { rawJsonFromValue, type RpcHandler } from '@wayleave/jsonrpc-core'
import { FakeClock } from '@wayleave/jsonrpc-core/testing'
import { expect, it } from 'vitest'
import type { GatewayContext } from '../../src/context/context.ts'
import { askFor } from '../../src/gas/total-call.ts'
import { principalOf } from '../support.ts'

it('the questions of a total share its time', async () => {
  const clock = new FakeClock()
  const left: number[] = []
  const calls: RpcHandler<GatewayContext> = async (_request, { deadline }) => {
    left.push(deadline - clock.now())
    clock.advance(300)
    return { result: rawJsonFromValue('0x1') }
  }
  const principal = principalOf({ id: 'p', name: 'p', requireSecret: false })
  const total = { query: '', principal, traceId: 't', asked: 0 }
  const ask = askFor(total, { network: 'mainnet', calls, clock, timeoutMs: 1_000, signal: undefined })
  for (let i = 0; i < 3; i++) await ask({ method: 'eth_call', params: [] })
  expect(left).toEqual([1_000, 700, 400])
})
