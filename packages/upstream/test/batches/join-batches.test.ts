import {
  type BatchReply,
  type CallContext,
  CallContext as Context,
  createContext,
  type RpcContext,
  rawJsonFromValue,
  RpcError,
  type RpcResponse,
} from '@wayleave/jsonrpc-core'
import { FakeClock } from '@wayleave/jsonrpc-core/testing'
import { joinBatches, type JoinBatchesOptions } from '@wayleave/upstream'
import { describe, expect, it } from 'vitest'
import { call, resultOf, sleep } from '../support.ts'

const left = new RpcError('aborted', 'the caller left')
const rpcError = (code: number, message: string): RpcResponse => ({ error: { code, message } })

/** A node that tells in `log` what it was asked; `ask` sends the calls of one caller's batch in one turn. */
function scene(more: Partial<JoinBatchesOptions> = {}) {
  const clock = new FakeClock()
  const log: string[] = []
  const contexts: RpcContext[] = []
  const node = {
    /** The time of a call that is sent alone, in ms. */
    singleMs: 0,
    reply: (methods: readonly string[]): Promise<BatchReply> | BatchReply => ({
      answers: methods.map((method) => answerTo(method)),
    }),
  }
  const answerTo = (method: string): RpcResponse => ({ result: rawJsonFromValue(method) })
  const due: (() => void)[] = []
  const handler = joinBatches({
    single: async ({ method }, context) => {
      if (context.cancelled !== undefined) throw context.cancelled
      log.push(method)
      clock.advance(node.singleMs)
      return answerTo(method)
    },
    batch: async (requests, context) => {
      const methods = requests.map(({ method }) => method)
      log.push(`[${methods.join(' ')}]`)
      contexts.push(context)
      const ended = new Promise<never>((_resolve, reject) => void context.onCancel(reject))
      return Promise.race([node.reply(methods), ended])
    },
    mayJoin: ({ method }) => method !== 'write',
    priorMs: (method) => (method === 'slow' ? 5 : 0.1),
    isAboutKey: ({ code }) => code === -32005,
    clock,
    idleMs: () => clock.now(),
    nextTurn: (run) => void due.push(run),
    ...more,
  })
  const turn = (): void => {
    for (const run of due.splice(0)) run()
  }
  const contextIn = (batch: object = { size: 20 }): CallContext =>
    new Context({ clock, deadline: clock.now() + 30_000, batch: batch as { size: number } })
  let hasBegun = more.max === 1
  /** The first call of a second goes alone. */
  async function begun(): Promise<void> {
    if (hasBegun) return
    hasBegun = true
    const first = handler(call('first'), contextIn())
    turn()
    await first
    log.length = 0
  }
  async function ask(methods: readonly string[], options: { readonly contexts?: readonly RpcContext[] } = {}) {
    await begun()
    const batch = { size: methods.length }
    const answers = methods.map((method, i) =>
      handler(call(method), options.contexts?.[i] ?? contextIn(batch)).then(
        (response) => (response.error === undefined ? resultOf(response) : `error ${response.error.code}`),
        (why: unknown) => (why instanceof RpcError ? `failed ${why.code}` : String(why)),
      ),
    )
    turn()
    return Promise.all(answers)
  }
  return { clock, log, node, contexts, handler, begun, ask, turn, contextIn, answerTo }
}

