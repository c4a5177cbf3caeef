import {
  createContext,
  rawJsonFromValue,
  type RawJsonStream,
  RpcError,
  type RpcHandler,
  type RpcResponse,
  systemClock,
} from '@wayleave/jsonrpc-core'
import { FakeClock, handlerLaws, peerHandler, type ScriptedPeer } from '@wayleave/jsonrpc-core/testing'
import { describe, expect, test } from 'vitest'
import { type AskedRange, createRangeLimits, watchRanges } from '@wayleave/upstream'
import { failing, held, streaming, reporting } from '../pool-scene.ts'
import { call, textOf } from '../support.ts'

const range: AskedRange = { from: 0, to: 9_999, isCut: false, kind: 'logs', key: 'all' }
const logs = call('getLogs')
const methods = new Set(['getLogs'])

function scene(handler: RpcHandler) {
  const clock = new FakeClock()
  const limits = createRangeLimits({ clock, rangeOf: () => range })
  const endpoint = watchRanges(
    { name: 'a', handler, carriesSubscriptions: false },
    {
      limits,
      methods,
      refusalOf(_request, { message }) {
        if (message === 'broken') return 'failed'
        return message.startsWith('too') ? { of: 'blocks', most: 10 } : undefined
      },
      clock,
    },
  )
  const { context, cancel } = createContext({ clock, timeoutMs: 30_000, acceptStream: true }).fork({})
  const ask = (request = logs): Promise<RpcResponse> => endpoint.handler(request, context)
  return { ask, clock, limits, cancel, reason: () => limits.reason('a', logs) }
}

test('a refusal teaches, and is passed on', async () => {
  const { ask, reason } = scene(reporting(-32_602, 'too many'))
  expect(await ask()).toEqual({ error: { code: -32_602, message: 'too many' } })
  expect(reason()).toBe('range_too_large')
})

test('calls of other methods teach nothing', async () => {
  const { ask, limits } = scene(reporting(-32_602, 'too many'))
  await ask(call('eth_call'))
  expect(limits.isEmpty).toBe(true)
})

test('HTTP 413 is a refusal: in the words of the node, else in ours', async () => {
  const rpc = { code: -32_614, message: 'too wide' }
  const worded = scene(failing('http_status', { httpStatus: 413, rpc }))
  expect(await worded.ask()).toEqual({ error: rpc })
  expect(worded.reason()).toBe('range_too_large')
  const { ask } = scene(failing('http_status', { httpStatus: 413, rpc: { code: 1, message: 'no' } }))
  expect(await ask()).toEqual({ error: { code: -32_602, message: 'block range or response too large' } })
})

test.each(['disconnected', 'timeout'] as const)('a call that ends as %s is a doubt', async (code) => {
  const { ask, reason } = scene(failing(code))
  await expect(ask()).rejects.toMatchObject({ code })
  expect(reason()).toBe('range_doubtful')
})

test('an answer that says that the node broke down is a doubt', async () => {
  const { ask, reason } = scene(reporting(-32_603, 'broken'))
  await ask()
  expect(reason()).toBe('range_doubtful')
})

test.each([
  ['connect', {}],
  ['aborted', {}],
  ['http_status', { httpStatus: 429 }],
  ['http_status', { httpStatus: 503 }],
] as const)('a call that ends as %s %o teaches nothing', async (code, details) => {
  const { ask, limits } = scene(failing(code, details))
  await expect(ask()).rejects.toBeInstanceOf(RpcError)
  expect(limits.isEmpty).toBe(true)
})

test.each([
  ['where nothing is known', [], 999, 1_000],
  ['where answers are quick', [1, 1], 249, 250],
  ['where answers take long', [400, 400], 1_999, 2_000],
])('a call that is given up is a doubt after five times the usual time: %s', async (_where, usual, before, after) => {
  for (const [ms, doubt] of [
    [before, undefined],
    [after, 'range_doubtful'],
  ] as const) {
    const { handler, open } = held()
    const { ask, clock, cancel, reason } = scene(handler)
    for (const each of usual) {
      const answer = ask()
      clock.advance(each)
      open.at(-1)!.answer({ result: rawJsonFromValue([]) })
      await answer
    }
    const answer = ask()
    clock.advance(ms)
    cancel(new RpcError('aborted', 'another upstream was faster'))
    await expect(answer).rejects.toMatchObject({ code: 'aborted' })
    expect(reason()).toBe(doubt)
  }
})

test('a stream that its node breaks off is a doubt', async () => {
  const { ask, reason } = scene(streaming(true).handler)
  const { result } = await ask()
  expect(reason()).toBeUndefined()
  await expect(textOf(result as RawJsonStream)).rejects.toThrow('ended within')
  expect(reason()).toBe('range_doubtful')
})

describe('a watched endpoint', () => {
  const create = (peer: ScriptedPeer): RpcHandler => {
    const clock = systemClock
    const limits = createRangeLimits({ clock, rangeOf: () => range })
    const options = { limits, methods: new Set(['eth_chainId']), refusalOf: () => undefined, clock }
    return watchRanges({ name: 'a', handler: peerHandler(peer), carriesSubscriptions: false }, options).handler
  }
  for (const law of handlerLaws({ create })) test(law.name, law.run)
})
