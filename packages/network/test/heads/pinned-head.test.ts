import { createContext, rawJsonFromValue, type RpcHandler } from '@wayleave/jsonrpc-core'
import { FakeClock } from '@wayleave/jsonrpc-core/testing'
import { createLog } from '@wayleave/telemetry'
import { createMemoryPort, createSharedView } from '@wayleave/stores/shared-state'
import { expect, it } from 'vitest'
import { evm } from '../../src/kinds/evm.ts'
import { createChain } from '../../src/heads/chain.ts'
import { pinnedHead } from '../../src/heads/pinned-head.ts'
import { testChain } from '../chain-node.ts'
import { sleep } from '../support.ts'

/** The chain of two endpoints, and the times that a call had to ask for its head. */
function begin() {
  const clock = new FakeClock()
  const blocks = testChain(500)
  const handler: RpcHandler = async ({ method }) => ({
    result: rawJsonFromValue(method === 'eth_chainId' ? '0x1' : blocks.block(blocks.height)),
  })
  const endpoints = ['a', 'b'].map((name) => ({ name, handler, carriesSubscriptions: false }))
  const reader = evm.heads('0x1')
  const log = createLog({ level: 'silent' })
  const reported = createSharedView(createMemoryPort(clock), 'mainnet')
  const chain = createChain({
    network: 'mainnet',
    kind: evm,
    endpoints,
    reader,
    reported,
    clock,
    log,
    isOnDemand: () => false,
    projects: { reads: () => undefined, writes: () => undefined, isPrivate: () => false },
    mayExamine: () => false,
    mayAsk: () => true,
    onAsk() {},
  })
  const asked: string[] = []
  const ask: RpcHandler = (request, context) => {
    asked.push(request.method)
    return handler(request, context)
  }
  const find = pinnedHead(chain, ask, reader, clock)!
  const settle = async (ms: number): Promise<void> => {
    for (let at = 0; at < ms; at += 100) {
      clock.advance(100)
      await sleep(0)
    }
  }
  return {
    clock,
    blocks,
    chain,
    reported,
    asked,
    settle,
    pin: async () => (await find(createContext({ clock }))).number,
  }
}

it('a head that is followed is pinned without a question, and counts as told', async () => {
  const { blocks, chain, reported, asked, settle, pin } = begin()
  chain.view.wanted()
  await settle(1_000)
  expect(await pin()).toBe(500)
  expect(reported.head).toBe(500)
  blocks.height++
  await settle(3_000)
  expect(await pin()).toBe(501)
  expect(asked).toEqual([])
  await chain.view.close()
})

it('a head that callers were told, and that is not served yet, is asked for', async () => {
  const { blocks, chain, reported, asked, settle, pin } = begin()
  chain.view.wanted()
  await settle(1_000)
  blocks.height++
  reported.raise(501)
  expect(await pin()).toBe(501)
  expect(asked).toEqual(['eth_getBlockByNumber'])
  await chain.view.close()
})

it('a head that nobody has watched for a while is asked for', async () => {
  const { clock, blocks, chain, asked, settle, pin } = begin()
  chain.view.wanted()
  await settle(1_000)
  await settle(70_000)
  clock.advance(3_600_000)
  blocks.height += 300
  expect(await pin()).toBe(800)
  expect(asked).toEqual(['eth_getBlockByNumber'])
  await settle(1_000)
  expect(await pin()).toBe(800)
  expect(asked).toHaveLength(1)
  await chain.view.close()
})
