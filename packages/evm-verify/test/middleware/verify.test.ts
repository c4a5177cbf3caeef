import {
  type CallContext,
  createContext,
  isStream,
  rawJsonFromChunks,
  rawJsonFromText,
  rawJsonFromValue,
  RpcError,
  type RpcHandler,
  type RpcResponse,
} from '@wayleave/jsonrpc-core'
import { createScriptedPeer, handlerLaws, type PeerAction, peerHandler } from '@wayleave/jsonrpc-core/testing'
import { describe, expect, it, test } from 'vitest'
import { type Verdict, verification, verify, VerifyError, type VerifyOptions } from '../../src/index.ts'
import { chainTransactions, recordedCalls, recordedTransactions } from '../vectors.ts'

const byHash = 'eth_getTransactionByHash'
const byBlockHash = 'eth_getTransactionByBlockHashAndIndex'
const byBlockNumber = 'eth_getTransactionByBlockNumberAndIndex'
const [first, second] = recordedTransactions().filter(({ type }) => type !== '0x0') as [
  object & { hash: string },
  object,
]
const { tx: placed } = chainTransactions()[6]!

interface Call {
  readonly method: string
  readonly params: readonly unknown[]
  readonly context?: CallContext
}

function ask(action: PeerAction | RpcHandler, call: Call, options: Partial<VerifyOptions> = {}): Promise<RpcResponse> {
  const inner = typeof action === 'function' ? action : peerHandler(createScriptedPeer(() => action))
  const handler = verify({ require: 'consistent', ...options })(inner)
  const request = { method: call.method, params: rawJsonFromValue(call.params), notification: false }
  return handler(request, call.context ?? createContext({ timeoutMs: 2_000 }))
}

const answer = (value: unknown): PeerAction => ({ kind: 'answer', body: `"result":${JSON.stringify(value)}` })

async function textOf(response: Promise<RpcResponse>): Promise<string> {
  const { result } = await response
  if (result === undefined || isStream(result)) throw new Error('a whole result was expected')
  return result.text()
}

function rejectionOf(response: Promise<RpcResponse>): Promise<RpcError> {
  return response.then(
    () => Promise.reject(new Error('it resolved')),
    (why: unknown) => (why instanceof RpcError ? why : Promise.reject(why as Error)),
  )
}

describe('the laws of handlers', () => {
  for (const law of handlerLaws({ create: (peer) => verify({ require: 'consistent' })(peerHandler(peer)) }))
    it(law.name, law.run)
})

describe('the laws of handlers, for a method that is verified', () => {
  // The other laws answer what is no transaction; below are their like with transactions.
  const names = [
    "resolves with the peer's error",
    'settles by its deadline when the peer is silent',
    'settles by its deadline when the answer stops half-way, and frees it',
    'rejects when its caller aborts',
    'asks no peer for a call that was cancelled before',
    'rejects with an RpcError when the peer drops the connection',
    'forgets its caller when it has settled',
  ]
  for (const require of ['consistent', 'proven'] as const) {
    const laws = handlerLaws({ create: (peer) => verify({ require })(peerHandler(peer)), read: byHash })
    for (const name of names) it(`${require}: ${name}`, () => laws.find((law) => law.name === name)!.run())
  }
})

describe('answers that pass, byte for byte', () => {
  const calls = recordedCalls().filter(({ method }) => method.startsWith('eth_getTransactionBy'))

  test.each(calls)('$method, as recorded', async ({ method, params, result }) => {
    expect(await textOf(ask({ kind: 'answer', body: `"result":${result}` }, { method, params }))).toBe(result)
  })

  test('members that nobody knows, and odd spacing', async () => {
    const odd = JSON.stringify({ ...first, extra: 1 }).replace('"extra":1', ' "extra" : 12345678901234567890')
    const response = ask({ kind: 'answer', body: `"result":${odd}` }, { method: byHash, params: [first.hash] })
    expect(await textOf(response)).toBe(odd)
  })

  test('what other methods answer, though it is no truth', async () => {
    const response = ask(answer(second), { method: 'eth_call', params: [first.hash] })
    expect(await textOf(response)).toBe(JSON.stringify(second))
  })

  test('a transaction by its place', async () => {
    const call = { method: byBlockHash, params: [placed.blockHash, placed.transactionIndex] }
    expect(await textOf(ask(answer(placed), call))).toBe(JSON.stringify(placed))
    for (const block of [placed.blockNumber, 'latest', 'finalized']) {
      const params = [block, placed.transactionIndex]
      expect(await textOf(ask(answer(placed), { method: byBlockNumber, params }))).toBe(JSON.stringify(placed))
    }
  })

  test('a pending transaction, which has no place', async () => {
    const pending = { ...placed, blockHash: null, blockNumber: null, transactionIndex: null }
    const response = ask(answer(pending), { method: byBlockNumber, params: ['pending', '0x0'] })
    expect(await textOf(response)).toBe(JSON.stringify(pending))
  })

  test('an error of the node, with all its members', async () => {
    const action: PeerAction = { kind: 'answer', body: '"error":{"code":-32602,"message":"no","data":[1]}' }
    const { error } = await ask(action, { method: byHash, params: ['0x'] })
    expect(error).toMatchObject({ code: -32602, message: 'no', data: [1] })
  })
})

