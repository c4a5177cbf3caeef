import { createContext, rawJsonFromText, rawJsonFromValue, type RpcHandler } from '@wayleave/jsonrpc-core'
import { FakeClock } from '@wayleave/jsonrpc-core/testing'
import { expect, it } from 'vitest'
import { askElsewhere, hintsOf } from '@wayleave/network'
import { createNetworkQuestions } from '../../src/shared-state/network-questions.ts'
import { askFor, askOver, type WireAnswer } from '../../src/shared-state/rpc-wire.ts'
import { call } from '../support.ts'
import { channelPair } from '../workers/channel-pair.ts'

it('an error comes back byte for byte, and a subscription that cannot is ended', async () => {
  const clock = new FakeClock()
  const text = '{"code":-32602,"message":"no such kind","data":{"most":1e21}}'
  let isOpen = true
  const nodes: RpcHandler = async ({ method }) =>
    method === 'eth_subscribe'
      ? { result: rawJsonFromValue('0x1'), subscription: { id: '0x1', open: () => () => void (isOpen = false) } }
      : { error: { code: -32602, message: 'no such kind', data: { most: 1e21 }, raw: rawJsonFromText(text) } }
  const ask = (method: string) =>
    askFor({ method, params: '[]', timeoutMs: 1_000 }, nodes, clock).then(structuredClone<WireAnswer>)
  const { primary, worker } = channelPair()
  primary.serve('ask', () => ask('eth_getLogs'))
  const { error } = await askOver(worker, 'ask', {}, call('eth_getLogs'), createContext({ clock }), clock)
  expect(error).toMatchObject({ code: -32602, message: 'no such kind', data: { most: 1e21 } })
  expect(error!.raw!.text()).toBe(text)
  expect(await ask('eth_subscribe')).toMatchObject({ rejected: { code: 'invalid_response' } })
  expect(isOpen).toBe(false)
})

it('a block that is asked for elsewhere has no answer that was kept, and tells where it is from', async () => {
  const clock = new FakeClock()
  const seen: unknown[] = []
  const nodes: RpcHandler = async (request) => {
    const tried = hintsOf(request).excludedUpstreams
    seen.push(tried)
    return { result: rawJsonFromValue([tried ?? 'none']), meta: { endpoint: tried === undefined ? 'a' : 'b' } }
  }
  const { primary, worker } = channelPair()
  createNetworkQuestions({ networks: () => [{ name: 'mainnet', nodes, pending: undefined }], clock }).serve(primary)
  const logs = call('eth_getLogs', [{ blockHash: `0x${'7'.repeat(64)}` }])
  const ask = (request = logs) =>
    askOver(
      worker,
      'network.ask',
      { network: 'mainnet', groups: undefined, tenant: undefined, tried: hintsOf(request).excludedUpstreams },
      request,
      createContext({ clock }),
      clock,
    )
  const first = await ask()
  expect(first.meta).toEqual({ endpoint: 'a' })
  expect((await ask()).meta).toEqual({ endpoint: 'a' })
  expect(seen).toEqual([undefined])
  const elsewhere = await ask(askElsewhere(logs, [first.meta!]))
  expect(elsewhere.meta).toEqual({ endpoint: 'b' })
  expect(seen).toEqual([undefined, ['a']])
})
