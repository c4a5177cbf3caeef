import {
  type CallContext,
  createBatchingTransport,
  createContext,
  type HttpPort,
  RpcError,
  type RpcResponse,
} from '@wayleave/jsonrpc-core'
import { FakeClock } from '@wayleave/jsonrpc-core/testing'
import { describe, expect, it } from 'vitest'
import { serveHttp } from './real-server.ts'
import { bytes, call, resultText } from './support.ts'

const gone = new RpcError('aborted', 'the caller left')

/** A transport whose peer answers with what `answer` makes of the frames; `ask` sends calls m1, m2, … at one moment. */
function scene(
  answer: (frames: { id: number; method: string }[]) => string | { status: number; body: string },
  options: object = {},
) {
  const clock = new FakeClock()
  const posts: string[][] = []
  const signals: RpcErrorOrNone[] = []
  const http: HttpPort = async ({ body }, context) => {
    const frames = [JSON.parse(body) as never].flat() as { id: number; method: string }[]
    posts.push(frames.map(({ method }) => method))
    context.onCancel((why) => signals.push(why))
    const reply = answer(frames)
    if (reply === 'hang') return new Promise((_resolve, reject) => void context.onCancel(reject))
    const { status, body: text } = typeof reply === 'string' ? { status: 200, body: reply } : reply
    return { status, headers: new Headers(), body: [bytes(text)] }
  }
  const transport = createBatchingTransport({ url: 'http://peer', http, clock, ...options })
  const ask = (count: number, contexts: CallContext[] = []) =>
    Array.from({ length: count }, (_, i) => transport(call(`m${i + 1}`), contexts[i] ?? createContext({ clock })))
  const send = async (calls: Promise<RpcResponse>[]): Promise<string[]> => {
    const outcomes = calls.map(outcome)
    clock.advance(0)
    return Promise.all(outcomes)
  }
  return { clock, posts, signals, transport, ask, send }
}
type RpcErrorOrNone = RpcError | undefined
const outcome = (response: Promise<RpcResponse>): Promise<string> =>
  response.then(
    (settled) => (settled.error === undefined ? resultText(settled) : `error ${settled.error.code}`),
    (why: unknown) => (why instanceof RpcError ? why.code : String(why)),
  )
const frame = (id: number, rest = `"result":"r${id}"`): string => `{"jsonrpc":"2.0","id":${id},${rest}}`

describe('calls of one moment', () => {
  it('become one request, and their answers are told apart by id', async () => {
    const { posts, ask, send } = scene(
      (frames) =>
        `[${frames
          .map(({ id }) => frame(id))
          .toReversed()
          .join(',')}]`,
    )
    expect(await send(ask(3))).toEqual(['"r1"', '"r2"', '"r3"'])
    expect(posts).toEqual([['m1', 'm2', 'm3']])
  })

  it('alone goes as a single call', async () => {
    let sent = ''
    const http: HttpPort = async ({ body }) => {
      sent = body
      return { status: 200, headers: new Headers(), body: [bytes(frame(1))] }
    }
    const result = await createBatchingTransport({ url: 'http://peer', http })(call('m'), createContext())
    expect(resultText(result)).toBe('"r1"')
    expect(sent).toBe('{"jsonrpc":"2.0","id":1,"method":"m","params":[]}')
  })

  it('beyond the cap of calls or bytes go in further requests', async () => {
    const answer = (frames: { id: number }[]): string =>
      frames.length === 1 ? frame(frames[0]!.id) : `[${frames.map(({ id }) => frame(id)).join(',')}]`
    const byCalls = scene(answer, { maxCalls: 2 })
    expect(await byCalls.send(byCalls.ask(5))).toHaveLength(5)
    expect(byCalls.posts.map((methods) => methods.length)).toEqual([2, 2, 1])
    const length = '{"jsonrpc":"2.0","id":1,"method":"m1","params":[]}'.length
    const byBytes = scene(answer, { maxBytes: 2 * length + 3 })
    expect(await byBytes.send(byBytes.ask(5))).toEqual(['"r1"', '"r2"', '"r3"', '"r4"', '"r5"'])
    expect(byBytes.posts.map((methods) => methods.length)).toEqual([2, 2, 1])
  })

  it('work over a real connection', async () => {
    const { url } = await serveHttp(async (request, response) => {
      let body = ''
      for await (const chunk of request) body += String(chunk)
      response.end(`[${(JSON.parse(body) as { id: number }[]).map(({ id }) => frame(id)).join(',')}]`)
    })
    const transport = createBatchingTransport({ url })
    expect(await Promise.all([1, 2].map((i) => outcome(transport(call(`m${i}`), createContext()))))).toEqual([
      '"r1"',
      '"r2"',
    ])
  })
})

