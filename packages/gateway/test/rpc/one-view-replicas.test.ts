import { createContext, RpcError, type RpcHandler, type RpcRequest, rawJsonFromValue } from '@wayleave/jsonrpc-core'
import { FakeClock } from '@wayleave/jsonrpc-core/testing'
import { expect, it } from 'vitest'
import type { Chain } from '../../src/rpc/chain.ts'
import { keptAt } from '../../src/rpc/kept-at.ts'
import { oneView } from '../../src/rpc/one-view.ts'
import { call } from '../support.ts'

/** One view over a pool that answers with the first of the params; texts that begin with `head` tell a head. */
function begin({ isDead = false } = {}) {
  const waits: (() => void)[] = []
  /** Answers that others have outdone. */
  const outdated = new Set<string>()
  /** What the pool was asked, and what was noted. */
  const notes: string[] = []
  const chain = {
    settled: () => new Promise<void>((resolve) => waits.push(resolve)),
    tells: (_request: unknown, { result }: { result?: { text(): string } }) => result?.text().startsWith('"head'),
    unbelieved() {},
    takenBack() {},
    overtaken() {},
    needed() {},
    accepted: (_request: unknown, { result }: { result?: { text(): string } }) =>
      result?.text() === '"sent"' ? Promise.resolve(void notes.push('accepted')) : undefined,
    headAfter: ({ method }: RpcRequest) => (method === 'nonce' ? call('head', ['head 8']) : undefined),
    isOutdated: (_request: unknown, { result }: { result?: { text(): string } }) => outdated.has(result!.text()),
  } as unknown as Chain
  const pool: RpcHandler = async (request) => {
    const upstream = keptAt.of(request)
    notes.push(upstream === undefined ? request.method : `${request.method} at ${upstream}`)
    const [answer] = request.params!.value() as unknown[]
    if (answer === 'error') return { error: { code: -32_000, message: 'no' }, meta: { endpoint: 'b' } }
    if (request.method === 'head' && isDead) throw new RpcError('disconnected', 'gone')
    return { result: rawJsonFromValue(answer), meta: { endpoint: 'b' } }
  }
  const handler = oneView(pool, chain, () => [], new FakeClock())
  const ask = (method: string, answer: string) => handler(call(method, [answer]), createContext({ timeoutMs: 60_000 }))
  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
  /** Lets all that waits go on. */
  const settle = (): Promise<void> => {
    for (const resolve of waits.splice(0)) resolve()
    return turn()
  }
  return { ask, settle, turn, outdated, notes }
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

it('an answer that others have outdone while it waited is asked for again, a few times at most', async () => {
  const { ask, settle, turn, outdated } = begin()
  outdated.add('"head 7"')
  let answers = 0
  const asked = ask('any', 'head 7').then(() => answers++)
  await turn()
  for (let i = 0; i < 3; i++) await settle()
  expect(answers).toBe(0)
  await settle()
  await asked
  expect(answers).toBe(1)
})

it('a nonce counts as told at the head of the upstream that answered, which is asked before it is passed on', async () => {
  const { ask, settle, turn, notes } = begin()
  let isAnswered = false
  const asked = ask('nonce', '0x7').then(() => (isAnswered = true))
  await turn()
  expect(notes).toEqual(['nonce', 'head at b'])
  expect(isAnswered).toBe(false)
  await settle()
  await asked
  expect((await ask('nonce', 'error')).error?.code).toBe(-32_000)
  expect(notes).toEqual(['nonce', 'head at b', 'nonce'])
})

it('a nonce is passed on all the same where that head cannot be had', async () => {
  const { ask, settle, turn } = begin({ isDead: true })
  const asked = ask('nonce', '0x7')
  await turn()
  await settle()
  expect((await asked).result).toBeDefined()
})

it('an accepted transaction is noted before it is answered', async () => {
  const { ask, settle, turn, notes } = begin()
  let isAnswered = false
  const asked = ask('any', 'sent').then(() => (isAnswered = true))
  await turn()
  expect([notes, isAnswered]).toEqual([['any', 'accepted'], false])
  await settle()
  await asked
})
