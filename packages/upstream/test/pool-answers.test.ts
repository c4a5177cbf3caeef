import {
  createContext,
  rawJsonFromValue,
  type RpcError,
  type RpcHandler,
  type RpcResponse,
} from '@wayleave/jsonrpc-core'
import { describe, expect, it } from 'vitest'
import { failing, hanging, read, type SceneOptions, scene, settled, write } from './pool-scene.ts'
import { answering, rejectionOf, resultOf } from './support.ts'

describe('an endpoint that told what is false', () => {
  const lie = failing('invalid_response', { cause: 'false' })
  const isFalse = (why: RpcError): boolean => why.cause === 'false'
  const isVerified = ({ meta }: RpcResponse): boolean => meta?.endpoint === 'verified'
  const verified: RpcHandler = async () => ({
    result: rawJsonFromValue('true'),
    meta: { endpoint: 'verified' },
  })

  /** A liar before an honest endpoint; `says` is what it does next. */
  function court(options: SceneOptions = {}) {
    const liar: { says: RpcHandler } = { says: lie }
    const handlers: RpcHandler[] = [(request, context) => liar.says(request, context), answering('b')]
    return { liar, ...scene(handlers, { isFalse, isVerified, health: { distrustMs: 1_000 }, ...options }) }
  }

  it('is asked last for longer than one that failed, and the call goes on', async () => {
    const { pool, context, clock, take, failures } = court()
    expect(resultOf(await pool(read, context))).toBe('b')
    expect(take()).toBe('ab')
    expect(failures).toEqual(['a false_answer'])
    clock.advance(999)
    await pool(read, context)
    expect(take()).toBe('b')
    clock.advance(1)
    await pool(read, context)
    expect(take()).toBe('ab')
  })

  it('is asked last for twice as long each time, up to 64 times', async () => {
    const { pool, clock, liar, take } = court()
    const waits: number[] = []
    for (let lies = 0; lies < 9; lies++) {
      const context = createContext({ clock, timeoutMs: 1_000_000 })
      liar.says = lie
      await pool(read, context)
      expect(take()).toBe('ab')
      liar.says = answering('unchecked')
      let waited = 0
      for (; ; waited += 500) {
        await pool(read, context)
        if (take() === 'a') break
        clock.advance(500)
      }
      waits.push(waited / 1_000)
    }
    expect(waits).toEqual([1, 2, 4, 8, 16, 32, 64, 64, 64])
  })

  it('is asked after one that only failed', async () => {
    const { pool, context, take } = scene([lie, failing('connect')], { isFalse })
    await rejectionOf(pool(read, context))
    take()
    await rejectionOf(pool(read, context))
    expect(take()).toBe('ba')
  })

  it('is not asked first again because of an answer', async () => {
    const outcomes = [lie, verified, verified]
    const liar: RpcHandler = (request, at) => outcomes.shift()!(request, at)
    const { pool, context, take } = scene([liar, failing('connect')], { isFalse })
    await rejectionOf(pool(read, context))
    for (let i = 0; i < 2; i++) await pool(read, context)
    expect(take()).toBe('abbaba')
  })

  it('is forgiven after sixteen answers that were found right, and not after answers that nobody checked', async () => {
    for (const [says, wait] of [
      [verified, 1_000],
      [answering('unchecked'), 2_000],
    ] as const) {
      const { pool, context, clock, liar, take } = court()
      await pool(read, context)
      clock.advance(1_000)
      liar.says = says
      for (let i = 0; i < 16; i++) await pool(read, context)
      liar.says = lie
      await pool(read, context)
      take()
      clock.advance(wait - 1)
      await pool(write, context)
      expect(take()).toBe('b')
      clock.advance(1)
      await rejectionOf(pool(write, context))
      expect(take()).toBe('a')
    }
  })

  it('told one lie where it was asked many things at one time', async () => {
    const { pool, context, clock, take } = court()
    await Promise.all(Array.from({ length: 20 }, () => pool(read, context)))
    take()
    clock.advance(1_000)
    await pool(read, context)
    expect(take()).toBe('ab')
  })

  it('is the reason that is told, also where the last one only failed', async () => {
    const { pool, context } = scene([lie, failing('connect')], { isFalse })
    expect(await rejectionOf(pool(read, context))).toMatchObject({ code: 'unavailable', cause: { cause: 'false' } })
  })

  it('failed like any other where nobody says what is false', async () => {
    const { pool, context, take } = scene([lie, answering('b')])
    await pool(read, context)
    take()
    await pool(read, context)
    expect(take()).toBe('ab')
  })
})