describe('the reads of a batch', () => {
  it('leave together but for one a second, whose wait theirs is compared with', async () => {
    const { log, handler, ask, clock, turn, contextIn } = scene()
    const batch = contextIn({ size: 3 })
    const answers = ['a', 'b', 'c'].map((method) => handler(call(method), batch))
    turn()
    await Promise.all(answers)
    expect(log.splice(0)).toEqual(['a', '[b c]'])
    await ask(['a', 'b', 'c'])
    clock.advance(999)
    await ask(['a', 'b', 'c'])
    clock.advance(1)
    await ask(['a', 'b', 'c'])
    expect(log).toEqual(['[a b c]', '[a b c]', 'a', '[b c]'])
  })

  it('leave in one request where they come in one turn of the event loop', async () => {
    const { log, ask } = scene()
    expect(await ask(['a', 'b', 'c'])).toEqual(['a', 'b', 'c'])
    expect(log).toEqual(['[a b c]'])
  })

  it('leave apart from those of another batch', async () => {
    const { log, ask, contextIn } = scene()
    const [one, other] = [{ size: 2 }, { size: 2 }].map((batch) => contextIn(batch))
    expect(await ask(['a', 'b', 'c', 'd'], { contexts: [one!, other!, one!, other!] })).toEqual(['a', 'b', 'c', 'd'])
    expect(log).toEqual(['[a c]', '[b d]'])
  })

  it('leave alone where one is left, as do writes and calls of no batch', async () => {
    const { log, ask, clock } = scene()
    const alone = createContext({ clock })
    expect(await ask(['a', 'write'])).toEqual(['a', 'write'])
    expect(await ask(['b', 'c'], { contexts: [alone, alone] })).toEqual(['b', 'c'])
    expect(log).toEqual(['write', 'a', 'b', 'c'])
    alone.release()
  })

  it('leave alone where the limit is one call', async () => {
    const { log, ask } = scene({ max: 1 })
    await ask(['a', 'b'])
    expect(log).toEqual(['a', 'b'])
  })

  it('leave in several requests beyond the limit', async () => {
    const { log, ask } = scene({ max: 2 })
    await ask(['a', 'b', 'c', 'd', 'e'])
    expect(log).toEqual(['[a b]', '[c d]', 'e'])
  })

  it('leave in several requests beyond the bytes of one', async () => {
    const { log, handler, begun, turn, contextIn } = scene()
    await begun()
    const batch = contextIn({ size: 3 })
    const calls = ['a', 'b', 'c'].map((method) => handler(call(method, ['x'.repeat(100_000)]), batch))
    turn()
    await Promise.all(calls)
    expect(log).toEqual(['[a b]', 'c'])
  })
})

describe('a call that is slow', () => {
  it('leaves alone while nothing else is known', async () => {
    const { log, ask } = scene()
    await ask(['slow', 'slow', 'a', 'a'])
    expect(log).toEqual(['slow', 'slow', '[a a]'])
  })

  it('leaves alone once its batches have taken long, and together again after a while', async () => {
    const { log, node, ask, clock } = scene()
    const slow = async (methods: readonly string[]): Promise<BatchReply> => {
      clock.advance(5 * methods.length)
      return { answers: methods.map(() => ({ result: rawJsonFromValue('late') })) }
    }
    node.reply = slow
    node.singleMs = 5
    const ten = Array.from({ length: 10 }, () => 'a')
    await ask(ten)
    expect(log.splice(0)).toEqual([`[${ten.join(' ')}]`])
    for (let i = 0; i < 3; i++) await ask(ten)
    log.length = 0
    await ask(['a', 'a', 'a'])
    expect(log.splice(0)).toEqual(['a', 'a', 'a'])
    clock.advance(300_000)
    await ask(['a', 'a', 'a'])
    expect(log).toEqual(['a', '[a a]'])
  })

  it('is not told by a wait in which this process had much to do', async () => {
    const { log, node, ask, clock } = scene({ idleMs: () => 0 })
    node.reply = async (methods) => {
      clock.advance(100 * methods.length)
      return { answers: methods.map(() => ({ result: rawJsonFromValue('late') })) }
    }
    const methods = ['a', 'a', 'a', 'a']
    await ask(methods)
    await ask(methods)
    expect(log).toEqual(['[a a a a]', '[a a a a]'])
  })
})

