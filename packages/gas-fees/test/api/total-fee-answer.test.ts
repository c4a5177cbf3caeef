import { createFeeSource, createGasApi, type GasAnswer, type RequestFunction } from '@wayleave/gas-fees'
import { RpcError } from '@wayleave/jsonrpc-core'
import { describe, expect, it, onTestFinished } from 'vitest'
import { settle, SimulatedChain } from '../simulated-chain.ts'

interface Setup {
  readonly asked: string[]
  readonly answers: Record<string, unknown>
  readonly chain: SimulatedChain
  get(query: string, method?: string): Promise<GasAnswer>
}

const to = `0x${'22'.repeat(20)}`

/** An API whose nodes answer as `answers` say; an error among them is thrown. */
async function setup(own: Readonly<Record<string, unknown>>, chain = new SimulatedChain()): Promise<Setup> {
  const answers: Record<string, unknown> = { eth_chainId: '0x1', eth_getCode: '0x', ...own }
  const source = createFeeSource({ handler: chain.handler, clock: chain.clock })
  onTestFinished(() => source.close())
  const asked: string[] = []
  const request: RequestFunction = ({ method }) => {
    asked.push(method)
    const answer = answers[method]
    return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer)
  }
  const api = createGasApi({ source: () => source, request: () => request, names: {}, clock: chain.clock })
  await source.current()
  await settle()
  return {
    asked,
    answers,
    chain,
    get: async (query, method = 'GET') => api({ method, path: `/networks/1/totalFee${query}`, headers: {} }),
  }
}

const bodyOf = ({ body }: GasAnswer): Readonly<Record<string, unknown>> => JSON.parse(body as string) as never
const nodeError = (code: number, message: string): RpcError => new RpcError('rpc', message, { rpc: { code, message } })

