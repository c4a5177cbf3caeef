import {
  createContext,
  rawJsonFromText,
  retry,
  RpcError,
  type RpcErrorCode,
  type RpcHandler,
  type RpcResponse,
  type RetryOptions,
  timeout,
} from '@wayleave/jsonrpc-core'
import { FakeClock, handlerLaws, peerHandler } from '@wayleave/jsonrpc-core/testing'
import { describe, expect, it } from 'vitest'
import { call, resultText } from '../support.ts'

const good: RpcResponse = { result: rawJsonFromText('"done"') }
const failure = (code: RpcErrorCode, more: ConstructorParameters<typeof RpcError>[2] = {}): RpcError =>
  new RpcError(code, 'failed', more)

/** A handler that gives these outcomes in turn, and the last one for ever. */
function scene(outcomes: readonly (RpcResponse | RpcError)[], options: Partial<RetryOptions> = {}, timeoutMs = 60_000) {
  const clock = new FakeClock()
  const context = createContext({ clock, timeoutMs })
  const askedAt: number[] = []
  const node: RpcHandler = async () => {
    const outcome = outcomes[Math.min(askedAt.length, outcomes.length - 1)]!
    askedAt.push(clock.now() - 1_000)
    if (outcome instanceof RpcError) throw outcome
    return outcome
  }
  const handler = retry({ isRepeatable: ({ method }) => method === 'read', clock, random: () => 0.5, ...options })(node)
  /** The outcome of one call, with the clock moved on whenever something waits for it. */
  async function settle(method: string): Promise<RpcResponse | RpcError> {
    let settled = false
    const outcome = handler(call(method), context)
      .catch((why: RpcError) => why)
      .finally(() => {
        settled = true
      })
    for (let i = 0; i < 1_000; i++) {
      await new Promise((resolve) => void setImmediate(resolve))
      if (settled) break
      clock.advance(10)
    }
    return outcome
  }
  return { clock, context, handler, askedAt, settle }
}

