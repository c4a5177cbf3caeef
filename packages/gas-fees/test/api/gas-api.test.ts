import {
  createFeeSource,
  createGasApi,
  type FeeSource,
  type GasAnswer,
  type GasApi,
  type GasRequest,
} from '@wayleave/gas-fees'
import { RpcError } from '@wayleave/jsonrpc-core'
import { describe, expect, it, onTestFinished } from 'vitest'
import { settle, SimulatedChain } from '../simulated-chain.ts'

interface Setup {
  readonly chain: SimulatedChain
  readonly source: FeeSource
  readonly api: GasApi
  get(path: string, request?: Partial<GasRequest>): Promise<GasAnswer>
}

async function setup(options: { readonly maxStreams?: number } = {}): Promise<Setup> {
  const chain = new SimulatedChain()
  chain.pushes = true
  const source = createFeeSource({ handler: chain.handler, clock: chain.clock })
  onTestFinished(() => source.close())
  const api = createGasApi({
    source: (chainId) =>
      chainId === '1' ? source : chainId === '2' ? { reason: "'2' is no EVM network." } : undefined,
    names: { 1: 'Ethereum Mainnet' },
    clock: chain.clock,
    ...options,
  })
  await source.current()
  await settle()
  return { chain, source, api, get: async (path, request) => api({ method: 'GET', path, headers: {}, ...request }) }
}

function errorOf({ body }: GasAnswer): unknown {
  return JSON.parse(body as string)
}

async function* never(): AsyncGenerator<string> {}

