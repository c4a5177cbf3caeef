import { createContext, rawJsonFromValue, RpcError, type RpcHandler } from '@wayleave/jsonrpc-core'
import type { FailureKind } from '@wayleave/upstream'
import { describe, expect, it, vi } from 'vitest'
import { failing, hanging, held, read, scene, type SceneOptions, settled, reporting } from '../pool-scene.ts'
import { answering, call, rejectionOf, resultOf } from '../support.ts'

const foo = call('eth_foo')
const missing = { code: -32601, message: 'method_missing' }
const lack = reporting(missing.code, missing.message)
const options: SceneOptions = {
  isKnown: (method) => method === read.method,
  verdictOf: (_request, { message }) =>
    message === missing.message
      ? { kind: message as FailureKind }
      : message === 'quota'
        ? { kind: 'quota' }
        : undefined,
}
const begin = (handlers: readonly RpcHandler[], further: SceneOptions = {}) =>
  scene(handlers, { ...options, ...further })

describe('a method that is in no table', () => {
  it('is asked of each upstream once a minute while they lack it', async () => {
    const { pool, context, take, pass, clock } = begin([lack, lack])
    expect((await pool(foo, context)).error).toEqual(missing)
    expect(take()).toBe('ab')
    for (let i = 0; i < 1_000; i++) expect((await pool(foo, context)).error).toMatchObject(missing)
    expect(take()).toBe('')
    await pass(60_000, 10_000)
    await pool(foo, createContext({ clock, timeoutMs: 30_000 }))
    expect(take()).toBe('ab')
  })

  it('is refused from memory with the code and message of an upstream, without the data that was for another caller', async () => {
    const raw = rawJsonFromValue({ ...missing, data: { requestId: 'abc' } })
    const { pool, context } = begin([async () => ({ error: { ...missing, data: { requestId: 'abc' }, raw } })])
    expect((await pool(foo, context)).error).toMatchObject({ data: { requestId: 'abc' } })
    const again = (await pool(foo, context)).error
    expect([again?.data, again?.raw?.value()]).toEqual([undefined, missing])
    const verdictOf = () => ({ kind: 'method_missing' }) as const
    const verbose = begin([reporting(missing.code, 'no '.repeat(1_000))], { verdictOf })
    expect((await verbose.pool(foo, verbose.context)).error?.message).toHaveLength(3_000)
    const own = 'the method eth_foo does not exist/is not available'
    expect((await verbose.pool(foo, verbose.context)).error).toEqual({ code: missing.code, message: own })
  })

  it('is asked of one upstream by one call at a time until one is known to have it', async () => {
    const slow = held()
    const { pool, context, take, pass } = begin([lack, slow.handler])
    const calls = Array.from({ length: 10 }, () => pool(foo, context))
    await pass(10)
    expect(take()).toBe('ab')
    slow.open[0]!.answer({ error: missing })
    const answers = await Promise.all(calls)
    expect(answers.map(({ error }) => error?.code)).toEqual(Array(10).fill(-32601))
    expect(take()).toBe('')
    const other = begin([lack, answering('b')])
    const found = await Promise.all(Array.from({ length: 10 }, () => other.pool(foo, other.context)))
    expect(found.map(resultOf)).toEqual(Array(10).fill('b'))
    expect(other.take()).toBe(`a${'b'.repeat(10)}`)
  })

  it.each([
    ['lacks it', lack, 1],
    ['fails each time', failing('http_status', { httpStatus: 502 }), 200],
  ])('waits once at most for other calls where the only upstream %s', async (_what, handler, asked) => {
    const { pool, context, clock, take } = begin([handler])
    const timers = vi.spyOn(clock, 'after')
    await Promise.allSettled(Array.from({ length: 200 }, () => pool(foo, context)))
    expect(take()).toHaveLength(asked)
    // A timer for the wait, and one for the attempt.
    expect(timers.mock.calls.length).toBeLessThanOrEqual(200 + asked)
  })

  it('is not missing for a call that comes while an upstream is asked that may have it', async () => {
    const slow = held()
    const { pool, context, take } = begin([lack, slow.handler])
    const first = pool(foo, context)
    await settled()
    const second = pool(foo, context)
    await settled()
    slow.open[0]!.answer({ result: rawJsonFromValue('b') })
    expect(resultOf(await first)).toBe('b')
    await settled()
    slow.open[1]!.answer({ result: rawJsonFromValue('c') })
    expect(resultOf(await second)).toBe('c')
    expect(take()).toBe('abb')
  })

  it('is asked by the next call that still waits when a turn ends', async () => {
    const slow = held()
    const { pool, context, take } = begin([slow.handler])
    const broken = new RpcError('http_status', 'broken', { httpStatus: 502 })
    const forks = [1, 2, 3].map(() => context.fork({}))
    const outcomes = forks.map((fork) => rejectionOf(pool(foo, fork.context)))
    forks[1]!.cancel(new RpcError('aborted', 'its caller left'))
    expect(take()).toBe('a')
    slow.open[0]!.fail(broken)
    await settled()
    expect(take()).toBe('a')
    slow.open[1]!.fail(broken)
    expect(await Promise.all(outcomes)).toMatchObject(
      ['http_status', 'aborted', 'http_status'].map((code) => ({ code })),
    )
    void pool(foo, context).catch(() => {})
    expect(take()).toBe('a')
  })

  it('is not held up for more than a second by a call of the same method that hangs', async () => {
    const { handler } = hanging()
    const { pool, take, pass, clock } = begin([handler, answering('b')])
    const first = rejectionOf(pool(foo, createContext({ clock, timeoutMs: 30_000 })))
    const second = pool(foo, createContext({ clock, timeoutMs: 5_000 }))
    const third = rejectionOf(pool(foo, createContext({ clock, timeoutMs: 500 })))
    await pass(1_100, 50)
    expect(resultOf(await second)).toBe('b')
    expect(await third).toMatchObject({ code: 'timeout' })
    expect(take()).toBe('ab')
    await pass(30_000, 1_000)
    expect(await first).toMatchObject({ code: 'timeout' })
  })

  it.each([
    ['fails', failing('http_status', { httpStatus: 502 })],
    ['is unreachable', failing('connect', { delivery: 'not_sent' })],
    ['refuses the key', failing('http_status', { httpStatus: 401 })],
    ['is out of quota', reporting(-32005, 'quota')],
  ])('is missing where those that answered lack it and another one %s', async (_what, broken) => {
    for (const fallbacks of ['', 'c']) {
      const { pool, context, take } = begin([lack, lack, broken], { fallbacks })
      for (let i = 0; i < 20; i++) expect((await pool(foo, context)).error?.code).toBe(-32601)
      expect(take()).toBe('abc')
    }
  })

  it('is missing from the second call on where the upstream that is asked first may have done the first one', async () => {
    const { pool, context, take } = begin([failing('http_status', { httpStatus: 502 }), lack, lack])
    expect(await rejectionOf(pool(foo, context))).toMatchObject({ code: 'http_status' })
    for (let i = 0; i < 20; i++) expect((await pool(foo, context)).error?.code).toBe(-32601)
    expect(take()).toBe('abc')
  })

  it('is missing at once while an upstream is not known yet that is not known to have it', async () => {
    const { pool, context, take, pass } = begin([answering('a'), lack, lack], {
      ready: ({ endpoint }) => (endpoint.name === 'a' ? new Promise(() => {}) : undefined),
    })
    const answer = pool(foo, context)
    await pass(1_100, 50)
    expect((await answer).error).toEqual(missing)
    expect(take()).toBe('bc')
  })

  it('is an outage while the upstream is away that has answered it, if by an error about the call', async () => {
    for (const first of [answering('b'), reporting(-32602, 'invalid params')]) {
      const handlers: RpcHandler[] = [lack, first]
      const { pool, context } = begin([lack, (...args) => handlers[1]!(...args)])
      await pool(foo, context)
      handlers[1] = failing('connect', { delivery: 'not_sent' })
      for (let i = 0; i < 20; i++) expect(await rejectionOf(pool(foo, context))).toMatchObject({ code: 'unavailable' })
      handlers[1] = answering('b')
      expect(resultOf(await pool(foo, context))).toBe('b')
    }
  })

  it('is an outage for a group whose upstream is away, though one of another group lacks it', async () => {
    const { pool, clock, take } = begin([lack, failing('connect', { delivery: 'not_sent' })], {
      groupsOfName: (name) => [name],
      groupsOf: ({ tenant }) => [tenant!],
    })
    const ask = (tenant: string) => pool(foo, createContext({ clock, timeoutMs: 30_000, tenant }))
    for (let i = 0; i < 3; i++) {
      expect((await ask('a')).error).toMatchObject(missing)
      expect(await rejectionOf(ask('b'))).toMatchObject({ code: 'unavailable' })
    }
    expect(take()).toBe('abbb')
  })

  it('is asked each time of an upstream that answers it by an error of other words', async () => {
    const { pool, context, take } = begin([lack, reporting(-32000, 'something else')], { fallbacks: 'b' })
    for (let i = 0; i < 3; i++) expect((await pool(foo, context)).error?.message).toBe('something else')
    expect(take()).toBe('abbb')
  })

  it('is asked each time of the only upstream that fails', async () => {
    const { pool, context, take } = begin([failing('http_status', { httpStatus: 502 })])
    for (let i = 0; i < 3; i++) expect(await rejectionOf(pool(foo, context))).toMatchObject({ code: 'http_status' })
    expect(take()).toBe('aaa')
  })
})

