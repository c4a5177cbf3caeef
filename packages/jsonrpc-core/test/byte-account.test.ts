import {
  type ByteAccount,
  collectStream,
  createContext,
  createHttpTransport,
  createRpcServer,
  isStream,
  rawJsonFromText,
  RpcError,
  streamAnswers,
} from '@wayleave/jsonrpc-core'
import { serveSocket } from '@wayleave/jsonrpc-core/websocket'
import { describe, expect, it } from 'vitest'

/** An account of `capacity` bytes. */
function accountOf(capacity: number): ByteAccount & { held: number; peak: number } {
  return {
    held: 0,
    peak: 0,
    take(bytes) {
      if (this.held + bytes > capacity) return false
      this.held += bytes
      this.peak = Math.max(this.peak, this.held)
      return true
    },
    give(bytes) {
      this.held -= bytes
    },
    refusal: () => new RpcError('overloaded', 'too many bytes are held'),
  }
}

/** A peer that answers with `length` bytes, in parts. */
async function* arriving(length: number): AsyncGenerator<Uint8Array> {
  yield Buffer.from('{"jsonrpc":"2.0","id":1,"result":"')
  for (let sent = 0; sent < length; sent += 10_000) yield Buffer.alloc(10_000, 97)
  yield Buffer.from('"}')
}

const ask = (account: ByteAccount, acceptStream: boolean) =>
  createHttpTransport({
    url: 'http://peer',
    http: async () => ({ status: 200, headers: { get: () => null }, body: arriving(400_000) }),
    answers: streamAnswers(100_000, () => account),
  })({ method: 'a', params: undefined, notification: false }, createContext({ acceptStream }))

describe('an account', () => {
  it('pays for an answer while it is collected, and its bytes are the same', async () => {
    const account = accountOf(1_000_000)
    const { result } = await ask(account, false)
    expect(result).toMatchObject({ byteLength: 400_002 })
    expect(account.peak).toBeGreaterThan(400_000)
    expect(account.held).toBe(0)
    if (result === undefined || isStream(result)) throw new Error('a whole result was expected')
    expect(result.value()).toBe('a'.repeat(400_000))
  })

  it('refuses an answer that it cannot hold', async () => {
    const account = accountOf(200_000)
    await expect(ask(account, false)).rejects.toMatchObject({ code: 'overloaded' })
    expect(account.held).toBe(0)
  })

  it('pays for a stream that is collected, and not for one that passes', async () => {
    const account = accountOf(300_000)
    const passing = await ask(account, true)
    if (passing.result === undefined || !isStream(passing.result)) throw new Error('a stream was expected')
    expect(account.held).toBe(0)
    let length = 0
    for await (const chunk of passing.result) length += chunk.byteLength
    expect(length).toBe(400_002)
    const collected = await ask(account, true)
    if (collected.result === undefined || !isStream(collected.result)) throw new Error('a stream was expected')
    await expect(collectStream(collected.result, 1_000_000)).rejects.toMatchObject({ code: 'overloaded' })
    expect(account.held).toBe(0)
  })
})

describe('a socket with an account', () => {
  function scene(capacity: number) {
    const account = accountOf(capacity)
    const sent: { text: string; done: () => void }[] = []
    const closes: unknown[] = []
    let settled = 0
    const listeners: Record<string, (event: never) => void> = {}
    const socket = {
      readyState: 1,
      bufferedAmount: 0,
      isPaused: false,
      send() {},
      pause: () => void (socket.isPaused = true),
      resume: () => void (socket.isPaused = false),
      close: (...why: unknown[]) => void closes.push(why),
      addEventListener: (type: string, listener: (event: never) => void) => void (listeners[type] = listener),
    }
    const calls: string[] = []
    const server = createRpcServer(async ({ method }) => {
      calls.push(method)
      return { result: rawJsonFromText(method === 'big' ? `"${'a'.repeat(300_000)}"` : '1') }
    })
    const { session } = serveSocket(server, socket, {
      account,
      onSettled: () => settled++,
      sendText: (text) => new Promise((resolve) => void sent.push({ text, done: resolve })),
      sendChunks: (chunks) =>
        new Promise((resolve) => void sent.push({ text: Buffer.concat(chunks).toString(), done: resolve })),
    })
    const message = (method: string): void =>
      listeners['message']!({ data: `{"jsonrpc":"2.0","id":1,"method":"${method}"}` } as never)
    return { account, sent, closes, socket, calls, session, message, settled: () => settled }
  }
  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

  it('charges a message until its answer was sent', async () => {
    const { account, sent, message, settled } = scene(100_000)
    message('a')
    await turn()
    expect(sent).toHaveLength(1)
    expect(account.held).toBeGreaterThan(4_000)
    expect(settled()).toBe(0)
    sent[0]!.done()
    await turn()
    expect([account.held, settled()]).toEqual([0, 1])
  })

  it('closes with 1013 for a message or a push that may not be held', async () => {
    const one = scene(5_000)
    one.message('a')
    one.message('a')
    expect(one.closes).toEqual([[1013, 'too many bytes are held']])
    const other = scene(5_000)
    const event = rawJsonFromText(`"${'x'.repeat(4_000)}"`)
    expect(other.session.sendEvent('a', { id: '0x1' }, event)).toBe(true)
    expect(other.account.held).toBe(other.sent[0]!.text.length)
    expect(other.session.sendEvent('a', { id: '0x1' }, event)).toBe(false)
    expect(other.closes).toEqual([[1013, 'too many bytes are held']])
    other.sent[0]!.done()
    await turn()
    expect(other.account.held).toBe(0)
  })

  it('begins and reads no further message while much of an earlier answer is unsent', async () => {
    const { sent, message, calls, socket } = scene(10_000_000)
    message('big')
    await turn()
    message('a')
    await turn()
    expect([calls, socket.isPaused]).toEqual([['big'], true])
    sent[0]!.done()
    await turn()
    await turn()
    expect([calls, socket.isPaused]).toEqual([['big', 'a'], false])
  })
})

it('long params are parsed only if somebody asks for their value', async () => {
  let text = ''
  let value: unknown
  const server = createRpcServer(async ({ params }) => {
    text = params!.text()
    value = params!.value()
    return { result: rawJsonFromText('1') }
  })
  const params = JSON.stringify(['x'.repeat(100_000)])
  await server(Buffer.from(`{"jsonrpc":"2.0","id":1,"method":"a","params":${params}}`), createContext())
  expect(text).toBe(params)
  expect(value).toEqual(['x'.repeat(100_000)])
})