describe('a batch that is refused', () => {
  it.each([
    ['by an error', (): BatchReply => ({ refusal: { code: -32600, message: 'batch requests are not supported' } })],
    ['by an object that is no error', (): BatchReply => ({ refusal: undefined })],
    ['by a status', (): never => refuse(405)],
  ])('has its calls asked alone, and further ones too: %s', async (_how, reply) => {
    const { log, node, ask } = scene()
    node.reply = reply
    expect(await ask(['a', 'b', 'c'])).toEqual(['a', 'b', 'c'])
    expect(await ask(['d', 'e'])).toEqual(['d', 'e'])
    expect(log).toEqual(['[a b c]', 'a', 'b', 'c', 'd', 'e'])
  })

  it('for its count teaches the limit that the words name, until it is old', async () => {
    const { log, node, ask, clock, answerTo } = scene()
    node.reply = (methods) =>
      methods.length > 3
        ? { refusal: { code: -32000, message: 'batch size limit of 3 exceeded' } }
        : { answers: methods.map(answerTo) }
    const methods = ['a', 'b', 'c', 'd', 'e']
    expect(await ask(methods)).toEqual(methods)
    log.length = 0
    expect(await ask(methods)).toEqual(methods)
    expect(log.splice(0)).toEqual(['[a b c]', '[d e]'])
    clock.advance(600_000)
    await ask(methods)
    expect(log.slice(0, 2)).toEqual(['a', '[b c d e]'])
  })

  it('for its count is halved where no number is named', async () => {
    const { log, node, ask, answerTo } = scene()
    node.reply = (methods) =>
      methods.length > 2
        ? { refusal: { code: -32600, message: 'batch too large' } }
        : { answers: methods.map(answerTo) }
    await ask(['a', 'b', 'c', 'd'])
    log.length = 0
    expect(await ask(['a', 'b', 'c', 'd'])).toEqual(['a', 'b', 'c', 'd'])
    expect(log).toEqual(['[a b]', '[c d]'])
  })

  it('for its length is halved', async () => {
    const { log, node, ask, answerTo } = scene()
    node.reply = (methods) => (methods.length > 2 ? refuse(413) : { answers: methods.map(answerTo) })
    await ask(['a', 'b', 'c', 'd'])
    log.length = 0
    await ask(['a', 'b', 'c', 'd'])
    expect(log.every((asked) => asked.split(' ').length <= 2)).toBe(true)
  })

  it.each([413, 415, 501])('by the status %i beside an error is refused all the same', async (status) => {
    const { log, node, ask } = scene()
    const refusal = { code: -32000, message: 'request entity too large' }
    node.reply = (methods) => (methods.length > 1 ? { refusal, status } : { answers: [] })
    expect(await ask(['a', 'b'])).toEqual(['a', 'b'])
    expect(await ask(['a', 'b'])).toEqual(['a', 'b'])
    expect(log).toEqual(['[a b]', 'a', 'b', 'a', 'b'])
  })

  it.each([200, 400, 422, 500])(
    'by one error that may be that of one call has its calls asked alone, and others go together: %i',
    async (status) => {
      const { log, node, ask, answerTo } = scene()
      const refusal = { code: -32602, message: 'invalid argument 0' }
      node.reply = (methods) => (methods.includes('bad') ? { refusal, status } : { answers: methods.map(answerTo) })
      expect(await ask(['bad', 'b'])).toEqual(['bad', 'b'])
      expect(await ask(['a', 'b'])).toEqual(['a', 'b'])
      expect(log).toEqual(['[bad b]', 'bad', 'b', '[a b]'])
    },
  )

  it('by one error three times is the last one for a while', async () => {
    const { log, node, ask } = scene()
    node.reply = () => ({ refusal: { code: -32602, message: 'invalid argument 0' }, status: 400 })
    for (let i = 0; i < 3; i++) await ask(['a', 'b'])
    log.length = 0
    await ask(['a', 'b'])
    expect(log).toEqual(['a', 'b'])
  })

  it('by an array without an answer is the last one for a while', async () => {
    const { log, node, ask } = scene()
    node.reply = (methods) => ({ answers: methods.map(() => undefined) })
    for (let i = 0; i < 2; i++) expect(await ask(['a', 'b'])).toEqual(['a', 'b'])
    expect(log).toEqual(['[a b]', 'a', 'b', 'a', 'b'])
  })

  it('in its greater part teaches how many calls were answered', async () => {
    const { log, node, ask, answerTo } = scene()
    node.reply = (methods) => ({ answers: methods.map((method, i) => (i < 2 ? answerTo(method) : undefined)) })
    const methods = ['a', 'b', 'c', 'd', 'e']
    expect(await ask(methods)).toEqual(methods)
    log.length = 0
    expect(await ask(methods)).toEqual(methods)
    expect(log).toEqual(['[a b]', '[c d]', 'e'])
  })

  it.each([
    ['batch of more than 3 requests are not allowed on the free tier', ['[a b c]', '[d e]']],
    ['Batch requests are not available in your plan', ['a', 'b', 'c', 'd', 'e']],
    ['batching is disabled', ['a', 'b', 'c', 'd', 'e']],
    ['Batch requests aren’t supported', ['a', 'b', 'c', 'd', 'e']],
    ['Your plan does not support batch requests', ['a', 'b', 'c', 'd', 'e']],
  ])('by a plan that refuses batches leaves the key in use: %s', async (message, after) => {
    for (const status of [200, 401, 403, 429, 500]) {
      const { log, node, ask, answerTo } = scene()
      const error = { code: -32005, message }
      node.reply = (methods) => {
        if (methods.length <= 3 && after.length === 2) return { answers: methods.map(answerTo) }
        if (status !== 200)
          throw new RpcError('http_status', `HTTP status ${status}`, { httpStatus: status, rpc: error })
        return { refusal: error, status }
      }
      const methods = ['a', 'b', 'c', 'd', 'e']
      expect(await ask(methods)).toEqual(methods)
      log.length = 0
      expect(await ask(methods)).toEqual(methods)
      expect(log).toEqual(after)
    }
  })

  it.each([
    'batch quota exceeded: daily request count',
    'rate limited: batch of 100 calls needs more than 330 compute units per second',
    'batch calls: API key is disabled',
    'batch '.repeat(300_000),
  ])('with an error about the key gives it to each call: %.40s', async (message) => {
    const { log, node, ask } = scene()
    node.reply = () => ({ refusal: { code: -32005, message }, status: 400 })
    expect(await ask(['a', 'b'])).toEqual(['error -32005', 'error -32005'])
    expect(await ask(['a', 'b'])).toEqual(['error -32005', 'error -32005'])
    expect(log).toEqual(['[a b]', '[a b]'])
  })
})