describe('the gas API', () => {
  it.each(['suggestedGasFees', 'baseFeeHistory', 'baseFeePercentile', 'busyThreshold'] as const)(
    'answers %s with its block, its tag, and how long it holds',
    async (view) => {
      const { source, get } = await setup()
      const { status, headers, body } = await get(`/networks/1/${view}?x=1`)
      expect(status).toBe(200)
      const reading = await source.current()
      if (reading.state !== 'ready') throw new Error('expected an answer')
      expect(body).toBe(reading.answer.print(view).body)
      expect(headers).toEqual({
        'content-type': 'application/json',
        'cache-control': 'private, max-age=12',
        'x-block-number': '599',
        etag: reading.answer.print(view).etag,
      })
    },
  )

  it('answers without a promise from memory', async () => {
    const { api } = await setup()
    expect(api({ method: 'GET', path: '/networks/1/suggestedGasFees', headers: {} })).not.toBeInstanceOf(Promise)
  })

  it('has the fields of each answer as the field has them', async () => {
    const { chain, get } = await setup()
    expect(errorOf(await get('/networks/1/baseFeePercentile'))).toEqual({ baseFeePercentile: '1.00035' })
    expect(errorOf(await get('/networks/1/busyThreshold'))).toEqual({ busyThreshold: '1.00055' })
    const history = errorOf(await get('/networks/1/baseFeeHistory')) as readonly string[]
    expect(history).toHaveLength(500)
    expect(history.at(-1)).toBe('1.0006')
    expect(errorOf(await get('/networks/1/suggestedGasFees'))).toMatchObject({ estimatedBaseFee: '1.000600007' })
    expect(chain.head.baseFee).toBe(1_000_600_000n)
  })

  it('tells the next block with the next answer', async () => {
    const { chain, get } = await setup()
    const before = await get('/networks/1/suggestedGasFees')
    chain.mine()
    await settle()
    const after = await get('/networks/1/suggestedGasFees')
    expect(after.headers['x-block-number']).toBe('600')
    expect(after.headers['etag']).not.toBe(before.headers['etag'])
    chain.clock.advance(5_000)
    expect((await get('/networks/1/suggestedGasFees')).headers['cache-control']).toBe('private, max-age=7')
  })

  it('answers 304 to whoever has the tag', async () => {
    const { chain, get } = await setup()
    const etag = (await get('/networks/1/suggestedGasFees')).headers['etag']!
    for (const tags of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const answer = await get('/networks/1/suggestedGasFees', { headers: { 'if-none-match': tags } })
      expect(answer).toMatchObject({ status: 304, body: '', headers: { etag, 'x-block-number': '599' } })
    }
    for (const tags of ['"other"', etag.slice(1), '', `${etag}${','.repeat(5_000)}`]) {
      expect(await get('/networks/1/suggestedGasFees', { headers: { 'if-none-match': tags } })).toMatchObject({
        status: 200,
      })
    }
    chain.mine()
    await settle()
    expect(await get('/networks/1/suggestedGasFees', { headers: { 'if-none-match': etag } })).toMatchObject({
      status: 200,
    })
  })

  it('answers HEAD as GET, without a body', async () => {
    const { api, get } = await setup()
    for (const path of [
      '/networks/1/suggestedGasFees',
      '/networks/6001/suggestedGasFees',
      '/v1/supportedChainNames',
      '/x',
    ]) {
      expect(await api({ method: 'HEAD', path, headers: {} })).toEqual({ ...(await get(path)), body: '' })
    }
    const stream = await get('/networks/1/suggestedGasFees/stream', { method: 'HEAD' })
    expect(stream).toMatchObject({ status: 200, body: '', headers: { 'content-type': 'text/event-stream' } })
  })

  it('lists names by chain id', async () => {
    const { get } = await setup()
    expect(errorOf(await get('/v1/supportedChainNames'))).toEqual({ 1: 'Ethereum Mainnet' })
  })

  it.each([
    ['/networks/6001/suggestedGasFees', 400, "'6001' is not a supported chain id."],
    ['/networks/0x1/suggestedGasFees', 400, "'0x1' is not a supported chain id."],
    ['/networks/%22%0A/suggestedGasFees', 400, `'"\n' is not a supported chain id.`],
    ['/networks/%zz/suggestedGasFees', 400, "'%zz' is not a supported chain id."],
    ['/networks/2/baseFeeHistory', 400, "'2' is no EVM network."],
    ['/networks/01/suggestedGasFees', 400, "'01' is not a supported chain id."],
    ['/networks/1%2F/suggestedGasFees', 400, "'1/' is not a supported chain id."],
    ['/networks/__proto__/suggestedGasFees', 400, "'__proto__' is not a supported chain id."],
    [`/networks/${'9'.repeat(9_000)}/suggestedGasFees`, 400, `'${'9'.repeat(79)}…' is not a supported chain id.`],
    ['/networks/1/constructor', 404, undefined],
    ['/networks/1/suggestedGasFees/', 404, undefined],
    ['/networks//suggestedGasFees', 404, undefined],
    ['//networks/1/suggestedGasFees', 404, undefined],
    ['/networks/1/suggestedGasFees/stream/x', 404, undefined],
    ['/networks/1/other', 404, undefined],
    ['/networks/1/busyThreshold/stream', 404, undefined],
    ['/networks/1', 404, undefined],
    [`/${'x'.repeat(10_000)}`, 404, undefined],
  ])('refuses %s with %i', async (path, status, message) => {
    const { get } = await setup()
    const answer = await get(path)
    expect(answer.status).toBe(status)
    expect(answer.headers['content-type']).toBe('application/json')
    expect(errorOf(answer)).toEqual({ statusCode: status, message: message ?? (expect.any(String) as string) })
    expect((answer.body as string).length).toBeLessThan(300)
  })

  it('refuses other methods with 405', async () => {
    const { get } = await setup()
    for (const method of ['POST', 'DELETE', 'get']) {
      const answer = await get('/networks/1/suggestedGasFees', { method })
      expect(answer).toMatchObject({ status: 405, headers: { allow: 'GET, HEAD' } })
    }
  })

  it('answers 400 with the reason where the network has no base fee', async () => {
    const chain = new SimulatedChain()
    chain.hasBaseFee = false
    const source = createFeeSource({ handler: chain.handler, clock: chain.clock })
    const api = createGasApi({ source: () => source, names: {}, clock: chain.clock })
    const answer = await api({ method: 'GET', path: '/networks/1/suggestedGasFees', headers: {} })
    expect(answer.status).toBe(400)
    expect(errorOf(answer)).toMatchObject({ statusCode: 400, message: expect.stringContaining('EIP-1559') })
  })

  it('tells the age of an old answer, and then 503', async () => {
    const { chain, get } = await setup()
    chain.failure = new RpcError('connect', 'refused')
    chain.endSubscriptions()
    chain.clock.advance(50_000)
    const old = await get('/networks/1/suggestedGasFees')
    expect(old).toMatchObject({ status: 200, headers: { age: '50', 'cache-control': 'private, no-cache' } })
    const headers = { 'if-none-match': old.headers['etag'] }
    expect(await get('/networks/1/suggestedGasFees', { headers })).toMatchObject({
      status: 304,
      headers: { age: '50' },
    })
    const stream = await get('/networks/1/suggestedGasFees/stream', { method: 'HEAD' })
    expect(stream.headers).toMatchObject({ age: '50' })
    chain.clock.advance(80_000)
    const none = await get('/networks/1/suggestedGasFees')
    expect(none).toMatchObject({ status: 503, headers: { 'retry-after': '5', 'cache-control': 'no-store' } })
    expect(errorOf(none)).toMatchObject({ statusCode: 503 })
  })

  it('hides what fails inside', async () => {
    const broken = (): never => {
      throw new Error('secret')
    }
    const api = createGasApi({ source: broken, names: {} })
    const answer = await api({ method: 'GET', path: '/networks/1/suggestedGasFees', headers: {} })
    expect(errorOf(answer)).toEqual({ statusCode: 500, message: 'internal error' })
  })
})

