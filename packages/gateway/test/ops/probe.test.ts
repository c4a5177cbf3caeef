import {
  type Clock,
  rawJsonFromText,
  rawJsonFromValue,
  RpcError,
  type RpcHandler,
  systemClock,
} from '@wayleave/jsonrpc-core'
import type { Endpoint } from '@wayleave/upstream'
import { describe, expect, it } from 'vitest'
import { evm } from '../../src/networks/evm.ts'
import { starknet } from '../../src/networks/starknet.ts'
import { canServe, createProbe } from '../../src/ops/probe.ts'

const dev = evm.heads(evm.expectedChain(31337))
const good = { reasonOf: () => undefined, tellsHead: () => false }
const endpoint = (name: string, handler: RpcHandler): Endpoint => ({ name, handler, carriesSubscriptions: false })
const answering =
  (value: unknown): RpcHandler =>
  async () => ({ result: rawJsonFromValue(value) })
const silent: RpcHandler = (_request, context) => new Promise((_resolve, reject) => void context.onCancel(reject))
/** Two seconds of a probe pass at once. */
const fast: Clock = { ...systemClock, after: (ms, run) => systemClock.after(ms > 1_900 ? 20 : ms, run) }
const probe = (...handlers: RpcHandler[]) =>
  createProbe(
    good,
    handlers.map((handler, i) => endpoint('ab'[i]!, handler)),
    dev,
    fast,
  )

describe('a network', () => {
  it('can serve where one endpoint has its chain', async () => {
    expect(await probe(answering('0x7a69'))().serves).toBe(true)
    expect(await probe(answering('0x1'), answering('0x7a69'))().serves).toBe(true)
    const never: RpcHandler = () => new Promise(() => {})
    expect(await probe(never, answering('0x7a69'))().serves).toBe(true)
    expect(await probe(silent, answering('0x7a69'))().all).toEqual([
      { endpoint: 'a', reason: 'no answer within the time allowed' },
      { endpoint: 'b', reason: undefined },
    ])
  })

  it.each([
    ['has another chain', answering('0x1'), 'expected chain 0x7a69, got 0x1'],
    ['answers no text', answering(null), 'expected chain 0x7a69, got something else'],
    ['answers a long text', answering('0x1'.repeat(100)), 'expected chain 0x7a69, got something else'],
    ['answers what nobody should see', answering('S3CR3T'), 'expected chain 0x7a69, got something else'],
    [
      'answers an error',
      async () => ({ error: { code: -32601, message: 'no' } }),
      'expected chain 0x7a69, got error -32601',
    ],
    [
      'cannot be reached',
      () => Promise.reject(new RpcError('connect', 'no connection could be made (ECONNREFUSED)')),
      'no connection could be made (ECONNREFUSED)',
    ],
    ['is silent', silent, 'no answer within the time allowed'],
    ['fails by a bug', () => Promise.reject(new TypeError('https://user:pass@node')), 'the probe failed'],
    [
      'answers what is no JSON',
      async () => ({ result: rawJsonFromText('{"a"}') }),
      'expected chain 0x7a69, got something else',
    ],
  ] as readonly (readonly [string, RpcHandler, string])[])(
    'cannot where its only endpoint %s',
    async (_what, handler, reason) => {
      const { serves, all } = probe(handler)()
      expect(await all).toEqual([{ endpoint: 'a', reason }])
      expect(await serves).toBe(false)
    },
  )

  it('tells of each endpoint why not', async () => {
    expect(await probe(answering('0x1'), silent)().all).toEqual([
      { endpoint: 'a', reason: 'expected chain 0x7a69, got 0x1' },
      { endpoint: 'b', reason: 'no answer within the time allowed' },
    ])
  })
})

describe('a network of Starknet', () => {
  const chainIs = (configured: string, told: string) => {
    const asked: string[] = []
    const handler: RpcHandler = async ({ method }) => {
      asked.push(method)
      return { result: rawJsonFromValue(told) }
    }
    const ask = createProbe(good, [endpoint('a', handler)], starknet.heads(starknet.expectedChain(configured)), fast)
    return ask().all.then((states) => [
      ...asked,
      ...states.filter((state) => !canServe(state)).map(({ reason }) => reason),
    ])
  }

  it.each([
    ['SN_MAIN', '0x534e5f4d41494e'],
    ['0x534e5f4d41494e', '0x534E5F4D41494E'],
    ['0x00534e5f4d41494e', '0x00534e5f4d41494e'],
  ])('can serve %s where starknet_chainId is %s', async (configured, told) => {
    expect(await chainIs(configured, told)).toEqual(['starknet_chainId'])
  })

  it('cannot where the felt is of another chain', async () => {
    const reason = 'expected chain 0x534e5f4d41494e, got 0x534e5f5345504f4c4941'
    expect(await chainIs('SN_MAIN', '0x534e5f5345504f4c4941')).toEqual(['starknet_chainId', reason])
  })
})

it('whoever asks while an answer is awaited, or within a second of it, gets the same', async () => {
  let asked = 0
  let now = 5_000
  const handler: RpcHandler = async () => {
    asked++
    return { result: rawJsonFromValue('0x7a69') }
  }
  const ask = createProbe(good, [endpoint('a', handler)], dev, { ...fast, now: () => now })
  await Promise.all(Array.from({ length: 100 }, () => ask().all))
  now += 999
  await ask().all
  expect(asked).toBe(1)
  now += 1
  await ask().all
  expect(asked).toBe(2)
})