describe('one call of a batch', () => {
  it.each([
    ['has no answer', undefined],
    ['has no room for its answer', rpcError(-32003, 'response too large')],
  ])('is asked alone where it %s', async (_why, given) => {
    const { log, node, ask, answerTo } = scene()
    node.reply = (methods) => ({ answers: methods.map((method) => (method === 'b' ? given : answerTo(method))) })
    expect(await ask(['a', 'b', 'c'])).toEqual(['a', 'b', 'c'])
    expect(log).toEqual(['[a b c]', 'b'])
  })

  it('fails alone where its answer is misshapen, and keeps an error of its own', async () => {
    const { log, node, ask, answerTo } = scene()
    const broken = new RpcError('invalid_response', 'the response has neither a result nor an error')
    node.reply = () => ({ answers: [broken, rpcError(3, 'execution reverted'), answerTo('c')] })
    expect(await ask(['a', 'b', 'c'])).toEqual(['failed invalid_response', 'error 3', 'c'])
    expect(log).toEqual(['[a b c]'])
  })

  it('ends without the others where its caller leaves, and the request with the last of them', async () => {
    const { node, contexts, ask, contextIn, answerTo } = scene()
    const callers = [contextIn({ size: 2 })]
    const batch = callers[0]!.batch!
    callers.push(contextIn(batch))
    let reply = (_it: BatchReply): void => {}
    node.reply = () => new Promise((resolve) => (reply = resolve))
    const first = ask(['a', 'b'], { contexts: callers })
    await sleep(0)
    callers[0]!.cancel(left)
    expect(contexts[0]!.cancelled).toBeUndefined()
    reply({ answers: [answerTo('a'), answerTo('b')] })
    expect(await first).toEqual(['failed aborted', 'b'])

    const others = [contextIn(batch), contextIn(batch)]
    const second = ask(['a', 'b'], { contexts: others })
    await sleep(0)
    for (const each of others) each.cancel(left)
    expect(await second).toEqual(['failed aborted', 'failed aborted'])
    expect(contexts[1]!.cancelled).toBe(left)
  })

  it('is not sent where its caller has left in the same turn', async () => {
    const { log, handler, begun, turn, contextIn } = scene()
    await begun()
    const batch = { size: 3 }
    const contexts = [contextIn(batch), contextIn(batch), contextIn(batch)]
    const answers = ['a', 'b', 'c'].map((method, i) => handler(call(method), contexts[i]!).catch(() => 'left'))
    contexts[1]!.cancel(left)
    turn()
    expect(await answers[1]).toBe('left')
    await Promise.all(answers)
    expect(log).toEqual(['[a c]'])
  })
})

