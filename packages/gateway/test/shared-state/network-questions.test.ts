import { createContext, rawJsonFromValue, type RpcHandler } from '@wayleave/jsonrpc-core'
import { FakeClock } from '@wayleave/jsonrpc-core/testing'
import { expect, it } from 'vitest'
import { askElsewhere, triedAt } from '../../src/network/tried-at.ts'
import { createNetworkQuestions } from '../../src/shared-state/network-questions.ts'
import { askOver } from '../../src/shared-state/rpc-wire.ts'
import { call } from '../support.ts'
import { channelPair } from '../workers/channel-pair.ts'

it('a block that is asked for elsewhere has no answer that was kept, and tells where it is from', async () => {
  const clock = new FakeClock()
  const seen: unknown[] = []
  const nodes: RpcHandler = async (request) => {
    const tried = triedAt.of(request)
    seen.push(tried)
    return { result: rawJsonFromValue([tried ?? 'none']), meta: { endpoint: tried === undefined ? 'a' : 'b' } }
  }
  const { primary, worker } = channelPair()
  createNetworkQuestions({ networks: () => [{ name: 'mainnet', nodes }], clock }).serve(primary)
  const logs = call('eth_getLogs', [{ blockHash: `0x${'7'.repeat(64)}` }])
  const ask = (request = logs) =>
    askOver(
      worker,
      'network.ask',
      { network: 'mainnet', groups: undefined, lane: undefined, tried: triedAt.of(request) },
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