describe('an answer of last resort', () => {
  const isLastResort = (response: RpcResponse): boolean => resultOf(response) === 'weak'
  const weak = answering('weak')

  it('is given only where no other endpoint has a better one, and the first of them then', async () => {
    const better = scene([weak, answering('strong')], { isLastResort })
    const response = await better.pool(read, better.context)
    expect([resultOf(response), response.meta]).toEqual(['strong', { endpoint: 'b', attempts: 2 }])
    const none = scene([weak, failing('connect'), weak], { isLastResort })
    expect((await none.pool(read, none.context)).meta).toEqual({ endpoint: 'a', attempts: 1 })
    expect(none.take()).toBe('abc')
  })

  it('is not lost to an endpoint that is silent, or whose answer is too long', async () => {
    const { pool, context, clock, take } = scene([weak, hanging().handler], { isLastResort })
    const response = pool(read, context)
    await settled()
    clock.advance(1_000)
    expect(resultOf(await response)).toBe('weak')
    expect(take()).toBe('ab')
    const long = scene([weak, failing('too_large')], { isLastResort })
    expect(resultOf(await long.pool(read, long.context))).toBe('weak')
  })

  it('is given at once where the only other endpoint has been silent before', async () => {
    const { pool, context, clock, take } = scene([hanging().handler, weak], { isLastResort })
    const begun = clock.now()
    const response = pool(read, context)
    clock.advance(1_000)
    expect(resultOf(await response)).toBe('weak')
    expect([take(), clock.now() - begun]).toEqual(['ab', 1_000])
  })

  it('is there to be compared with what comes after it', async () => {
    const spares: unknown[] = []
    const { pool, context } = scene([weak, answering('weaker'), answering('weakest')], {
      isLastResort: (_, spare) => spares.push(spare && resultOf(spare)) > 0,
    })
    expect(resultOf(await pool(read, context))).toBe('weak')
    expect(spares).toEqual([undefined, 'weak', 'weak'])
  })

  it('is the answer to a write, which nobody else is asked', async () => {
    const { pool, context, take } = scene([weak, answering('strong')], { isLastResort })
    expect(resultOf(await pool(write, context))).toBe('weak')
    expect(take()).toBe('a')
  })
})

describe('a pool whose endpoints can refuse', () => {
  const refusing =
    (message: string): RpcHandler =>
    async () => ({ error: { code: -32601, message } })
  const isRefusal = ({ error }: RpcResponse): boolean => error?.message.startsWith('refused') ?? false
  const options = { isRefusal }

  it.each([
    ['read', read],
    ['write', write],
  ])('gives a %s to the next one, and nobody has failed', async (_what, request) => {
    const { pool, context, take, failures } = scene([refusing('refused by a'), answering(2)], options)
    expect(resultOf(await pool(request, context))).toBe(2)
    expect(resultOf(await pool(request, context))).toBe(2)
    expect(take()).toBe('abab')
    expect(failures).toEqual([])
  })

  it('gives the first refusal where nobody answers', async () => {
    const handlers = [refusing('refused by a'), refusing('refused by b'), failing('connect', { delivery: 'not_sent' })]
    const { pool, context, take } = scene(handlers, options)
    expect(await pool(write, context)).toEqual({ error: { code: -32601, message: 'refused by a' } })
    expect(take()).toBe('abc')
  })

  it('sends no write on that may have arrived, and gives no refusal in its place', async () => {
    const { pool, context, take } = scene([refusing('refused by a'), failing('disconnected'), answering(3)], options)
    expect(await rejectionOf(pool(write, context))).toMatchObject({ code: 'disconnected', delivery: 'unknown' })
    expect(take()).toBe('ab')
  })

  it('takes any other error for the answer', async () => {
    const { pool, context, take } = scene([refusing('no such method'), answering(2)], options)
    expect((await pool(read, context)).error).toMatchObject({ message: 'no such method' })
    expect(take()).toBe('a')
  })
})