describe('a batch that fails', () => {
  it('fails each of its calls with the same reason, and asks none again', async () => {
    const { log, node, ask } = scene()
    const why = new RpcError('disconnected', 'the connection broke')
    node.reply = () => Promise.reject(why)
    expect(await ask(['a', 'b'])).toEqual(['failed disconnected', 'failed disconnected'])
    expect(log).toEqual(['[a b]'])
  })

  it.each(['disconnected', 'invalid_response', 'timeout'] as const)(
    'three times in a row is the last one for half a minute, then for twice as long: %s',
    async (code) => {
      const { log, node, ask, clock, answerTo } = scene()
      const sound = node.reply
      await ask(['a', 'b'])
      node.reply = () => Promise.reject(new RpcError(code, 'the connection broke'))
      for (let i = 0; i < 3; i++) await ask(['a', 'b'])
      log.length = 0
      for (const pauseMs of [30_000, 60_000, 120_000]) {
        expect(await ask(['a', 'b'])).toEqual(['a', 'b'])
        clock.advance(pauseMs - 1)
        expect(await ask(['a', 'b'])).toEqual(['a', 'b'])
        expect(log.splice(0)).toEqual(['a', 'b', 'a', 'b'])
        clock.advance(1)
        await ask(['a', 'b', 'c', 'd'])
        expect(log.splice(0).filter((asked) => asked.startsWith('['))).toEqual(['[b c d]'])
      }
      clock.advance(240_000)
      node.reply = sound
      await ask(['a', 'b', 'c'])
      log.length = 0
      node.reply = () => Promise.reject(new RpcError(code, 'the connection broke'))
      await ask(['a', 'b'])
      node.reply = (methods) => ({ answers: methods.map(answerTo) })
      expect(await ask(['a', 'b'])).toEqual(['a', 'b'])
      expect(log).toEqual(['[a b]', '[a b]'])
    },
  )

  it.each([500, 502, 504])('three times in a row by the status %i is the last one for a while', async (status) => {
    const { log, node, ask } = scene()
    node.reply = () => refuse(status)
    for (let i = 0; i < 3; i++) expect(await ask(['a', 'b'])).toEqual(['failed http_status', 'failed http_status'])
    log.length = 0
    expect(await ask(['a', 'b'])).toEqual(['a', 'b'])
    expect(log).toEqual(['a', 'b'])
  })

  it.each([
    ['by a rate limit', new RpcError('http_status', 'HTTP status 429', { httpStatus: 429, retryAfterMs: 1 })],
    ['by a status of overload', new RpcError('http_status', 'HTTP status 503', { httpStatus: 503 })],
    ['without a connection', new RpcError('connect', 'no connection could be made')],
  ])('teaches nothing of batches: %s', async (_how, why) => {
    const { log, node, ask } = scene()
    node.reply = () => Promise.reject(why)
    for (let i = 0; i < 4; i++) expect(await ask(['a', 'b'])).toEqual([`failed ${why.code}`, `failed ${why.code}`])
    expect(log).toEqual(Array.from({ length: 4 }, () => '[a b]'))
  })

  it('by silence has its calls asked alone in time, and its request ended', async () => {
    const { log, node, handler, begun, turn, clock, contextIn, contexts } = scene()
    await begun()
    node.reply = () => new Promise(() => {})
    const batch = contextIn({ size: 2 })
    const answers = Promise.all(['b', 'c'].map((method) => handler(call(method), batch).then(resultOf)))
    turn()
    clock.advance(2_000)
    await sleep(0)
    expect(log).toEqual(['[b c]'])
    clock.advance(10)
    expect(await answers).toEqual(['b', 'c'])
    expect(log).toEqual(['[b c]', 'b', 'c'])
    expect(contexts[0]!.cancelled?.code).toBe('timeout')
  })

  it('by silence while this process has much to do is waited for once more', async () => {
    const { log, node, handler, begun, turn, clock, contextIn, answerTo } = scene({ idleMs: () => 0 })
    await begun()
    let reply = (_it: BatchReply): void => {}
    node.reply = () => new Promise((resolve) => (reply = resolve))
    const batch = contextIn({ size: 2 })
    const answers = Promise.all(['b', 'c'].map((method) => handler(call(method), batch).then(resultOf)))
    turn()
    await sleep(0)
    clock.advance(3_000)
    reply({ answers: ['b', 'c'].map(answerTo) })
    expect(await answers).toEqual(['b', 'c'])
    expect(log).toEqual(['[b c]'])
  })

  it('and is answered in time keeps no timer', async () => {
    const { ask, clock, contextIn } = scene()
    const contexts = ['a', 'b'].map(() => contextIn({ size: 2 }))
    await ask(['a', 'b'], { contexts: [contexts[0]!, contexts[0]!] })
    for (const context of contexts) context.release()
    const before = clock.timers
    await ask(['a', 'b'], { contexts: [contexts[0]!, contexts[0]!] })
    expect(clock.timers).toBe(before)
  })

  it('because all answers together are too long has its calls asked alone, as are further ones of their methods', async () => {
    const { log, node, ask, clock, answerTo } = scene()
    node.reply = () => Promise.reject(new RpcError('too_large', 'the response is longer than 10 bytes'))
    expect(await ask(['a', 'b'])).toEqual(['a', 'b'])
    expect(log.splice(0)).toEqual(['[a b]', 'a', 'b'])
    node.reply = (methods) => ({ answers: methods.map(answerTo) })
    await ask(['a', 'b', 'c', 'd'])
    expect(log.splice(0)).toEqual(['a', 'b', '[c d]'])
    clock.advance(300_000)
    await ask(['a', 'a', 'b'])
    expect(log).toEqual(['a', '[a b]'])
  })

  it('because its first caller may hold no more bytes has its calls asked alone, and teaches nothing', async () => {
    const { log, node, ask } = scene()
    node.reply = () => Promise.reject(new RpcError('overloaded', 'too many bytes are held'))
    for (let i = 0; i < 4; i++) expect(await ask(['a', 'b'])).toEqual(['a', 'b'])
    expect(log.filter((asked) => asked === '[a b]')).toHaveLength(4)
  })
})

function refuse(status: number): never {
  throw new RpcError('http_status', `HTTP status ${status} came instead of an answer`, { httpStatus: status })
}
