import { createContext, RpcError, type RpcHandler, type RpcRequest, rawJsonFromValue } from '@wayleave/jsonrpc-core'
import { FakeClock } from '@wayleave/jsonrpc-core/testing'
import { expect, it } from 'vitest'
import type { Chain } from '../../src/heads/chain.ts'
import { oneView } from '../../src/heads/one-view.ts'
import { call } from '../support.ts'
import { hintsOf } from '../../src/hints/call-hints.ts'

/** One view over a pool that answers with the first of the params; texts that begin with `head` tell a head. */
function begin({ isDead = false, isHung = false, isLonely = false, mayPass = false } = {}) {
  const waits: (() => void)[] = []
  /** Answers that others have outdone. */
  const outdated = new Set<string>()
  /** The questions to the pool, and the notes of the chain. */
  const notes: string[] = []
  const chain = {
    settled: () =>
      isLonely ? Promise.reject(new Error('no primary')) : new Promise<void>((resolve) => waits.push(resolve)),
    reports: (_request: unknown, { result }: { result?: { text(): string } }) => result?.text().startsWith('"head'),
    unbelieved() {},
    takenBack: (_request: unknown, { result }: { result?: { text(): string } }) =>
      result?.text() === '"short"' ? 'a transaction' : undefined,
    mayPass: () => mayPass,
    overtaken() {},
    needed() {},
    accepted: (_request: unknown, { result }: { result?: { text(): string } }) =>
      result?.text() === '"sent"' ? Promise.resolve(void notes.push('accepted')) : undefined,
    headAfter: ({ method }: RpcRequest) => (method === 'nonce' ? call('head', ['head 8']) : undefined),
    isOutdated: (_request: unknown, { result }: { result?: { text(): string } }) => outdated.has(result!.text()),
  } as unknown as Chain
  const pool: RpcHandler = async (request, context) => {
    const upstream = hintsOf(request).pinnedUpstream
    notes.push(upstream === undefined ? request.method : `${request.method} at ${upstream}`)
    const [answer] = request.params!.value() as unknown[]
    if (answer === 'error') return { error: { code: -32_000, message: 'no' }, meta: { endpoint: 'b' } }
    if (request.method === 'head' && isDead) throw new RpcError('disconnected', 'gone')
    if (request.method === 'head' && isHung) return await new Promise((_, reject) => context.onCancel(reject))
    return { result: rawJsonFromValue(answer), meta: { endpoint: 'b' } }
  }
  const clock = new FakeClock()
  const handler = oneView(pool, chain, () => [], clock)
  const ask = (method: string, answer: string) =>
    handler(call(method, [answer]), createContext({ clock, timeoutMs: 60_000 }))
  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
  /** Lets all that waits go on. */
  const settle = (): Promise<void> => {
    for (const resolve of waits.splice(0)) resolve()
    return turn()
  }
  return { ask, settle, turn, outdated, notes, clock }
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

it('the head of an upstream that does not tell it holds up a nonce for 300 ms', async () => {
  const { ask, settle, turn, clock } = begin({ isHung: true })
  let isAnswered = false
  const asked = ask('nonce', '0x7').then(() => (isAnswered = true))
  await turn()
  clock.advance(299)
  await settle()
  expect(isAnswered).toBe(false)
  clock.advance(1)
  await turn()
  await settle()
  await asked
})

it('where other processes cannot be told, heads are refused, and transactions that were accepted are not', async () => {
  const { ask } = begin({ isLonely: true })
  await expect(ask('any', 'head 7')).rejects.toThrow('no primary')
  expect((await ask('any', 'sent')).result).toBeDefined()
  expect((await ask('nonce', '0x7')).result).toBeDefined()
})

it.each([true, false])(
  'an answer that only lacks what another process accepted is given after the wait: %s',
  async (mayPass) => {
    const { ask, turn, clock } = begin({ mayPass })
    const asked = ask('any', 'short').then(
      () => true,
      () => false,
    )
    for (let i = 0; i < 40; i++) {
      await turn()
      clock.advance(50)
    }
    expect(await asked).toBe(mayPass)
  },
)
