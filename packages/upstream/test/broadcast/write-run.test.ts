import { rawJsonFromValue, RpcError, type RpcHandler } from '@wayleave/jsonrpc-core'
import type { Write, WriteOutcome } from '@wayleave/upstream'
import { describe, expect, it, vi } from 'vitest'
import { failing, hanging, held, read, scene, type SceneOptions, settled, reporting, write } from '../pool-scene.ts'
import { answering, call, rejectionOf, resultOf } from '../support.ts'

const known = reporting(-32000, 'already known')
const tooLow = reporting(-32000, 'nonce too low')
const odd = reporting(-32000, 'out of phase')
const poor = reporting(-32000, 'insufficient funds')
const cut = failing('disconnected')
const unsent = failing('connect', { delivery: 'not_sent' })
const done = { result: rawJsonFromValue('the hash') }

/** A transaction whose hash is `the hash`; nodes tell by their words whether they have it, or are asked. */
function sending(init: Partial<Write> = {}): SceneOptions {
  const words: Readonly<Record<string, WriteOutcome>> = {
    'already known': { kind: 'done', response: done },
    'internal error': { kind: 'unknown' },
    'out of phase': { kind: 'absent', response: { error: { code: -32000, message: 'out of phase, and not there' } } },
  }
  const described: Write = {
    isIdempotent: true,
    broadcast: 1,
    mayBeDone: () => false,
    begin() {},
    end() {},
    async outcomeOf({ result, error }, ask): Promise<WriteOutcome> {
      if (error === undefined) {
        const isInvalid = result !== undefined && 'value' in result && result.value() === 'a lie'
        return isInvalid
          ? { kind: 'false', why: new RpcError('invalid_response', 'another hash') }
          : { kind: 'done', response: done }
      }
      if (error.message !== 'nonce too low') return words[error.message] ?? { kind: 'refused' }
      const found = await ask(call('eth_getTransactionByHash')).catch(() => undefined)
      if (found?.result === undefined) return { kind: 'unknown' }
      return 'value' in found.result && found.result.value() === null
        ? { kind: 'refused' }
        : { kind: 'done', response: done }
    },
    inDoubt: (why) => new RpcError(why.code, `${why.message}; in doubt`, { cause: why }),
    ...init,
  }
  return { writeOf: ({ method }) => (method === write.method ? described : undefined) }
}
const once = sending()

/** A node whose nonce is past that of the transaction; `found`: its answer to the question for it. */
const past =
  (found: RpcHandler): RpcHandler =>
  (request, context) =>
    (request.method === write.method ? tooLow : found)(request, context)

