import {
  createContext,
  rawJsonFromText,
  rawJsonFromValue,
  RpcError,
  type RpcHandler,
  type RpcRequest,
} from '@wayleave/jsonrpc-core'
import { FakeClock } from '@wayleave/jsonrpc-core/testing'
import type { HeadUpdate } from '@wayleave/upstream'
import { expect, it } from 'vitest'
import { checkBlockLogs } from '../../src/verification/check-logs.ts'
import type { FollowedChain } from '../../src/heads/followed-chain.ts'
import { streamSubscriptions, type SubscriptionsOptions } from '../../src/streams/subscriptions.ts'
import { logs, parent, receipts, told, withoutBloom } from '../verification/true-block.ts'

/** The stage over one node, which answers after a tenth of a second and tells heads by `tell`. */
function begin(options: Partial<SubscriptionsOptions> = {}) {
  const clock = new FakeClock()
  const listeners = new Set<(update: HeadUpdate) => void>()
  const asked: { readonly method: string; readonly lane: string | undefined }[] = []
  const node = { open: 0 }
  const head = { number: 6, hash: parent.hash }
  const view = {
    head,
    header: rawJsonFromValue(parent),
    wanted() {},
    watch(listener: (update: HeadUpdate) => void) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
  const chain = { view, headToPin: async () => head, tellHead: () => undefined, progress: () => undefined }
  const results: Readonly<Record<string, unknown>> = { eth_getLogs: logs, eth_getBlockReceipts: receipts }
  const next: RpcHandler = async ({ method, params }: RpcRequest, { lane }) => {
    asked.push({ method, lane })
    await new Promise<void>((resolve) => clock.after(100, resolve))
    if (method === 'eth_getBlockByHash') {
      const [hash] = params!.value() as [string]
      return { result: rawJsonFromValue(hash === told.hash ? told : parent) }
    }
    if (method !== 'eth_subscribe') return { result: rawJsonFromValue(results[method]) }
    return {
      result: rawJsonFromText('"0x1"'),
      subscription: {
        id: '0x1',
        open() {
          node.open++
          return () => void node.open--
        },
      },
    }
  }
  const streams = streamSubscriptions({ chain: chain as unknown as FollowedChain, canPush: true, clock, ...options })
  const handler = streams.stage(next)
  function call(lane: string | undefined, ...params: readonly unknown[]) {
    const context = createContext({ clock, lane })
    const request = { method: 'eth_subscribe', params: rawJsonFromValue(params), notification: false }
    return { context, response: handler(request, context) }
  }
  async function settle(ms = 0) {
    for (let passed = 0; ; passed += 50) {
      for (let i = 0; i < 3; i++) await new Promise((resolve) => setImmediate(resolve))
      if (passed >= ms) return
      clock.advance(50)
    }
  }
  async function subscribe(lane: string | undefined, ...params: readonly unknown[]) {
    const { context, response } = call(lane, ...params)
    await settle(500)
    const got: unknown[] = []
    const answer = await response
    if (answer.error !== undefined) throw new Error(answer.error.message)
    const leave = answer.subscription!.open({
      event: (_, result) => got.push(result.value()) > 0,
      gap: () => expect.unreachable(),
      end: () => {},
    })
    context.release()
    await settle(500)
    return { got, leave }
  }
  const tell = (header: unknown): void => {
    const update = { kind: 'new' as const, at: { number: 7, hash: told.hash }, header: rawJsonFromValue(header) }
    for (const listener of listeners) listener(update)
  }
  return { clock, asked, node, streams, call, subscribe, settle, tell }
}

it('callers who leave before their subscription is open leave nothing open', async () => {
  const { clock, node, call, settle } = begin()
  for (let i = 0; i < 20; i++) {
    const { context, response } = call('project', 'newPendingTransactions')
    context.cancel(new RpcError('aborted', 'the caller left'))
    await expect(response).rejects.toMatchObject({ code: 'aborted' })
  }
  await settle(1_000)
  expect([node.open, clock.timers]).toEqual([0, 0])
})

it.each(['consistent', 'proven'] as const)(
  'a header without its bloom filter hides no log and is not told: %s',
  async (verify) => {
    const checkLogs = (ask: RpcHandler) => checkBlockLogs({ endpoints: [{ verify }], chainId: 1, ask })
    const { asked, subscribe, settle, tell } = begin({ checkLogs })
    const [heads, events] = [await subscribe(undefined, 'newHeads'), await subscribe(undefined, 'logs', {})]
    tell(withoutBloom)
    await settle(1_000)
    expect([heads.got, events.got]).toEqual([[told], logs])
    expect(asked.map(({ method }) => method)).toContain('eth_getBlockByHash')
  },
)

it('a header that hashes to its hash is told without a question', async () => {
  const checkLogs = (ask: RpcHandler) => checkBlockLogs({ endpoints: [{ verify: 'consistent' }], chainId: 1, ask })
  const { asked, subscribe, settle, tell } = begin({ checkLogs })
  const heads = await subscribe(undefined, 'newHeads')
  asked.length = 0
  tell(told)
  await settle(1_000)
  expect([heads.got, asked]).toEqual([[told], []])
})

it('projects of the same groups are asked for in a lane of neither', async () => {
  const groupsOf = (lane: string | undefined) => (lane === undefined ? undefined : ['own'])
  const { asked, subscribe, settle, tell } = begin({ groupsOf })
  const heads = [await subscribe('one', 'newHeads'), await subscribe('two', 'newHeads')]
  tell(told)
  await settle(1_000)
  expect(heads.map(({ got }) => got)).toEqual([[told], [told]])
  expect(new Set(asked.map(({ lane }) => lane))).toEqual(new Set(['(streams) own']))
})