describe('answers that are refused', () => {
  test('another transaction than was asked for: both hashes are named', async () => {
    const error = await rejectionOf(ask(answer(second), { method: byHash, params: [first.hash] }))
    expect(error.code).toBe('invalid_response')
    const { hash } = second as { hash: string }
    expect(error.message).toBe(`${byHash}("${first.hash}"): the answer hashes to ${hash}, not to "${first.hash}"`)
  })

  test('a forgery under the right hash', async () => {
    const forged = { ...first, value: '0xde0b6b3a7640000' }
    const error = await rejectionOf(ask(answer(forged), { method: byHash, params: [first.hash] }))
    expect(error).toMatchObject({ code: 'invalid_response', delivery: 'unknown' })
    expect(error.message).toMatch(/the answer hashes to 0x[0-9a-f]{64}, not to /)
  })

  test.each([
    [byBlockHash, [`0x${'00'.repeat(32)}`, placed.transactionIndex], 'blockHash'],
    [byBlockHash, [placed.blockHash, '0x7'], 'transactionIndex'],
    [byBlockNumber, ['0x7fff', placed.transactionIndex], 'blockNumber'],
    [byBlockNumber, ['latest', '0x7'], 'transactionIndex'],
  ])('%s %j: a transaction of another %s', async (method, params, field) => {
    const error = await rejectionOf(ask(answer(placed), { method, params }))
    expect(error.code).toBe('invalid_response')
    expect(error.message).toContain(`the answer's ${field} is`)
  })

  test.each([
    [byHash, []],
    [byHash, [null]],
    [byHash, [{}]],
    [byBlockHash, [null, '0x0']],
    [byBlockHash, []],
  ])('%s %j: any transaction for params that ask for none', async (method, params) => {
    expect(await rejectionOf(ask(answer(placed), { method, params }))).toMatchObject({ code: 'invalid_response' })
  })

  test.each([7, 'text', [], true, {}])('%j, which is no transaction', async (value) => {
    const error = await rejectionOf(ask(answer(value), { method: byHash, params: [first.hash] }))
    expect(error.code).toBe('invalid_response')
  })

  test('a block without a hash, where no pending one was asked for', async () => {
    const block = recordedCalls().find(({ method, params }) => method === 'eth_getBlockByNumber' && params[1] === true)!
    const action = answer({ ...(JSON.parse(block.result) as object), hash: null })
    for (const name of ['latest', 'finalized', '0x7']) {
      const error = await rejectionOf(ask(action, { method: 'eth_getBlockByNumber', params: [name, true] }))
      expect(error.cause).toMatchObject({ code: 'mismatch', field: 'hash' })
    }
  })

  test.each([
    ['the first', '"value":"0x7","value":'],
    ['the last, escaped', '"v\\u0061lue":"0x7","value":'],
    ['in other case', '"Value":"0x7","value":'],
  ])('an answer with a member twice, of which a parser may take %s', async (_, twice) => {
    const odd = JSON.stringify(first).replace('"value":', twice)
    const response = ask({ kind: 'answer', body: `"result":${odd}` }, { method: byHash, params: [first.hash] })
    const error = await rejectionOf(response)
    expect(error.cause).toMatchObject({ code: 'mismatch' })
    expect(error.message).toContain('twice')
  })

  test('what is no JSON', async () => {
    const broken: RpcHandler = async () => ({ result: rawJsonFromText('{"hash":}') })
    expect(await rejectionOf(ask(broken, { method: byHash, params: [first.hash] }))).toMatchObject({
      code: 'invalid_response',
    })
  })
})