describe('a write that may have been done', () => {
  const broken = failing('http_status', { httpStatus: 502 })
  const deadline = ({ clock }: ReturnType<typeof begin>) => createContext({ clock, timeoutMs: 5_000 })

  it.each([
    ['is in a table', 'eth_sendTransaction'],
    ['says by its name that it sends something', 'mev_sendBundle'],
    ['says by its name that it submits something', 'relay_submitBlock'],
  ])('is no missing method where it %s, though others lack it', async (_what, method) => {
    const further = { isKnown: (name: string) => name === 'eth_sendTransaction' }
    const failed = begin([lack, lack, broken], further)
    expect(await rejectionOf(failed.pool(call(method), failed.context))).toMatchObject({ code: 'http_status' })
    expect(failed.take()).toBe('abc')
    const late = begin([lack, lack, hanging().handler], further)
    const answer = rejectionOf(late.pool(call(method), deadline(late)))
    await late.pass(5_000, 100)
    expect(await answer).toMatchObject({ code: 'timeout' })
    expect(late.take()).toBe('abc')
  })

  it('is a missing method where it says so by no name, or where no upstream was left to do it', async () => {
    const late = begin([lack, lack, hanging().handler])
    const answer = late.pool(call('eth_getSendersOfBlock'), deadline(late))
    await late.pass(5_000, 100)
    expect((await answer).error).toEqual(missing)
    const { pool, context } = begin([lack, failing('connect', { delivery: 'not_sent' })])
    expect((await pool(call('mev_sendBundle'), context)).error).toEqual(missing)
  })
})

