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
import { createProbe } from '../src/probe.ts'

const endpoint = (name: string, handler: RpcHandler): Endpoint => ({ name, handler, carriesSubscriptions: false })
const answering =
  (value: unknown): RpcHandler =>
  async () => ({ result: rawJsonFromValue(value) })
const silent: RpcHandler = (_request, context) => new Promise((_resolve, reject) => void context.onCancel(reject))
/** Two seconds of a probe pass at once. */
const fast: Clock = { ...systemClock, after: (ms, run) => systemClock.after(ms > 1_900 ? 20 : ms, run) }
const probe = (...handlers: RpcHandler[]) =>
  createProbe(
    handlers.map((handler, i) => endpoint('ab'[i]!, handler)),
    31337,
    fast,
  )

describe('a network', () => {
  it('can serve where one endpoint has its chain', async () => {
    expect(await probe(answering('0x7a69'))()).toBeUndefined()
    expect(await probe(answering('0x1'), answering('0x7a69'))()).toBeUndefined()
    expect(await probe(silent, answering('0x7a69'))()).toBeUndefined()
  })

  it.each([
    ['has another chain', answering('0x1'), 'a: expected chain 0x7a69, got "0x1"'],
    ['answers no text', answering(null), 'a: expected chain 0x7a69, got null'],
    [
      'answers an error',
      async () => ({ error: { code: -32601, message: 'no' } }),
      'a: expected chain 0x7a69, got "error -32601"',
    ],
    [
      'cannot be reached',
      () => Promise.reject(new RpcError('connect', 'no connection could be made (ECONNREFUSED)')),
      'a: no connection could be made (ECONNREFUSED)',
    ],
    ['is silent', silent, 'a: no answer within the time allowed'],
    ['fails by a bug', () => Promise.reject(new TypeError('https://user:pass@node')), 'a: the probe failed'],
    ['answers what is no JSON', async () => ({ result: rawJsonFromText('{"a"}') }), 'a: the value is not JSON'],
  ] as readonly (readonly [string, RpcHandler, string])[])(
    'cannot where its only endpoint %s',
    async (_what, handler, reason) => {
      expect(await probe(handler)()).toBe(reason)
    },
  )

  it('tells of each endpoint why not', async () => {
    expect(await probe(answering('0x1'), silent)()).toBe(
      'a: expected chain 0x7a69, got "0x1"; b: no answer within the time allowed',
    )
  })
})

it('whoever asks while an answer is awaited gets the same, and later ones a new one', async () => {
  let asked = 0
  const ask = probe(async () => {
    asked++
    return { result: rawJsonFromValue('0x7a69') }
  })
  await Promise.all(Array.from({ length: 100 }, ask))
  expect(asked).toBe(1)
  await ask()
  expect(asked).toBe(2)
})
