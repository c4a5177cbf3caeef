import { createContext, type RpcHandler, rawJsonFromValue, RpcError, type RpcSink } from '@wayleave/jsonrpc-core'
import { FakeClock } from '@wayleave/jsonrpc-core/testing'
import { expect, it } from 'vitest'
import type { Chain } from '../../src/rpc/chain.ts'
import { oneView } from '../../src/rpc/one-view.ts'
import { call } from '../support.ts'

/** One view over a pool that answers with the first of the params; texts that begin with `head` tell a head. */
function begin() {
  const waits: (() => void)[] = []
  const chain = {
    settled: () => new Promise<void>((resolve) => waits.push(resolve)),
    tells: (_request: unknown, { result }: { result?: { text(): string } }) => result?.text().startsWith('"head'),
    pushed() {},
    unbelieved() {},
    takenBack() {},
    overtaken() {},
    needed() {},
  } as unknown as Chain
  const source: { sink?: RpcSink; isLeft?: boolean } = {}
  const pool: RpcHandler = async ({ method, params }) => {
    const result = rawJsonFromValue((params!.value() as unknown[])[0])
    if (method !== 'eth_subscribe') return { result }
    const open = (sink: RpcSink) => {
      source.sink = sink
      return () => void (source.isLeft = true)
    }
    return { result, subscription: { id: '0x1', open } }
  }
  const handler = oneView(pool, chain, () => [], new FakeClock())
  const ask = (method: string, answer: string) => handler(call(method, [answer]), createContext({ timeoutMs: 60_000 }))
  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
  /** Lets all that waits go on. */
  const settle = (): Promise<void> => {
    for (const resolve of waits.splice(0)) resolve()
    return turn()
  }
  return { ask, source, waits, settle, turn }
}

it('an answer that tells a head waits until replicas know it, and no other one does', async () => {
  const { ask, settle, turn } = begin()
  const answered: string[] = []
  const note = async (answer: string): Promise<void> => {
    const { result } = await ask('any', answer)
    answered.push((result as { text(): string }).text())
  }
  const all = [note('head 7'), note('other')]
  await turn()
  expect(answered).toEqual(['"other"'])
  await settle()
  await Promise.all(all)
  expect(answered).toEqual(['"other"', '"head 7"'])
})

it('pushed heads wait, too, and all that comes after them in its order; nothing comes after their caller has left', async () => {
  const { ask, source, settle, turn } = begin()
  const got: unknown[] = []
  const { subscription } = (await ask('eth_subscribe', 'newHeads')) as never as {
    subscription: { open(sink: RpcSink): () => void }
  }
  const leave = subscription.open({
    event: (_method, result) => got.push(result.value()) > 0,
    gap: ({ reason }) => void got.push(reason),
    end: (why) => void got.push(why?.message),
  })
  const sink = source.sink!
  const push = (text: string): boolean => sink.event('eth_subscription', rawJsonFromValue(text))
  push('first')
  expect(got.splice(0)).toEqual(['first'])
  push('head 1')
  push('second')
  push('head 2')
  sink.gap({ reason: 'missed' })
  sink.end(new RpcError('unavailable', 'gone'))
  await turn()
  expect(got).toEqual([])
  await settle()
  expect(got.splice(0)).toEqual(['head 1', 'second', 'head 2', 'missed', 'gone'])
  push('third')
  expect(got.splice(0)).toEqual(['third'])
  push('head 3')
  leave()
  await settle()
  expect([got, source.isLeft]).toEqual([[], true])
})