describe('an answer fails its own call only', () => {
  it.each([
    ['that is missing', [frame(1), frame(3)]],
    ['that comes twice', [frame(1), frame(2), frame(3), frame(2, '"result":"forged"')]],
    ['that has its id as text', [frame(1), frame(2).replace('2,', '"2",'), frame(3)]],
    ['that has another version', [frame(1), frame(2).replace('2.0', '1.0'), frame(3)]],
    ['that has neither result nor error', [frame(1), frame(2, '"x":1'), frame(3)]],
    ['that has both', [frame(1), frame(2, '"result":1,"error":{"code":1,"message":""}'), frame(3)]],
    ['that has two results', [frame(1), frame(2, '"result":1,"result":2'), frame(3)]],
    ['whose error has no code', [frame(1), frame(2, '"error":{}'), frame(3)]],
    ['that is no object', [frame(1), '2', frame(3)]],
    ['that does not close as it opened', [frame(1), '{"jsonrpc":"2.0","id":2,"result":[}]', frame(3)]],
    ['beside one of no call', [frame(1), frame(9), 'null', frame(3)]],
  ])('%s', async (_name, answers) => {
    const { ask, send } = scene(() => ` [${answers.join(' , ')}] `)
    expect(await send(ask(3))).toEqual(['"r1"', 'invalid_response', '"r3"'])
  })
})

describe('an answer for the whole batch', () => {
  it.each([
    ['one error without an id', '{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"no"}}', 'error -32000'],
    [
      'an array of one error without an id',
      '[{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"no"}}]',
      'error -32000',
    ],
    [
      'geth’s refusal of its size',
      `[${frame(1, '"error":{"code":-32600,"message":"batch too large"}')}]`,
      'error -32600',
    ],
  ])('%s is every call’s answer', async (_name, body, expected) => {
    const { ask, send } = scene(() => body)
    expect(await send(ask(3))).toEqual([expected, expected, expected])
  })

  it.each([
    ['one result', frame(1)],
    ['an error of another version', '{"jsonrpc":"1.0","id":null,"error":{"code":1,"message":""}}'],
    ['an array that goes on', `[${frame(1)},${frame(2)},${frame(3)}]]`],
    ['an array that is cut short', `[${frame(1)},${frame(2)},${frame(3)}`],
    ['text', 'sorry'],
    ['nothing', ''],
  ])('%s is nobody’s', async (_name, body) => {
    const { ask, send } = scene(() => body)
    expect(await send(ask(3))).toEqual(['invalid_response', 'invalid_response', 'invalid_response'])
  })

  it('never gives the failure of one call to the others', async () => {
    for (const body of [
      frame(1, '"error":{"code":3,"message":"reverted"}'),
      `[${frame(1, '"error":{"code":3,"message":"reverted"}')}]`,
    ]) {
      const { ask, send } = scene(() => body)
      expect(await send(ask(3))).toEqual(['error 3', 'invalid_response', 'invalid_response'])
    }
  })

  it('by its status rejects every call', async () => {
    const { ask, send } = scene(() => ({ status: 503, body: frame(1, '"error":{"code":3,"message":""}') }))
    expect(await send(ask(2))).toEqual(['http_status', 'http_status'])
    const forged = scene(() => ({ status: 400, body: frame(-1, '"error":{"code":3,"message":""}') }))
    expect(await forged.send(forged.ask(2))).toEqual(['http_status', 'http_status'])
  })

  it('with an error status is an answer to a lone call that it names', async () => {
    const { ask, send } = scene(() => ({ status: 400, body: frame(1, '"error":{"code":-32602,"message":""}') }))
    expect(await send(ask(1))).toEqual(['error -32602'])
  })

  it('that is too long rejects every call', async () => {
    const { ask, send } = scene((frames) => `[${frames.map(({ id }) => frame(id)).join(',')}]`, {
      maxResponseBytes: 50,
    })
    expect(await send(ask(2))).toEqual(['too_large', 'too_large'])
  })

  it('for another call is refused where one call was sent', async () => {
    const { ask, send } = scene(() => frame(2, '"error":{"code":3,"message":""}'))
    expect(await send(ask(1))).toEqual(['invalid_response'])
  })
})