describe('answers of which little or nothing is told, and that pass', () => {
  test('to params by their names, or an index that is a number', async () => {
    const handler = verify({ require: 'consistent' })(peerHandler(createScriptedPeer(() => answer(placed))))
    const params = rawJsonFromValue({ transactionHash: placed.hash })
    const { meta } = await handler({ method: byHash, params, notification: false }, createContext())
    expect(verification.of(meta)?.level).toBe('unverifiable')
    const place = await ask(answer(placed), { method: byBlockNumber, params: [placed.blockNumber, 0] })
    expect(verification.of(place.meta)?.level).toBe('unverifiable')
  })

  test('the earliest block of a node that has no longer the first one', async () => {
    const block = recordedCalls().find(({ method, params }) => method === 'eth_getBlockByNumber' && params[1] === true)!
    const action: PeerAction = { kind: 'answer', body: `"result":${block.result}` }
    const response = ask(action, { method: 'eth_getBlockByNumber', params: ['earliest', true] })
    expect(verification.of((await response).meta)?.level).toBe('consistent')
    const place = { method: byBlockNumber, params: ['earliest', placed.transactionIndex] }
    expect(verification.of((await ask(answer(placed), place)).meta)?.level).toBe('consistent')
  })

  test('a pending block, whatever its hash', async () => {
    const block = { number: '0x7', hash: `0x${'11'.repeat(32)}`, transactions: [] }
    const { meta } = await ask(answer(block), { method: 'eth_getBlockByNumber', params: ['pending', true] })
    expect(verification.of(meta)?.level).toBe('unverifiable')
  })

  test.each(['debug_getRawTransaction', 'eth_getRawTransactionByHash'])(
    '%s: no bytes, which stand for null',
    async (method) => {
      for (const require of ['consistent', 'proven'] as const) {
        expect(await textOf(ask(answer('0x'), { method, params: [first.hash] }, { require }))).toBe('"0x"')
      }
    },
  )
})

describe('transactions that nothing can be told of', () => {
  const unknown = { ...first, type: '0x6a' }
  const call = { method: byHash, params: [first.hash] }

  test('pass, and are told of', async () => {
    const verdicts: [Verdict, string][] = []
    const onVerdict = (...reported: [Verdict, string]): void => void verdicts.push(reported)
    expect(await textOf(ask(answer(unknown), call, { onVerdict }))).toBe(JSON.stringify(unknown))
    expect(verdicts).toEqual([
      [{ ok: undefined, reason: expect.stringContaining('type 0x6a'), fields: expect.anything() }, byHash, 'none'],
    ])
  })

  test('are refused where the options say so', async () => {
    const error = await rejectionOf(ask(answer(unknown), call, { unverifiable: 'reject' }))
    expect(error).toMatchObject({ code: 'invalid_response', message: expect.stringContaining('type 0x6a') })
  })
})

test('every verdict is told, of null too, and of no other answer', async () => {
  const reported: unknown[] = []
  const options = { onVerdict: ({ ok }: Verdict, method: string) => void reported.push([method, ok]) }
  await ask(answer(first), { method: byHash, params: [first.hash] }, options)
  await rejectionOf(ask(answer(second), { method: byHash, params: [first.hash] }, options))
  await ask(answer(placed), { method: byBlockHash, params: [placed.blockHash, placed.transactionIndex] }, options)
  await ask(answer(null), { method: byHash, params: [first.hash] }, options)
  await ask(answer(first), { method: 'eth_chainId', params: [] }, options)
  expect(reported).toEqual([
    [byHash, true],
    [byHash, false],
    [byBlockHash, true],
    [byHash, undefined],
  ])
})

describe('the report', () => {
  test('stands beside the answer, member by member', async () => {
    const { meta } = await ask(answer(first), { method: byHash, params: [first.hash] })
    expect(verification.of(meta)).toMatchObject({ level: 'proven', anchor: 'question' })
    expect(verification.of(meta)?.fields).toMatchObject({ value: 'proven', from: 'proven', blockHash: 'unverifiable' })
    const place = [placed.blockHash, placed.transactionIndex]
    const other = await ask(answer(placed), { method: byBlockHash, params: place })
    expect(verification.of(other.meta)).toMatchObject({
      level: 'consistent',
      anchor: 'none',
      fields: { value: 'consistent' },
    })
  })

  test('of what is false is the cause of the error, and names the member', async () => {
    const { cause } = await rejectionOf(
      ask(answer({ ...first, from: `0x${'ab'.repeat(20)}` }), { method: byHash, params: [first.hash] }),
    )
    expect(cause).toBeInstanceOf(VerifyError)
    expect(cause).toMatchObject({ code: 'mismatch', field: 'from' })
  })

  test('keeps what else is known of how the answer came about', async () => {
    const inner: RpcHandler = async () => ({ result: rawJsonFromValue(first), meta: { endpoint: 'one' } })
    expect((await ask(inner, { method: byHash, params: [first.hash] })).meta).toMatchObject({ endpoint: 'one' })
  })
})