describe('a fallback', () => {
  const named = (i: number) => call(`eth_foo${i}`)

  it('is tried for a method in no table once a minute, and always asked for one that it has', async () => {
    const { pool, context, take } = begin([lack, lack, answering('c')], { fallbacks: 'c' })
    for (let i = 0; i < 5; i++) expect(resultOf(await pool(foo, context))).toBe('c')
    expect(take()).toBe('abccccc')
    const other = begin([lack, lack], { fallbacks: 'b' })
    for (let i = 0; i < 5; i++) expect((await other.pool(foo, other.context)).error?.code).toBe(-32601)
    expect(other.take()).toBe('ab')
  })

  it('is tried for ten of the made-up names of a project a minute', async () => {
    const { pool, clock, take, pass } = begin([lack, lack], { fallbacks: 'b' })
    const contextOf = (tenant: string) => createContext({ clock, timeoutMs: 30_000, tenant })
    for (let i = 0; i < 1_000; i++) await pool(named(i), contextOf('one'))
    const asked = take()
    expect([asked.replaceAll('b', '').length, asked.replaceAll('a', '').length]).toEqual([1_000, 10])
    // All names are remembered, and other projects have trials of their own.
    for (let i = 0; i < 1_000; i++) await pool(named(i), contextOf('one'))
    expect(take()).toBe('')
    await pool(call('eth_bar'), contextOf('other'))
    expect(take()).toBe('ab')
    await pass(60_000, 10_000)
    for (let i = 0; i < 30; i++) await pool(named(2_000 + i), contextOf('one'))
    expect(take().replaceAll('a', '')).toHaveLength(10)
  })

  it('is never tried for a name that is too long to be remembered', async () => {
    const { pool, context, take } = begin([lack, answering('b')], { fallbacks: 'b' })
    const long = call(`eth_${'o'.repeat(200)}`)
    expect((await pool(long, context)).error).toEqual(missing)
    expect((await pool(long, context)).error).toEqual(missing)
    expect(take()).toBe('aa')
  })

  it('takes calls of a method in a table as ever', async () => {
    const { pool, context, take } = begin([lack, answering('b')], { fallbacks: 'b' })
    for (let i = 0; i < 3; i++) expect(resultOf(await pool(read, context))).toBe('b')
    expect(take()).toBe('abbb')
  })
})

describe('what is remembered of projects', () => {
  const callOf = (method: string, project: string) =>
    ({ request: call(method), class: 'write', now: 0, isUnknown: true, project }) as const

  it('are 4,096 names, of which a project forgets its own first', async () => {
    const { selection, candidates } = begin([lack])
    const { trials } = selection
    const [candidate] = candidates
    for (const project of ['a', 'b', 'c', 'd', 'e', 'e']) {
      for (let i = 0; i < 2_000; i++) trials.began(candidate!, callOf(`${project}${i}`, project))
    }
    const of = (project: string) =>
      Array.from({ length: 2_000 }, (_, i) => trials.wasTried(candidate!, callOf(`${project}${i}`, project))).filter(
        Boolean,
      )
    expect(['a', 'b', 'c', 'd', 'e'].map((project) => of(project).length)).toEqual([0, 1_024, 1_024, 1_024, 1_024])
  })

  it('are the trials of a thousand, of which the one that asked last is forgotten last', () => {
    const { selection, candidates } = begin([lack], { fallbacks: 'a' })
    const { trials } = selection
    const [fallback] = candidates
    const isSpent = () => trials.isBarred(fallback!, callOf('eth_next', 'active'))
    for (let i = 0; i < 10; i++) trials.began(fallback!, callOf(`eth_foo${i}`, 'active'))
    for (let i = 0; i < 2_500; i++) {
      trials.began(fallback!, callOf('eth_bar', `other${i}`))
      if (i % 900 === 0) expect(isSpent()).toBe(true)
    }
    for (let i = 0; i < 1_000; i++) trials.began(fallback!, callOf('eth_bar', `further${i}`))
    expect(isSpent()).toBe(false)
  })
})