function streamOf({ status, body }: GasAnswer): AsyncIterator<string> {
  expect(status).toBe(200)
  return (typeof body === 'string' ? never() : body)[Symbol.asyncIterator]()
}

describe('the stream', () => {
  it('begins with what holds now, and goes on with each block', async () => {
    const { chain, source, get } = await setup()
    const headers = { 'last-event-id': 'nonsense' }
    const events = streamOf(await get('/networks/1/suggestedGasFees/stream', { headers }))
    const reading = await source.current()
    if (reading.state !== 'ready') throw new Error('expected an answer')
    const first = await events.next()
    expect(first.value).toBe(
      `event: suggestedGasFees\nid: 599\ndata: ${reading.answer.print('suggestedGasFees').body}\n\n`,
    )
    const second = events.next()
    chain.mine()
    expect((await second).value).toMatch(/^event: suggestedGasFees\nid: 600\ndata: \{.*\}\n\n$/)
    await events.return!()
  })

  it('sends a comment every 15 s of silence', async () => {
    const { chain, get } = await setup()
    const events = streamOf(await get('/networks/1/suggestedGasFees/stream'))
    await events.next()
    const heartbeat = events.next()
    chain.clock.advance(15_000)
    expect(await heartbeat).toEqual({ done: false, value: ':\n\n' })
    await events.return!()
  })

  it('keeps only the newest for a reader who is slow', async () => {
    const { chain, get } = await setup()
    const events = streamOf(await get('/networks/1/suggestedGasFees/stream'))
    for (let i = 0; i < 5; i++) {
      chain.mine()
      await settle()
    }
    expect((await events.next()).value).toContain('id: 604\n')
    const next = events.next()
    chain.mine()
    expect((await next).value).toContain('id: 605\n')
    await events.return!()
  })

  it('ends at once when it is left or aborted, also while a read waits, and leaves nothing behind', async () => {
    const { chain, get, source } = await setup({ maxStreams: 2 })
    const timers = chain.clock.timers
    const abort = new AbortController()
    const left = streamOf(await get('/networks/1/suggestedGasFees/stream'))
    const aborted = streamOf(await get('/networks/1/suggestedGasFees/stream', { signal: abort.signal }))
    expect(await get('/networks/1/suggestedGasFees/stream')).toMatchObject({ status: 503 })
    await Promise.all([left.next(), aborted.next()])
    const reads = [left.next(), aborted.next()]
    await left.return!()
    abort.abort()
    expect(await Promise.all(reads)).toEqual([
      { done: true, value: undefined },
      { done: true, value: undefined },
    ])
    expect(chain.clock.timers).toBe(timers)
    const dead = streamOf(await get('/networks/1/suggestedGasFees/stream', { signal: abort.signal }))
    expect(await dead.next()).toEqual({ done: true, value: undefined })
    expect(await get('/networks/1/suggestedGasFees/stream')).toMatchObject({ status: 200 })
    await source.close()
  })

  it('keeps its network followed, and no longer than it is open', async () => {
    const { chain, get } = await setup()
    const events = streamOf(await get('/networks/1/suggestedGasFees/stream'))
    const mineAll = async (): Promise<void> => {
      for (let i = 0; i < 30; i++) {
        chain.mine()
        await settle()
      }
    }
    await mineAll()
    expect(chain.subscribers).toBe(1)
    await events.return!()
    await mineAll()
    expect(chain.subscribers).toBe(0)
  })

  it('is refused as the answer would be', async () => {
    const { chain, get } = await setup()
    expect(await get('/networks/6001/suggestedGasFees/stream')).toMatchObject({ status: 400 })
    chain.failure = new RpcError('connect', 'refused')
    chain.clock.advance(200_000)
    expect(await get('/networks/1/suggestedGasFees/stream')).toMatchObject({ status: 503 })
  })
})