describe('what is required', () => {
  test('off: nothing is looked at, nor held', async () => {
    const text = JSON.stringify(second)
    expect(await textOf(ask(answer(second), { method: byHash, params: [first.hash] }, { require: 'off' }))).toBe(text)
  })

  test('proven: an answer that only agrees with itself is none', async () => {
    const params = [placed.blockHash, placed.transactionIndex]
    const error = await rejectionOf(ask(answer(placed), { method: byBlockHash, params }, { require: 'proven' }))
    expect(error.code).toBe('invalid_response')
  })

  test('other methods are refused unasked where the options say so, writes too', async () => {
    let asked = 0
    const inner: RpcHandler = async () => ({ result: rawJsonFromValue(asked++) })
    for (const method of ['eth_call', 'eth_sendRawTransaction']) {
      const error = await rejectionOf(ask(inner, { method, params: [] }, { others: 'reject' }))
      expect(error).toMatchObject({ code: 'denied', delivery: 'not_sent' })
    }
    expect(asked).toBe(0)
  })
})

describe('size', () => {
  const call = { method: byHash, params: [first.hash] }
  const text = JSON.stringify(first)

  test('no stream is asked for, though the caller takes one', async () => {
    const accepted: boolean[] = []
    const inner: RpcHandler = async (_request, context) => {
      accepted.push(context.acceptStream)
      return { result: rawJsonFromText(text) }
    }
    const context = createContext({ acceptStream: true })
    expect(await textOf(ask(inner, { ...call, context }))).toBe(text)
    await ask(inner, { method: 'eth_call', params: [], context })
    expect(accepted).toEqual([false, true])
  })

  test('a caller who takes streams is forgotten when the call has settled', async () => {
    const context = createContext({ acceptStream: true })
    const listen = context.onCancel.bind(context)
    let listeners = 0
    context.onCancel = (listener) => {
      listeners++
      const forget = listen(listener)
      return () => {
        listeners--
        forget()
      }
    }
    await ask(answer(first), { ...call, context })
    await rejectionOf(ask(answer(second), { ...call, context }))
    await rejectionOf(ask({ kind: 'drop' }, { ...call, context }))
    expect(listeners).toBe(0)
  })

  test('a call is cancelled with its caller who takes streams', async () => {
    const context = createContext({ acceptStream: true })
    const rejected = rejectionOf(ask({ kind: 'hang' }, { ...call, context }))
    context.cancel(new RpcError('aborted', 'the test aborts'))
    expect((await rejected).code).toBe('aborted')
  })

  test('a stream that comes all the same is held, up to the cap', async () => {
    let closed = 0
    const inner: RpcHandler = async () => ({ result: streamOf(text, () => closed++) })
    expect(await textOf(ask(inner, call))).toBe(text)
    const error = await rejectionOf(ask(inner, call, { maxBytes: 100 }))
    expect(error.code).toBe('too_large')
    expect(closed).toBe(2)
  })

  test('a whole answer is held up to the cap', async () => {
    const size = new TextEncoder().encode(text).length
    const inner: RpcHandler = async () => ({ result: rawJsonFromChunks([new TextEncoder().encode(text)]) })
    expect(await textOf(ask(inner, call, { maxBytes: size }))).toBe(text)
    expect(await rejectionOf(ask(inner, call, { maxBytes: size - 1 }))).toMatchObject({ code: 'too_large' })
  })
})

function streamOf(text: string, close: () => void): Extract<RpcResponse['result'], { streaming: true }> {
  async function* pieces(): AsyncGenerator<Uint8Array> {
    try {
      for (let at = 0; at < text.length; at += 60) yield new TextEncoder().encode(text.slice(at, at + 60))
    } finally {
      close()
    }
  }
  return { streaming: true, cancel: close, [Symbol.asyncIterator]: pieces }
}