describe('a caller who leaves', () => {
  it('before the request is not in it', async () => {
    const { clock, posts, ask, send } = scene((frames) => frame(frames[0]!.id))
    const contexts = [createContext({ clock }), createContext({ clock })]
    const calls = ask(2, contexts)
    const left = calls[0]!.catch((why: unknown) => why)
    contexts[0]!.cancel(gone)
    expect(await left).toMatchObject({ code: 'aborted', delivery: 'not_sent' })
    expect(await send(calls)).toEqual(['aborted', '"r2"'])
    expect(posts).toEqual([['m2']])
  })

  it('last, before the request, leaves neither a request nor a timer', async () => {
    const { clock, posts, ask, send } = scene(() => '[]')
    const contexts = [createContext({ clock }), createContext({ clock })]
    const calls = ask(2, contexts)
    const outcomes = calls.map(outcome)
    for (const context of contexts) context.cancel(gone)
    expect(clock.timers).toBe(0)
    expect(await Promise.all(outcomes)).toEqual(['aborted', 'aborted'])
    expect(await send(calls)).toEqual(['aborted', 'aborted'])
    expect(posts).toEqual([])
  })

  it('during the request takes nobody along; the last one ends it', async () => {
    const { clock, signals, ask } = scene(() => 'hang')
    const contexts = [createContext({ clock }), createContext({ clock, timeoutMs: 50 })]
    const outcomes = ask(2, contexts).map(outcome)
    clock.advance(0)
    contexts[0]!.cancel(gone)
    expect(await outcomes[0]).toBe('aborted')
    expect(signals).toEqual([])
    clock.advance(50)
    expect(await outcomes[1]).toBe('timeout')
    expect(signals).toEqual([expect.objectContaining({ code: 'timeout' })])
    expect(clock.timers).toBe(0)
  })

  it('gives its room back to those who stay', async () => {
    const length = '{"jsonrpc":"2.0","id":1,"method":"m1","params":[]}'.length
    const { clock, posts, ask, send } = scene((frames) => `[${frames.map(({ id }) => frame(id)).join(',')}]`, {
      maxBytes: 2 * length + 3,
    })
    const leaver = createContext({ clock })
    const left = ask(1, [leaver]).map(outcome)
    leaver.cancel(gone)
    expect(await send(ask(2))).toEqual(['"r2"', '"r3"'])
    expect(await Promise.all(left)).toEqual(['aborted'])
    expect(posts).toEqual([['m1', 'm2']])
  })
})

it('turns whatever a foreign port throws into an RpcError that repeats nothing of it', async () => {
  const clock = new FakeClock()
  const http = async (): Promise<never> => {
    throw new Error('no route to https://secret')
  }
  const rejected = createBatchingTransport({ url: 'http://peer', http, clock })(
    call('m'),
    createContext({ clock }),
  ).catch((why: unknown) => why)
  clock.advance(0)
  const why = (await rejected) as RpcError
  expect(why).toBeInstanceOf(RpcError)
  expect(`${why.message} ${String(why.cause)}`).not.toContain('secret')
})
