import { type BatchReply, createContext, createHttpBatch, type HttpPort, RpcError } from '@wayleave/jsonrpc-core'
import { expect, it, onTestFinished, vi } from 'vitest'
import { bytes, call, resultText } from './support.ts'

const frame = (id: unknown, rest = `"result":"r${String(id)}"`): string =>
  `{"jsonrpc":"2.0","id":${String(id)},${rest}}`

/** Asks three calls of a peer that answers with a text. */
async function ask(text: string, options: { status?: number; cut?: number; cap?: number } = {}) {
  const { status = 200, cut = text.length, cap } = options
  const bodies: string[] = []
  const http: HttpPort = ({ body }) => {
    bodies.push(body)
    const chunks = [bytes(text.slice(0, cut)), bytes(text.slice(cut))].filter(({ byteLength }) => byteLength > 0)
    return Promise.resolve({ status, headers: new Headers(), body: chunks })
  }
  const batch = createHttpBatch({ url: 'http://peer', http, ...(cap !== undefined && { maxResponseBytes: cap }) })
  const context = createContext()
  try {
    const reply = await batch([call('a'), call('b', ['é']), call('c')], context)
    return { bodies, reported: reported(reply) }
  } catch (thrown) {
    return { bodies, reported: (thrown as RpcError).code }
  } finally {
    context.release()
  }
}

function reported(reply: BatchReply): unknown {
  if (reply.answers === undefined) return { refusal: reply.refusal?.message }
  return reply.answers.map((answer) => {
    if (answer === undefined) return 'missing'
    if (answer instanceof RpcError) return answer.code
    return answer.error === undefined ? resultText(answer) : answer.error.code
  })
}

it('calls of a batch are one array with the ids from 1 up', async () => {
  const { bodies, reported: answers } = await ask(`[${[1, 2, 3].map((id) => frame(id)).join(',')}]`)
  expect(bodies).toEqual([
    '[{"jsonrpc":"2.0","id":1,"method":"a","params":[]},{"jsonrpc":"2.0","id":2,"method":"b","params":["é"]},{"jsonrpc":"2.0","id":3,"method":"c","params":[]}]',
  ])
  expect(answers).toEqual(['"r1"', '"r2"', '"r3"'])
})

it.each([
  ['in another order', `[${frame(3)},${frame(1)},${frame(2)}]`, ['"r1"', '"r2"', '"r3"']],
  ['with spaces', ` [ ${frame(1)} , ${frame(2)},\n${frame(3)} ] `, ['"r1"', '"r2"', '"r3"']],
  ['with one missing', `[${frame(1)},${frame(3)}]`, ['"r1"', 'missing', '"r3"']],
  ['with an error', `[${frame(1)},${frame(2, '"error":{"code":3,"message":"no"}')},${frame(3)}]`, ['"r1"', 3, '"r3"']],
  [
    'with an error of no id',
    `[${frame(1)},${frame('null', '"error":{"code":-32600,"message":"no"}')},${frame(3)}]`,
    ['"r1"', 'missing', '"r3"'],
  ],
  ['with one misshapen', `[${frame(1)},{"jsonrpc":"2.0","id":2},${frame(3)}]`, ['"r1"', 'invalid_response', '"r3"']],
  ['with letters beyond ASCII', `[${frame(1, '"result":"é😀"')},${frame(2)},${frame(3)}]`, ['"é😀"', '"r2"', '"r3"']],
  ['with one twice', `[${frame(1)},${frame(2)},${frame(2)}]`, 'invalid_response'],
  ['with the id of no call', `[${frame(1)},${frame(2)},${frame(4)}]`, 'invalid_response'],
  ['with one more than asked', `[${[1, 2, 3, 4].map((id) => frame(id)).join(',')}]`, 'invalid_response'],
  ['with an id as a text', `[${frame(1)},${frame('"2"', '"result":2')},${frame(3)}]`, 'invalid_response'],
  ['with something behind', `[${[1, 2, 3].map((id) => frame(id)).join(',')}]x`, 'invalid_response'],
  ['cut off', `[${frame(1)},${frame(2)}`, 'invalid_response'],
  ['that is empty', '[]', ['missing', 'missing', 'missing']],
  [
    'of one error for all',
    `[${frame(1, '"error":{"code":-32600,"message":"batch too large"}')}]`,
    { refusal: 'batch too large' },
  ],
  [
    'of an error in place of an array',
    frame('null', '"error":{"code":-32000,"message":"no batches"}'),
    { refusal: 'no batches' },
  ],
  ['of a result in place of an array', frame(1), { refusal: undefined }],
  ['of no JSON-RPC', '<html>', 'invalid_response'],
])('an answer to a batch %s is read by its ids', async (_how, text, answers) => {
  expect((await ask(text)).reported).toEqual(answers)
  expect((await ask(text, { cut: Math.ceil(text.length / 2) })).reported).toEqual(answers)
})

it('an answer to a batch beside an error status is none', async () => {
  const text = `[${[1, 2, 3].map((id) => frame(id)).join(',')}]`
  expect((await ask(text, { status: 502 })).reported).toBe('http_status')
})

it('an answer to a batch beyond the cap is too large', async () => {
  const text = `[${[1, 2, 3].map((id) => frame(id)).join(',')}]`
  expect((await ask(text, { cap: text.length })).reported).toEqual(['"r1"', '"r2"', '"r3"'])
  expect((await ask(text, { cap: text.length - 1 })).reported).toBe('too_large')
})

it('an error with the id `undefined` beside an error status is no answer to a batch', async () => {
  const text = '{"jsonrpc":"2.0","id":undefined,"error":{"code":-1,"message":"no"}}'
  expect((await ask(text, { status: 400 })).reported).toBe('http_status')
})

it('the bytes of an answer to a batch stay paid until it was read', async () => {
  const text = `[${[1, 2, 3].map((id) => frame(id)).join(',')}]`
  const log: string[] = []
  async function* arriving() {
    yield bytes(text)
  }
  const http: HttpPort = () => Promise.resolve({ status: 200, headers: new Headers(), body: arriving() })
  const accountOf = () => ({
    take: (taken: number) => (log.push(`take ${taken}`), true),
    give: (given: number) => void log.push(`give ${given}`),
    refusal: () => new RpcError('overloaded', 'too many bytes are held'),
  })
  const context = createContext()
  const { decode } = TextDecoder.prototype
  const spy = vi.spyOn(TextDecoder.prototype, 'decode').mockImplementation(function (this: TextDecoder, ...args) {
    log.push('read')
    return decode.apply(this, args)
  })
  onTestFinished(() => spy.mockRestore())
  await createHttpBatch({ url: 'http://peer', http, accountOf })([call('a'), call('b'), call('c')], context)
  expect(log).toEqual([`take ${text.length}`, 'read', `give ${text.length}`])
  context.release()
})

it('an answer to a batch beyond the cap is given up while it arrives, though its body never ends', async () => {
  let isGivenUp = false
  const body = {
    [Symbol.asyncIterator]: () => ({
      next: () => Promise.resolve({ done: false, value: bytes('[1234567890') }),
      return: () => ((isGivenUp = true), new Promise<never>(() => {})),
    }),
  }
  const http: HttpPort = () => Promise.resolve({ status: 200, headers: new Headers(), body: body as never })
  const context = createContext()
  const batch = createHttpBatch({ url: 'http://peer', http, maxResponseBytes: 30 })
  await expect(batch([call('a'), call('b')], context)).rejects.toMatchObject({ code: 'too_large' })
  expect(isGivenUp).toBe(true)
  context.release()
})