describe('totalFee', () => {
  it('tells the total of the call in the query, by the suggestion that is known', async () => {
    const { get } = await setup({ eth_estimateGas: '0x5208' })
    const answer = await get(`?to=${to}&value=1000`)
    expect(answer).toMatchObject({
      status: 200,
      headers: { 'content-type': 'application/json', 'cache-control': 'no-store', 'x-block-number': '599' },
    })
    const body = bodyOf(answer) as { readonly gasLimit: string; readonly low: Readonly<Record<string, string>> }
    expect(body).toMatchObject({ gasLimit: '21000', dataFee: '0' })
    expect(BigInt(body.low['executionFee']!)).toBe(BigInt(body.low['total']!))
    expect(body.low['totalEth']).toMatch(/^0\.\d+$/)
    expect(await get(`?to=${to}`, 'HEAD')).toMatchObject({ status: 200, body: '' })
  })

  it('asks a chain once what kind it is', async () => {
    const { get, asked } = await setup({ eth_estimateGas: '0x5208' })
    await get(`?to=${to}`)
    asked.length = 0
    await get(`?to=${to}`)
    expect(asked).toEqual(['eth_estimateGas'])
  })

  it('asks again after a minute whether a chain charges for data, and never again once it does', async () => {
    const { get, asked, answers, chain } = await setup({ eth_estimateGas: '0x5208' })
    const data = { eth_getStorageAt: `0x${'0'.repeat(64)}`, eth_call: `0x${'7'.padStart(64, '0')}` }
    Object.assign(answers, { ...data, eth_getCode: '0x' })
    expect(bodyOf(await get(`?to=${to}`))).toMatchObject({ dataFee: '0' })
    answers['eth_getCode'] = '0x60'
    expect(bodyOf(await get(`?to=${to}`))).toMatchObject({ dataFee: '0' })
    chain.clock.advance(60_000)
    await settle()
    expect(bodyOf(await get(`?to=${to}`))).toMatchObject({ rollup: 'op', dataFee: '7' })
    answers['eth_getCode'] = '0x'
    chain.clock.advance(60_000)
    await settle()
    asked.length = 0
    expect(bodyOf(await get(`?to=${to}`))).toMatchObject({ rollup: 'op', dataFee: '7' })
    expect(asked).not.toContain('eth_getCode')
  })

  it.each([
    ['no code', { eth_getCode: null }, 'expected the code of a contract'],
    ['half a byte of code', { eth_getCode: '0x0' }, 'expected the code of a contract'],
    ['another chain', { eth_chainId: '0xa' }, 'expected the chain id 1, got 10'],
  ])('is 503 while a node tells %s, and forgets it', async (_, wrong, words) => {
    const { get, answers } = await setup({ eth_estimateGas: '0x5208', ...wrong })
    const answer = await get(`?to=${to}`)
    expect(answer.status).toBe(503)
    expect(bodyOf(answer)['message']).toContain(words)
    Object.assign(answers, { eth_chainId: '0x1', eth_getCode: '0x' })
    expect((await get(`?to=${to}`)).status).toBe(200)
  })

  it('tells the age of an old suggestion, and what it lacks', async () => {
    const { get, chain } = await setup({ eth_estimateGas: '0x5208' })
    chain.failure = new RpcError('connect', 'refused')
    chain.endSubscriptions()
    chain.clock.advance(50_000)
    expect(await get(`?to=${to}`)).toMatchObject({ status: 200, headers: { age: '50', 'cache-control': 'no-store' } })
    const few = await setup({ eth_estimateGas: '0x5208' }, new SimulatedChain({ blocks: 3 }))
    const answer = await few.get(`?to=${to}`)
    expect(answer.headers).not.toHaveProperty('age')
    expect(bodyOf(answer)['wayleave']).toMatchObject({ calibrated: false, knownBlocks: 3 })
  })

  it('takes a signed transaction alone', async () => {
    const { get, asked } = await setup({})
    const signed = `0xf86a098504a817c8008252089435353535353535353535353535353535353535358080${'25'}a0${'1'.repeat(64)}a0${'2'.repeat(64)}`
    const fits = signed.replace('f86a', `f8${((signed.length - 6) / 2).toString(16)}`)
    expect(bodyOf(await get(`?signed=${fits}`))).toMatchObject({ gasLimit: '21000', signed: { totalEth: '0.00042' } })
    expect(asked).not.toContain('eth_estimateGas')
  })

  it.each([
    ['', 'expected to, from, data, value, gas, nonce of a call, or signed, got none'],
    ['?gasPrice=1', 'got gasPrice'],
    [`?to=${to}&to=${to}`, 'got twice to'],
    [`?to=${to}&signed=0x`, 'expected signed alone'],
    ['?to=1', 'expected 0x and 40 hex digits as to, got 1'],
    ['?gas=-1', 'expected a whole number as gas, got -1'],
    ['?signed=0x02', 'expected the bytes of a signed transaction'],
    ['?signed=0x03', 'suggestBlobFee'],
  ])('refuses %j with 400, and asks nothing of a transaction', async (query, words) => {
    const { get, asked } = await setup({})
    const answer = await get(query)
    expect(bodyOf(answer)).toEqual({ statusCode: 400, message: expect.stringContaining(words) as string })
    expect(answer.status).toBe(400)
    expect(asked).toEqual([])
  })

  it.each([
    [
      'a revert',
      nodeError(3, 'execution reverted: paused'),
      400,
      'the node refuses this transaction: execution reverted',
    ],
    ['an account without funds', nodeError(-32000, 'insufficient funds for transfer'), 400, 'insufficient funds'],
    [
      'a node that is too busy',
      nodeError(-32005, 'rate limit exceeded'),
      503,
      'the nodes of this network tell no total',
    ],
    ['silence', new RpcError('timeout', 'too late', { delivery: 'unknown' }), 503, 'the nodes of this network tell no'],
    ['an answer that is no quantity', null, 503, 'expected a quantity as the estimated gas'],
  ])('answers %s with the words for it', async (_, failure, status, words) => {
    const { get } = await setup({ eth_estimateGas: failure })
    const answer = await get(`?to=${to}`)
    expect(bodyOf(answer)).toEqual({ statusCode: status, message: expect.stringContaining(words) as string })
    expect(answer.status).toBe(status)
    expect(answer.headers['retry-after']).toBe(status === 503 ? '5' : undefined)
  })

  it('is no path of an API that can ask no nodes, nor has a stream', async () => {
    const api = createGasApi({ source: () => undefined, names: {} })
    expect(await api({ method: 'GET', path: '/networks/1/totalFee', headers: {} })).toMatchObject({ status: 404 })
    const { get } = await setup({})
    expect(await get('/stream')).toMatchObject({ status: 404 })
  })
})