describe('a write that has its effect once, however often it arrives', () => {
  it('goes to the next upstream where the first is silent, once to each, and is ended there by the answer', async () => {
    const a = hanging()
    const rig = scene([a.handler, answering('b'), answering('c')], once)
    const answer = rig.pool(write, rig.context)
    await rig.pass(490)
    expect(rig.take()).toBe('a')
    await rig.pass(20)
    expect(rig.take()).toBe('b')
    const response = await answer
    expect([resultOf(response), response.meta]).toEqual(['the hash', { endpoint: 'b', attempts: 2 }])
    expect(a.cancelled).toMatchObject([{ code: 'aborted', message: 'another upstream was faster' }])
    await rig.pass(2_000, 100)
    expect([rig.take(), rig.held(), rig.pending()]).toEqual(['', 0, 0])
  })

  it('waits for no longer than an upstream may usually be silent', async () => {
    const a = held()
    const { pool, context, take, pass } = scene([a.handler, answering('b')], once)
    for (let i = 0; i < 32; i++) {
      const answer = pool(write, context)
      await pass(20)
      a.open.at(-1)!.answer(done)
      await answer
    }
    take()
    const quick = pool(write, context)
    await pass(260)
    expect([take(), (await quick).meta?.endpoint]).toEqual(['ab', 'b'])
  })

  it('is no hedge, and has no second round', async () => {
    const { pool, context, take } = scene([cut, cut], {
      ...once,
      hedging: { counted() {}, afterMs: () => 1, take: () => true },
      retries: { counted() {}, again: () => 0 },
    })
    expect(await rejectionOf(pool(write, context))).toMatchObject({
      code: 'unavailable',
      message: 'no upstream answered: 2 unreachable; in doubt',
    })
    expect(take()).toBe('ab')
  })

  it.each([
    ['breaks off', cut],
    ['fails with a status', failing('http_status', { httpStatus: 502 })],
    ['was not reached', unsent],
    ['has an internal error', reporting(-32603, 'internal error')],
    ['names another hash', answering('a lie')],
  ])('goes to the next upstream where the first one %s', async (_how, first) => {
    const { pool, context, take } = scene([first, answering('b')], once)
    expect(resultOf(await pool(write, context))).toBe('the hash')
    expect(take()).toBe('ab')
  })

  it('that an upstream has already was taken, also by the first one that is asked', async () => {
    for (const handlers of [[known], [cut, known], [unsent, known], [past(answering({}))]]) {
      const { pool, context } = scene([...handlers, cut], once)
      expect(resultOf(await pool(write, context))).toBe('the hash')
    }
  })

  it('whose nonce is used is refused by the one that lacks it alone, whoever else may have it', async () => {
    const rig = scene([cut, past(answering(null)), cut], once)
    expect((await rejectionOf(rig.pool(write, rig.context))).message).toMatch(/; in doubt$/)
    expect(rig.take()).toBe('abbc')
    const alone = scene([past(answering(null)), cut], once)
    expect((await alone.pool(write, alone.context)).error?.message).toBe('nonce too low')
  })

  it('whose nonce is used is in doubt where nobody can look it up', async () => {
    const { pool, context, take } = scene([past(cut), past(cut)], once)
    expect((await rejectionOf(pool(write, context))).message).toMatch(/; in doubt$/)
    expect(take()).toBe('aabb')
  })

  it('that is refused by the only one that was asked is refused', async () => {
    const { pool, context, take } = scene([poor, answering('b')], once)
    expect((await pool(write, context)).error?.message).toBe('insufficient funds')
    expect(take()).toBe('a')
  })

  it('is not refused while another upstream may have taken it: it is in doubt', async () => {
    for (const first of [cut, reporting(-32603, 'internal error'), answering('a lie')]) {
      const { pool, context, take } = scene([first, poor, poor], once)
      expect((await rejectionOf(pool(write, context))).message).toMatch(/; in doubt$/)
      expect(take()).toBe('abc')
    }
  })

  it('that one refuses is waited for where another one is silent, for 5 s', async () => {
    const a = held()
    const late = scene([a.handler, poor], once)
    const answer = late.pool(write, late.context)
    await late.pass(4_000, 50)
    a.open[0]!.answer(done)
    expect(resultOf(await answer)).toBe('the hash')
    const silent = scene([hanging().handler, poor], once)
    const why = rejectionOf(silent.pool(write, silent.context))
    await silent.pass(5_700, 50)
    expect((await why).message).toBe('no upstream answered: 1 timed out; in doubt')
    // The attempt itself has the time of its caller.
    await silent.pass(25_000, 100)
    expect([silent.held(), silent.pending()]).toEqual([0, 0])
  })

  it('that the only one that was asked does not have is told as that says, and is forgotten', async () => {
    const ends: boolean[] = []
    const { pool, context } = scene([odd], sending({ end: (isRefused) => void ends.push(isRefused) }))
    const { error, meta } = await pool(write, context)
    expect([error?.message, meta?.endpoint, ends]).toEqual(['out of phase, and not there', 'a', [true]])
  })

  it('that several do not have, or an earlier call may have sent, is in doubt where their words tell nothing', async () => {
    const several = scene([odd, odd], once)
    expect((await rejectionOf(several.pool(write, several.context))).message).toMatch(/; in doubt$/)
    expect(several.take()).toBe('ab')
    const earlier = scene([odd], sending({ mayBeDone: () => true }))
    expect((await rejectionOf(earlier.pool(write, earlier.context))).message).toMatch(/; in doubt$/)
    const second = scene([odd, answering('b')], once)
    expect(resultOf(await second.pool(write, second.context))).toBe('the hash')
  })

  it('that an earlier call may have sent is in doubt where nobody has it', async () => {
    for (const handler of [poor, unsent]) {
      const { pool, context } = scene([handler], sending({ mayBeDone: () => true }))
      expect((await rejectionOf(pool(write, context))).message).toMatch(/; in doubt$/)
    }
  })

  it('that another call sends meanwhile is in doubt where nobody has it', async () => {
    let isSentElsewhere = false
    const a = held()
    const { pool, context } = scene([a.handler], sending({ mayBeDone: () => isSentElsewhere }))
    const why = rejectionOf(pool(write, context))
    isSentElsewhere = true
    a.open[0]!.answer({ error: { code: -32000, message: 'insufficient funds' } })
    expect((await why).message).toMatch(/; in doubt$/)
  })

  it.each<[string, readonly RpcHandler[], boolean | undefined]>([
    ['taken', [answering('a')], false],
    ['taken by the second one', [unsent, answering('b')], false],
    ['refused by all', [poor], true],
    ['refused by one where another one broke off', [cut, poor], false],
    ['sent to nobody', [unsent, unsent], true],
    ['not answered when its caller leaves', [hanging().handler], false],
    ['not answered by an upstream that was asked before, when its caller leaves', [cut, hanging().handler], false],
  ])('tells whether all that were asked refused it where it was %s', async (_how, handlers, isRefused) => {
    const ends: boolean[] = []
    let begun = 0
    const init = { begin: () => void begun++, end: (refused: boolean) => void ends.push(refused) }
    const { pool, context } = scene(handlers, sending(init))
    const answer = pool(write, context).catch(() => {})
    await settled()
    context.cancel(new RpcError('aborted', 'the caller left'))
    await answer
    await settled()
    expect([ends, begun]).toEqual([[isRefused], handlers.length])
  })

  it('that was done is answered by an error that says so', async () => {
    const late: RpcHandler = async () => ({ error: { code: 4, message: 'no receipt in time' } })
    const { pool, context, take } = scene([late, answering('b')], {
      ...sending({ outcomeOf: (response) => ({ kind: 'done', response }) }),
      verdictOf: () => ({ kind: 'timeout' }),
    })
    expect((await pool(write, context)).error?.message).toBe('no receipt in time')
    expect(take()).toBe('a')
  })

  it('that none was reached with has failed', async () => {
    const { pool, context } = scene([unsent, unsent], once)
    expect(await rejectionOf(pool(write, context))).toMatchObject({
      message: 'no upstream answered: 2 unreachable',
      delivery: 'not_sent',
    })
  })

  it('is in doubt at its deadline where an upstream was asked, and has failed where none was', async () => {
    const asked = scene([hanging().handler], once)
    const why = rejectionOf(asked.pool(write, asked.context))
    await asked.pass(30_000, 500)
    expect(await why).toMatchObject({ code: 'timeout', message: 'no upstream answered: 1 timed out; in doubt' })
    expect([asked.held(), asked.pending()]).toEqual([0, 0])
    const unready = scene([answering('a')], { ...once, ready: () => new Promise(() => {}) })
    const late = rejectionOf(unready.pool(write, unready.context))
    await unready.pass(30_000, 500)
    expect(await late).toMatchObject({ code: 'timeout', message: 'no answer within the time allowed' })
  })

  it('comes once to an upstream that was chosen anew while it was waited for', async () => {
    const ends: (() => void)[] = []
    let isReady = false
    const a = held()
    const { pool, context, take, pass } = scene([a.handler], {
      ...once,
      ready: () => (isReady ? undefined : new Promise((end) => ends.push(end))),
    })
    const answer = pool(write, context)
    await pass(600)
    isReady = true
    for (const end of ends) end()
    await pass(2_000)
    expect(take()).toBe('a')
    a.open[0]!.answer(done)
    expect(resultOf(await answer)).toBe('the hash')
  })

  it('ends with its caller', async () => {
    const a = hanging()
    const { pool, context, held: slots } = scene([a.handler], once)
    const why = rejectionOf(pool(write, context))
    context.cancel(new RpcError('aborted', 'the caller left'))
    expect((await why).message).toBe('the caller left')
    await settled()
    expect([a.cancelled.length, slots()]).toEqual([1, 0])
  })

  it('has the slots that are kept for writes, and waits for one where all are taken', async () => {
    const rig = scene([cut, answering('b')], once)
    const take = vi.spyOn(rig.slots, 'take')
    for (const request of [read, write]) await rig.pool(request, rig.context)
    expect(take.mock.calls.map(([wanted, { repeatable }]) => [wanted.length, repeatable])).toEqual([
      [2, true],
      [1, true],
      [2, false],
      [1, false],
    ])
    const a = held()
    const full = scene([a.handler], { ...once, perEndpoint: 1 })
    const first = full.pool(write, full.context)
    const second = full.pool(write, full.context)
    a.open[0]!.answer(done)
    await first
    await settled()
    a.open[1]!.answer(done)
    expect(resultOf(await second)).toBe('the hash')
  })
})