describe('retry', () => {
  it.each<[string, RpcError]>([
    ['connect', failure('connect')],
    ['disconnected', failure('disconnected')],
    ['timeout', failure('timeout')],
    ['overloaded', failure('overloaded')],
    ...[408, 425, 429, 500, 502, 503, 504].map((httpStatus): [string, RpcError] => [
      `HTTP ${httpStatus}`,
      failure('http_status', { httpStatus }),
    ]),
    ['a pool that asked in vain', failure('unavailable', { cause: failure('disconnected') })],
  ])('asks again after %s', async (_name, why) => {
    const { settle, askedAt } = scene([why, good])
    const response = (await settle('read')) as RpcResponse
    expect(resultText(response)).toBe('"done"')
    expect(askedAt).toHaveLength(2)
    expect(response.meta?.attempts).toBe(2)
  })

  it.each<[string, RpcError]>([
    ['aborted', failure('aborted')],
    ['denied', failure('denied')],
    ['too_large', failure('too_large')],
    ['invalid_response', failure('invalid_response')],
    ['a bug', failure('unavailable', { cause: new TypeError('a bug') })],
    ['HTTP 401', failure('http_status', { httpStatus: 401 })],
    ['HTTP 413', failure('http_status', { httpStatus: 413 })],
  ])('does not ask again after %s', async (_name, why) => {
    const { settle, askedAt } = scene([why, good])
    expect(await settle('read')).toBe(why)
    expect(askedAt).toHaveLength(1)
  })

  it('waits at random within a window that doubles up to its cap', async () => {
    const draws = [0.999, 0.5, 0.999, 0]
    const { settle, askedAt } = scene([failure('connect')], {
      maxRetries: 4,
      baseDelayMs: 1_000,
      maxDelayMs: 3_000,
      random: () => draws.shift()!,
    })
    await settle('read')
    const waits = askedAt.slice(1).map((at, i) => at - askedAt[i]!)
    // Within 10 ms, the step of the clock: 0.999 × 1,000, 0.5 × 2,000, 0.999 × 3,000 for 4,000, and 0.
    expect(waits.map((ms) => Math.floor(ms / 10) * 10)).toEqual([1_000, 1_000, 3_000, expect.any(Number)])
    expect(waits[3]).toBeLessThanOrEqual(10)
  })

  it('gives up after its retries, with the last failure', async () => {
    const last = failure('disconnected')
    const { settle, askedAt } = scene([failure('connect'), failure('timeout'), failure('overloaded'), last])
    expect(await settle('read')).toBe(last)
    expect(askedAt).toHaveLength(4)
  })

  it('sends a write of unknown delivery once', async () => {
    const why = failure('disconnected')
    const { settle, askedAt } = scene([why, good])
    expect(await settle('write')).toBe(why)
    expect(askedAt).toHaveLength(1)
  })

  it('sends a write again that cannot have arrived, and stops once it can have', async () => {
    const why = failure('disconnected')
    const { settle, askedAt } = scene([failure('connect', { delivery: 'not_sent' }), why, good])
    expect(await settle('write')).toBe(why)
    expect(askedAt).toHaveLength(2)
  })

  it('does not call a call not_sent whose earlier attempt can have arrived', async () => {
    const { settle } = scene([failure('disconnected'), failure('connect', { delivery: 'not_sent' })])
    expect(await settle('read')).toMatchObject({ code: 'connect', delivery: 'unknown' })
  })

  it('takes the error of a repeated write that was done before for its result', async () => {
    const known = { error: { code: -32000, message: 'already known' } }
    const options: Partial<RetryOptions> = {
      isRepeatable: () => true,
      alreadyDone: (_request, { message }) => (message === 'already known' ? rawJsonFromText('"0xhash"') : undefined),
    }
    const repeated = scene([failure('disconnected'), known], options)
    expect(resultText((await repeated.settle('write')) as RpcResponse)).toBe('"0xhash"')
    // The first attempt, or the first that can have arrived, gets what the peer says.
    expect(await scene([known], options).settle('write')).toBe(known)
    const unsent = scene([failure('connect', { delivery: 'not_sent' }), known], options)
    expect(await unsent.settle('write')).toMatchObject(known)
  })

  it('repeats a rate-limited read, and no other error answer', async () => {
    const limited = { error: { code: -32005, message: 'limit exceeded' } }
    expect(resultText((await scene([limited, good]).settle('read')) as RpcResponse)).toBe('"done"')
    for (const [method, answer] of [
      ['write', limited],
      ['read', { error: { code: 3, message: 'execution reverted' } }],
      ['read', { error: { code: -32005, message: 'query returned more than 10000 results' } }],
    ] as const) {
      const { settle, askedAt } = scene([answer, good])
      expect(await settle(method)).toBe(answer)
      expect(askedAt).toHaveLength(1)
    }
  })

  it('resolves with the last error answer when the retries are used up', async () => {
    const limited = { error: { code: -32005, message: 'limit exceeded' } }
    const { settle, askedAt } = scene([limited])
    expect(await settle('read')).toMatchObject(limited)
    expect(askedAt).toHaveLength(4)
  })

  it('waits as long as the peer asks, and surfaces at once where that is too long', async () => {
    const busy = (retryAfterMs: number): RpcError => failure('http_status', { httpStatus: 503, retryAfterMs })
    const patient = scene([busy(10_000), good], { baseDelayMs: 0 })
    await patient.settle('read')
    expect(patient.askedAt[1]).toBeGreaterThanOrEqual(10_000)
    const why = busy(10_001)
    const { handler, context, askedAt, clock } = scene([why, good])
    await expect(handler(call('read'), context)).rejects.toBe(why)
    expect([askedAt.length, clock.now()]).toEqual([1, 1_000])
  })

  it('gives up at once where the wait would pass the deadline', async () => {
    const why = failure('http_status', { httpStatus: 503, retryAfterMs: 5_000 })
    const { handler, context, askedAt, clock } = scene([why, good], {}, 5_000)
    await expect(handler(call('read'), context)).rejects.toBe(why)
    expect(askedAt).toHaveLength(1)
    context.release()
    expect(clock.timers).toBe(0)
  })

  it('rejects at once when its caller leaves while it waits, and clears its timer', async () => {
    const { handler, context, askedAt, clock } = scene([failure('connect', { delivery: 'not_sent' }), good])
    const rejected = handler(call('read'), context).catch((why: RpcError) => why)
    while (clock.timers < 2) await new Promise((resolve) => void setImmediate(resolve))
    context.cancel(new RpcError('aborted', 'gone'))
    expect(clock.timers).toBe(0)
    expect(await rejected).toMatchObject({ code: 'aborted', delivery: 'not_sent' })
    expect(askedAt).toHaveLength(1)
  })

  it('asks again where an attempt took too long, with a timeout beneath it', async () => {
    let asked = 0
    const node: RpcHandler = (_request, context) =>
      asked++ === 0 ? new Promise((_resolve, reject) => void context.onCancel(reject)) : Promise.resolve(good)
    const handler = retry({ isRepeatable: () => true, baseDelayMs: 1 })(timeout(20)(node))
    const context = createContext({ timeoutMs: 10_000 })
    expect(resultText(await handler(call('read'), context))).toBe('"done"')
    expect(asked).toBe(2)
    expect(context.cancelled).toBeUndefined()
    context.release()
  })

  it('tells of each wait', async () => {
    const heard: unknown[] = []
    const { settle } = scene([failure('connect'), { error: { code: 429, message: 'slow down' } }, good], {
      onRetry: ({ method }, delayMs, why) => heard.push([method, delayMs, why.code]),
    })
    await settle('read')
    expect(heard).toEqual([
      ['read', 50, 'connect'],
      ['read', 100, 429],
    ])
  })
})

describe.each([
  ['retry', retry({ isRepeatable: ({ method }) => method === 'eth_chainId', baseDelayMs: 1 })],
  ['timeout', timeout(1_000)],
])('%s', (_name, middleware) => {
  for (const law of handlerLaws({ create: (peer) => middleware(peerHandler(peer)) })) it(law.name, law.run)
})
