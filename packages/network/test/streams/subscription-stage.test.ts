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
import { logs, parent, receipts, reported, withoutBloom } from '../verification/true-block.ts'

/** The stage over one node, which answers after a tenth of a second and tells heads by `tell`. */
function begin(options: Partial<SubscriptionsOptions> = {}) {
  const clock = new FakeClock()
  const listeners = new Set<(update: HeadUpdate) => void>()
  const asked: { readonly method: string; readonly tenant: string | undefined }[] = []
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
  const chain = { view, headToPin: async () => head, reportHead: () => undefined, progress: () => undefined }
  const results: Readonly<Record<string, unknown>> = { eth_getLogs: logs, eth_getBlockReceipts: receipts }
  const next: RpcHandler = async ({ method, params }: RpcRequest, { tenant }) => {
    asked.push({ method, tenant })
    await new Promise<void>((resolve) => clock.after(100, resolve))
    if (method === 'eth_getBlockByHash') {
      const [hash] = params!.value() as [string]
      return { result: rawJsonFromValue(hash === reported.hash ? reported : parent) }
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
  function call(tenant: string | undefined, ...params: readonly unknown[]) {
    const context = createContext({ clock, tenant })
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
  async function subscribe(tenant: string | undefined, ...params: readonly unknown[]) {
    const { context, response } = call(tenant, ...params)
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
  const report = (header: unknown): void => {
    const update = { kind: 'new' as const, at: { number: 7, hash: reported.hash }, header: rawJsonFromValue(header) }
    for (const listener of listeners) listener(update)
  }
  return { clock, asked, node, streams, call, subscribe, settle, report }
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
    const { asked, subscribe, settle, report } = begin({ checkLogs })
    const [heads, events] = [await subscribe(undefined, 'newHeads'), await subscribe(undefined, 'logs', {})]
    report(withoutBloom)
    await settle(1_000)
    expect([heads.got, events.got]).toEqual([[reported], logs])
    expect(asked.map(({ method }) => method)).toContain('eth_getBlockByHash')
  },
)

it('a header that hashes to its hash is told without a question', async () => {
  const checkLogs = (ask: RpcHandler) => checkBlockLogs({ endpoints: [{ verify: 'consistent' }], chainId: 1, ask })
  const { asked, subscribe, settle, report } = begin({ checkLogs })
  const heads = await subscribe(undefined, 'newHeads')
  asked.length = 0
  report(reported)
  await settle(1_000)
  expect([heads.got, asked]).toEqual([[reported], []])
})

it('projects of the same groups are asked for in a tenant of neither', async () => {
  const groupsOf = (tenant: string | undefined) => (tenant === undefined ? undefined : ['own'])
  const { asked, subscribe, settle, report } = begin({ groupsOf })
  const heads = [await subscribe('one', 'newHeads'), await subscribe('two', 'newHeads')]
  report(reported)
  await settle(1_000)
  expect(heads.map(({ got }) => got)).toEqual([[reported], [reported]])
  expect(new Set(asked.map(({ tenant }) => tenant))).toEqual(new Set(['(streams) own']))
})