describe('a write that is broadcast', () => {
  const twice = sending({ broadcast: 2 })

  it('goes to so many at once, and is answered by the first success; the others go on to their end', async () => {
    const a = held()
    const rig = scene([a.handler, answering('b'), answering('c')], twice)
    expect((await rig.pool(write, rig.context)).meta?.endpoint).toBe('b')
    expect([rig.take(), rig.held()]).toEqual(['ab', 1])
    rig.context.cancel(new RpcError('aborted', 'the caller left'))
    await settled()
    expect(rig.held()).toBe(1)
    a.open[0]!.answer(done)
    await settled()
    expect([rig.held(), rig.pending(), rig.take()]).toEqual([0, 0, ''])
  })

  it('leaves nothing behind at the deadline of its caller', async () => {
    const a = hanging()
    const rig = scene([a.handler, answering('b')], twice)
    await rig.pool(write, rig.context)
    rig.context.release()
    await rig.pass(29_900, 100)
    expect(rig.held()).toBe(1)
    await rig.pass(200)
    expect([rig.held(), rig.pending(), a.cancelled[0]?.code]).toEqual([0, 0, 'timeout'])
  })

  it('is refused where all that were asked refuse it, and nobody else is asked', async () => {
    const rig = scene([poor, reporting(-32000, 'underpriced'), answering('c')], twice)
    expect((await rig.pool(write, rig.context)).error?.message).toBe('insufficient funds')
    expect(rig.take()).toBe('ab')
  })

  it('goes to no more upstreams than there are, and to those with a free slot', async () => {
    const rig = scene([answering('a'), answering('b')], { ...sending({ broadcast: 9 }), perEndpoint: 1 })
    await rig.pool(write, rig.context)
    expect(rig.take()).toBe('ab')
    const a = held()
    const full = scene([a.handler, answering('b')], { ...twice, perEndpoint: 1 })
    const first = full.pool(write, full.context)
    await first
    const second = full.pool(write, full.context)
    expect((await second).meta?.endpoint).toBe('b')
    expect(full.take()).toBe('abb')
  })

  it.each([
    ['too long an answer', failing('too_large'), 'abc'],
    [
      'an answer that this host has no room for',
      failing('overloaded', { rpc: { code: -32005, message: 'no' } }),
      'abc',
    ],
    ['a call that the host denies', failing('denied', { delivery: 'not_sent' }), 'abc'],
  ])('waits for the others where one fails by %s', async (_how, end, asked) => {
    const a = held()
    const rig = scene([a.handler, end, end], twice)
    const answer = rig.pool(write, rig.context)
    await rig.pass(100)
    a.open[0]!.answer(done)
    expect([resultOf(await answer), rig.take()]).toEqual(['the hash', asked])
  })

  it('is in doubt where one has too long an answer, and another one refuses', async () => {
    const rig = scene([failing('too_large'), poor], twice)
    expect((await rejectionOf(rig.pool(write, rig.context))).message).toMatch(/; in doubt$/)
    const denied = scene([failing('denied', { delivery: 'not_sent' }), answering('b')], once)
    expect(await rejectionOf(denied.pool(write, denied.context))).toMatchObject({ code: 'denied' })
    expect(denied.take()).toBe('a')
  })

  it('goes to the next upstream in place of one that fails', async () => {
    const rig = scene([unsent, held().handler, answering('c')], twice)
    expect((await rig.pool(write, rig.context)).meta?.endpoint).toBe('c')
    expect(rig.take()).toBe('abc')
  })
})

