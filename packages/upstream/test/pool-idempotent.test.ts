import { rawJsonFromValue, RpcError, type RpcHandler } from '@wayleave/jsonrpc-core'
import { describe, expect, it, vi } from 'vitest'
import { failing, hanging, held, read, scene, telling, write } from './pool-scene.ts'
import { answering, call, rejectionOf, resultOf } from './support.ts'

const isIdempotent = (request: { readonly method: string }): boolean => request.method === write.method
const known = telling(-32000, 'already known')
const tooLow = telling(-32000, 'nonce too low')
const poor = telling(-32000, 'insufficient funds')

/** The node of `doneOf` says by its own words that it has the transaction, or is asked whether it has. */
const done: Parameters<typeof scene>[1] = {
  isIdempotent,
  async doneOf(_request, { message }, ask) {
    if (message === 'already known') return { result: rawJsonFromValue('the hash') }
    if (message !== 'nonce too low') return undefined
    const { result } = await ask(call('eth_getTransactionByHash'))
    return result === undefined || ('value' in result && result.value() === null)
      ? undefined
      : { result: rawJsonFromValue('the hash') }
  },
}

describe('a write that has its effect once, however often it arrives', () => {
  it('goes to the next upstream where the first is silent, once to each, and is ended there by the answer', async () => {
    const a = hanging()
    const {
      pool,
      context,
      take,
      pass,
      held: slotsHeld,
      pending,
    } = scene([a.handler, answering('b'), answering('c')], done)
    const answer = pool(write, context)
    await pass(490)
    expect(take()).toBe('a')
    await pass(20)
    expect(take()).toBe('b')
    const response = await answer
    expect([resultOf(response), response.meta]).toEqual(['b', { endpoint: 'b', attempts: 2 }])
    expect(a.cancelled).toMatchObject([{ code: 'aborted', message: 'another upstream was faster' }])
    await pass(2_000, 100)
    expect([take(), slotsHeld(), pending()]).toEqual(['', 0, 0])
  })

  it('waits for no longer than an upstream may usually be silent', async () => {
    const a = held()
    const { pool, context, take, pass } = scene([a.handler, answering('b')], done)
    const answered = async (ms: number): Promise<void> => {
      const answer = pool(write, context)
      await pass(ms)
      a.open.at(-1)!.answer({ result: rawJsonFromValue('a') })
      expect(resultOf(await answer)).toBe('a')
    }
    for (let i = 0; i < 32; i++) await answered(20)
    take()
    const quick = pool(write, context)
    await pass(260)
    expect([take(), resultOf(await quick)]).toEqual(['ab', 'b'])
  })

  it('is no hedge, and no second round', async () => {
    const { pool, context, take } = scene([failing('disconnected'), failing('disconnected')], {
      ...done,
      hedging: { counted() {}, afterMs: () => 1, take: () => true },
      retries: { counted() {}, again: () => 0 },
    })
    expect(await rejectionOf(pool(write, context))).toMatchObject({
      code: 'unavailable',
      message: 'no upstream answered: 2 unreachable',
      delivery: 'unknown',
    })
    expect(take()).toBe('ab')
  })

  it.each([
    ['breaks off', failing('disconnected')],
    ['fails with a status', failing('http_status', { httpStatus: 502 })],
  ])('goes to the next upstream where the first one %s', async (_how, first) => {
    const { pool, context, take } = scene([first, answering('b')], done)
    expect(resultOf(await pool(write, context))).toBe('b')
    expect(take()).toBe('ab')
  })

  it('that a further upstream has already was taken', async () => {
    for (const first of [failing('disconnected'), hanging().handler]) {
      const { pool, context, take, pass } = scene([first, known], done)
      const answer = pool(write, context)
      await pass(600)
      expect(resultOf(await answer)).toBe('the hash')
      expect(take()).toBe('ab')
    }
  })

  it('that the first one has, late, when the second was asked, was taken', async () => {
    const a = held()
    const { pool, context, pass } = scene([a.handler, hanging().handler], done)
    const answer = pool(write, context)
    await pass(600)
    a.open[0]!.answer({ error: { code: -32000, message: 'already known' } })
    expect(resultOf(await answer)).toBe('the hash')
  })

  it('that the first one has was sent before: it is told so', async () => {
    const { pool, context, take } = scene([known, answering('b')], done)
    expect((await pool(write, context)).error?.message).toBe('already known')
    const unsent = scene([failing('connect', { delivery: 'not_sent' }), known], done)
    expect((await unsent.pool(write, unsent.context)).error?.message).toBe('already known')
    expect([take(), unsent.take()]).toEqual(['a', 'ab'])
  })

  it.each([
    ['there', { hash: '0x' }, 'the hash', undefined],
    ['not there', null, undefined, 'nonce too low'],
  ])('whose nonce is used at a further upstream is looked up, once: %s', async (_what, found, result, message) => {
    const b: RpcHandler = (request, context) =>
      (request.method === write.method ? tooLow : answering(found))(request, context)
    const { pool, context, take } = scene([failing('disconnected'), b], done)
    const response = await pool(write, context)
    expect([response.error === undefined ? resultOf(response) : undefined, response.error?.message]).toEqual([
      result,
      message,
    ])
    expect(take()).toBe('abb')
  })

  it('whose nonce is used is an error where it cannot be looked up', async () => {
    const b: RpcHandler = (request, context) =>
      (request.method === write.method ? tooLow : failing('disconnected'))(request, context)
    const { pool, context } = scene([failing('disconnected'), b], done)
    expect((await pool(write, context)).error?.message).toBe('nonce too low')
  })

  it('that a further upstream refuses is not refused while another one may still take it', async () => {
    const a = held()
    const { pool, context, take, pass } = scene([a.handler, poor], done)
    const answer = pool(write, context)
    await pass(550)
    a.open[0]!.answer({ result: rawJsonFromValue('a') })
    expect(resultOf(await answer)).toBe('a')
    const silent = scene([hanging().handler, poor], done)
    const refused = silent.pool(write, silent.context)
    await silent.pass(1_200)
    expect((await refused).error?.message).toBe('insufficient funds')
    expect([take(), silent.take()]).toEqual(['ab', 'ab'])
    expect([silent.held(), silent.pending()]).toEqual([0, 0])
  })

  it('that is refused by the only one that was asked is refused', async () => {
    const { pool, context, take } = scene([poor, answering('b')], done)
    expect((await pool(write, context)).error?.message).toBe('insufficient funds')
    expect(take()).toBe('a')
  })

  it('has the slots that are kept for writes', async () => {
    const { pool, context, slots } = scene([failing('disconnected'), answering('b')], done)
    const take = vi.spyOn(slots, 'take')
    for (const request of [read, write]) await pool(request, context)
    expect(take.mock.calls.map(([wanted, { repeatable }]) => [wanted.length, repeatable])).toEqual([
      [2, true],
      [1, true],
      [2, false],
      [1, false],
    ])
  })
})

it('any other write is at one upstream only', async () => {
  const a = hanging()
  const other = call('eth_sendTransaction')
  const { pool, context, take, pass } = scene([a.handler, answering('b')], done)
  const why = rejectionOf(pool(other, context))
  await pass(5_000, 100)
  expect(take()).toBe('a')
  context.cancel(new RpcError('aborted', 'the caller left'))
  await why
  const broken = scene([failing('disconnected'), answering('b')], done)
  expect(await rejectionOf(broken.pool(other, broken.context))).toMatchObject({ code: 'disconnected' })
  expect(broken.take()).toBe('a')
})