describe('a write that must not arrive twice', () => {
  const single = sending({ isIdempotent: false })

  it('is at one upstream only, and in doubt where that may have taken it', async () => {
    for (const first of [cut, reporting(-32603, 'internal error'), answering('a lie')]) {
      const { pool, context, take } = scene([first, answering('b')], single)
      expect((await rejectionOf(pool(write, context))).message).toMatch(/; in doubt$/)
      expect(take()).toBe('a')
    }
    const silent = scene([hanging().handler, answering('b')], single)
    const why = rejectionOf(silent.pool(write, silent.context))
    await silent.pass(30_000, 500)
    expect([(await why).message, silent.take()]).toEqual(['no upstream answered: 1 timed out; in doubt', 'a'])
  })

  it('is at one upstream only where an earlier call may have done it, too', async () => {
    const { pool, context, take } = scene([poor, poor], sending({ isIdempotent: false, mayBeDone: () => true }))
    expect((await rejectionOf(pool(write, context))).message).toMatch(/; in doubt$/)
    expect(take()).toBe('a')
  })

  it('goes on where it was not sent', async () => {
    const { pool, context, take } = scene([unsent, answering('b')], single)
    expect(resultOf(await pool(write, context))).toBe('the hash')
    expect(take()).toBe('ab')
  })
})

it('a write that nobody describes is at one upstream only', async () => {
  const a = hanging()
  const other = call('eth_sendBundle')
  const { pool, context, take, pass } = scene([a.handler, answering('b')], once)
  const why = rejectionOf(pool(other, context))
  await pass(5_000, 100)
  expect(take()).toBe('a')
  context.cancel(new RpcError('aborted', 'the caller left'))
  await why
  const broken = scene([cut, answering('b')], once)
  expect(await rejectionOf(broken.pool(other, broken.context))).toMatchObject({ code: 'disconnected' })
  expect(broken.take()).toBe('a')
})
