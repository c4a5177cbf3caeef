import type { Block, Hash, Quantity, Transaction } from '@wayleave/evm-types'
import { createContext, isStream, rawJsonFromValue, RpcError, type RpcHandler } from '@wayleave/jsonrpc-core'
import { describe, expect, test } from 'vitest'
import {
  type Verification,
  verification as verificationOn,
  verify,
  VerifyError,
  type VerifyOptions,
} from '../../src/index.ts'
import { address, stranger } from '../made-state.ts'
import { mutationsOf } from '../mutations.ts'
import { type MadeNode, madeNode, type Tamper } from './made-chain.ts'

const { blocks } = madeNode()
const head = blocks.at(-1)!
const full = blocks.findLast(({ transactions }) => transactions.length === 3)!
const withUncle = blocks.find(({ uncles }) => uncles?.length === 1)!
const tx = full.transactions[1] as Transaction
const anchor = { blockHash: head.hash! }
const topic: Hash = `0x${'1'.padStart(64, '0')}`

interface Outcome {
  readonly text?: string
  readonly verification?: Verification | undefined
  readonly error?: RpcError
  readonly node: MadeNode
}

interface Question {
  readonly method: string
  readonly params: readonly unknown[]
}

async function ask(
  { method, params }: Question,
  options: Partial<VerifyOptions> = { anchor },
  node: MadeNode = madeNode(),
): Promise<Outcome> {
  const handler = verify({ require: 'proven', logs: 'receipts', ...options })(node.handler)
  const context = createContext({ timeoutMs: 20_000 })
  try {
    const { result, error, meta } = await handler(
      { method, params: rawJsonFromValue(params), notification: false },
      context,
    )
    if (error !== undefined) return { text: JSON.stringify(error), node }
    if (isStream(result)) throw new Error('a stream came')
    return { text: result.text(), verification: verificationOn.of(meta), node }
  } catch (thrown) {
    if (thrown instanceof RpcError) return { error: thrown, node }
    throw thrown
  } finally {
    context.release()
  }
}

const liar = (tamper: Tamper): MadeNode => Object.assign(madeNode(), { tamper })

function field({ error }: Outcome): readonly [string | undefined, string | undefined] {
  const cause = error?.cause
  return cause instanceof VerifyError ? [cause.code, cause.field] : [error?.code, undefined]
}

const byNumber: readonly (readonly [method: string, params: readonly unknown[]])[] = [
  ['eth_getBlockByNumber', [full.number, false]],
  ['eth_getBlockByNumber', [full.number, true]],
  ['eth_getBlockByNumber', ['latest', true]],
  ['eth_getBlockByNumber', ['finalized', false]],
  ['eth_getTransactionByBlockNumberAndIndex', [full.number, '0x1']],
  ['eth_getTransactionByBlockNumberAndIndex', [full.number, '0xff']],
  ['eth_getUncleByBlockNumberAndIndex', [withUncle.number, '0x0']],
  ['eth_getUncleByBlockNumberAndIndex', [withUncle.number, '0x1']],
  ['eth_getUncleByBlockNumberAndIndex', [head.number, '0x0']],
  ['eth_getBlockTransactionCountByNumber', [full.number]],
  ['eth_getBlockReceipts', [full.number]],
  ['eth_getTransactionReceipt', [tx.hash]],
  ['eth_getTransactionByHash', [tx.hash]],
  ['eth_getBalance', [address, full.number]],
  ['eth_getBalance', [address]],
  ['eth_getBalance', [stranger, 'latest']],
  ['eth_getTransactionCount', [address, { blockNumber: full.number }]],
  ['eth_getCode', [address, 'latest']],
  ['eth_getCode', [stranger, 'latest']],
  ['eth_getStorageAt', [address, '0x7', 'latest']],
  ['eth_getStorageAt', [address, `0x${'77'.repeat(32)}`, 'latest']],
  ['eth_getProof', [address, ['0x7', '0x99'], 'latest']],
  ['eth_getLogs', [{ fromBlock: blocks.at(-5)!.number, toBlock: 'latest' }]],
  ['eth_getLogs', [{ fromBlock: full.number, toBlock: full.number, address, topics: [[topic]] }]],
  ['eth_getLogs', [{ fromBlock: blocks.at(-5)!.number, topics: [null, `0x${'ee'.repeat(32)}`] }]],
]

const byHash: readonly (readonly [method: string, params: readonly unknown[]])[] = [
  ['eth_getBlockByHash', [full.hash, false]],
  ['eth_getBlockByHash', [full.hash, true]],
  ['eth_getTransactionByBlockHashAndIndex', [full.hash, '0x1']],
  ['eth_getUncleByBlockHashAndIndex', [withUncle.hash, '0x0']],
  ['eth_getBlockTransactionCountByHash', [full.hash]],
  ['eth_getBlockReceipts', [full.hash]],
  ['eth_getBlockReceipts', [{ blockHash: full.hash }]],
  ['eth_getTransactionByHash', [tx.hash]],
  ['eth_getBalance', [address, full.hash]],
  ['eth_getBalance', [address, { blockHash: full.hash, requireCanonical: true }]],
  ['eth_getProof', [address, [], full.hash]],
  ['eth_getLogs', [{ blockHash: full.hash, address }]],
]

describe('a genuine answer is proven', () => {
  test.each(byNumber)('%s %j by a trusted hash', async (method, params) => {
    const { verification, error } = await ask({ method, params })
    expect(error).toBeUndefined()
    expect(verification).toMatchObject({ level: 'proven', anchor: 'hash' })
  })

  test.each(byNumber)('%s %j by a quorum', async (method, params) => {
    const handlers = [madeNode(), madeNode(), liar((result) => ({ ...(result as object), hash: topic }))].map(
      (node) => node.handler,
    )
    const { verification, error } = await ask({ method, params }, { anchor: { quorum: { handlers, atLeast: 2 } } })
    expect(error).toBeUndefined()
    expect(verification).toMatchObject({ level: 'proven', anchor: 'quorum' })
  })

  test.each(byHash)('%s %j by the hash in the question', async (method, params) => {
    const { verification, error } = await ask({ method, params }, {})
    expect(error).toBeUndefined()
    expect(verification).toMatchObject({ level: 'proven', anchor: 'question' })
  })

  test('a transaction with its place where there is an anchor, without it where there is none', async () => {
    const question = { method: 'eth_getTransactionByHash', params: [tx.hash] }
    const place = ['blockHash', 'blockNumber', 'transactionIndex']
    const placed = await ask(question)
    for (const name of place) expect(placed.verification!.fields[name]).toBe('proven')
    const alone = await ask(question, {})
    for (const name of place) expect(alone.verification!.fields[name]).toBe('unverifiable')
    const old = await ask(question, { anchor: { blockHash: blocks[0]!.hash! } })
    expect(old.verification).toMatchObject({ level: 'proven', fields: { blockHash: 'unverifiable', value: 'proven' } })
  })

  test('latest is the block that a function vouches for', async () => {
    const trusted = blocks.at(-3)!
    const blockHash = async (): Promise<Hash> => trusted.hash!
    const { text } = await ask({ method: 'eth_getBlockByNumber', params: ['latest', true] }, { anchor: { blockHash } })
    expect((JSON.parse(text!) as Block).hash).toBe(trusted.hash)
  })

  test('latest is the highest block that enough of a quorum have', async () => {
    const behind = Object.assign(madeNode(), { height: blocks.length - 2 })
    const far = Object.assign(madeNode(), { height: blocks.length - 9 })
    const handlers = [behind.handler, madeNode().handler]
    const question = { method: 'eth_getBlockByNumber', params: ['latest', false] }
    const { text } = await ask(question, { anchor: { quorum: { handlers, atLeast: 2 } } })
    expect((JSON.parse(text!) as Block).number).toBe(blocks.at(-3)!.number)
    const votes = { quorum: { handlers: [far.handler], atLeast: 1 } }
    expect((JSON.parse((await ask(question, { anchor: votes })).text!) as Block).number).toBe(blocks.at(-10)!.number)
  })

  test('latest is nothing where two endpoints are far apart, of which nobody can tell who is right', async () => {
    const question = { method: 'eth_getBlockByNumber', params: ['latest', false] }
    const far = Object.assign(madeNode(), { height: blocks.length - 34 })
    const near = Object.assign(madeNode(), { height: blocks.length - 32 })
    const quorum = (node: MadeNode) => ({ quorum: { handlers: [node.handler, madeNode().handler], atLeast: 2 } })
    const { error } = await ask(question, { anchor: quorum(far) })
    expect(error?.message).toContain('latest: the endpoints are 34 blocks apart, and too few to tell which is right')
    const { text } = await ask(question, { anchor: quorum(near) })
    expect((JSON.parse(text!) as Block).number).toBe(blocks.at(-33)!.number)
  })

  test('latest is not drawn back nor forward by fewer liars than a quorum, whoever answers first', async () => {
    const says = (number: Quantity): RpcHandler => liar((result) => ({ ...(result as object), number })).handler
    const question = { method: 'eth_getBlockByNumber', params: ['latest', false] }
    for (const number of ['0x0', '0xffffffff'] as const) {
      for (const handlers of [
        [says(number), madeNode().handler, madeNode().handler],
        [madeNode().handler, madeNode().handler, says(number), madeNode().handler],
      ]) {
        const { text } = await ask(question, { anchor: { quorum: { handlers, atLeast: 2 } } })
        expect((JSON.parse(text!) as Block).hash).toBe(head.hash)
      }
    }
  })

  test('the digits of a number in the question may be in either case', async () => {
    const upper = blocks.find(({ number }) => /[a-f]/.test(number!))!
    const params = [`0x${upper.number!.slice(2).toUpperCase()}`, false]
    const node = Object.assign(madeNode(), {
      handler: ((request, context) => {
        const given = request.params?.parse() as unknown[]
        const lower = given.map((one) => (one === params[0] ? upper.number : one))
        return madeNode().handler({ ...request, params: rawJsonFromValue(lower) }, context)
      }) as RpcHandler,
    })
    const quorum = { handlers: [node.handler], atLeast: 1 }
    const { verification } = await ask({ method: 'eth_getBlockByNumber', params }, { anchor: { quorum } }, node)
    expect(verification).toMatchObject({ level: 'proven', anchor: 'quorum' })
  })

  test('a proof that is none is refused by the member that it lacks', async () => {
    const node = liar((result, { method }) => (method === 'eth_getProof' ? {} : result))
    const { error } = await ask({ method: 'eth_getBalance', params: [address, 'latest'] }, { anchor }, node)
    expect(error?.cause).toMatchObject({
      code: 'mismatch',
      field: 'address',
      message: expect.stringMatching(/^eth_getProof: address: expected /),
    })
  })

  test('a receipt has the number of the block that it names, also where nobody vouches for that', async () => {
    const receipt = { method: 'eth_getTransactionReceipt', params: [tx.hash] }
    const older = { blockHash: blocks.find(({ number }) => Number(number) < Number(full.number))!.hash! }
    const node = liar((result, { method }) =>
      method === receipt.method ? { ...(result as object), blockNumber: head.number } : result,
    )
    expect((await ask(receipt, { anchor: older, unverifiable: 'pass' }, node)).error?.cause).toMatchObject({
      code: 'mismatch',
      field: 'blockNumber',
    })
    expect((await ask(receipt, { anchor: older })).error?.message).toContain('newer than the trusted block')
  })

  test('a receipt agrees with the block that it names, also where nobody vouches for that', async () => {
    const receipt = { method: 'eth_getTransactionReceipt', params: [tx.hash] }
    const options = { anchor: { blockHash: blocks[0]!.hash! }, unverifiable: 'pass' } as const
    const failed = (method: string) => liar((result, call) => (call.method === method ? twist(result) : result))
    const twist = (reported: unknown): unknown =>
      Array.isArray(reported) ? reported.map(twist) : { ...(reported as object), status: '0x0' }
    expect(field(await ask(receipt, options, failed(receipt.method)))).toEqual(['mismatch', 'status'])
    expect(field(await ask(receipt, options, failed('eth_getBlockReceipts')))).toEqual(['mismatch', ''])
    const withoutList = liar((result, { method }) => (method === 'eth_getBlockReceipts' ? null : result))
    for (const node of [madeNode(), withoutList]) {
      const { verification, error } = await ask(receipt, options, node)
      expect([error, verification?.level]).toEqual([undefined, 'unverifiable'])
    }
  })

  test('a receipt of which the list tells more, or less, of what nothing proves', async () => {
    const { hash } = full.transactions[(5 - (Number(full.number) % 3)) % 3] as Transaction
    const receipt = { method: 'eth_getTransactionReceipt', params: [hash] }
    type Reported = { logs: object[] }
    const withMore = (one: object): object => ({
      ...one,
      l1Fee: '0x7',
      logs: (one as Reported).logs.map((log) => ({ ...log, extra: 1 })),
    })
    const alone = liar((result, { method }) => (method === receipt.method ? withMore(result as object) : result))
    const outcome = await ask(receipt, { anchor }, alone)
    expect(outcome.verification).toMatchObject({ level: 'proven', fields: { l1Fee: 'unverifiable' } })
    expect(outcome.verification!.fields['logs.*.extra']).toBe('unverifiable')
    const listed = liar((result, { method }) =>
      method === 'eth_getBlockReceipts' ? (result as object[]).map(withMore) : result,
    )
    expect((await ask(receipt, { anchor }, listed)).verification).toMatchObject({ level: 'proven' })
  })

  test('all that is fetched for a tag is of one block, named by its hash', async () => {
    const { node } = await ask({ method: 'eth_getStorageAt', params: [address, '0x7', 'latest'] })
    const pinned = { blockHash: head.hash }
    expect(node.calls.slice(-2)).toEqual([
      { method: 'eth_getStorageAt', params: [address, '0x7', pinned] },
      { method: 'eth_getProof', params: [address, [`0x${'7'.padStart(64, '0')}`], pinned] },
    ])
  })

  test('a header is fetched once for reads of one block', async () => {
    const node = madeNode()
    const handler = verify({ require: 'proven' })(node.handler)
    for (let i = 0; i < 5; i++) {
      const params = rawJsonFromValue([address, { blockHash: full.hash }])
      await handler({ method: 'eth_getBalance', params, notification: false }, createContext())
    }
    expect(node.calls.filter(({ method }) => method === 'eth_getBlockByHash')).toHaveLength(1)
    expect(node.calls).toHaveLength(11)
  })
})

describe('a false answer is refused', () => {
  const repeated = ['eth_getBlockByNumber', 'eth_getBlockReceipts', 'eth_getTransactionByBlockNumberAndIndex']
  const cases = [
    ...byNumber.filter(([method]) => !repeated.includes(method)),
    ...byHash.slice(0, 6),
    ...byHash.slice(7),
  ]
  test.each(cases)('%s %j, whatever was changed that the report covers', async (method, params) => {
    const question = { method, params }
    const options = byHash.some(([name, given]) => name === method && given === params) ? {} : { anchor }
    const genuine = await ask(question, options)
    const answer = JSON.parse(genuine.text!) as unknown
    // Some nodes leave them out, where they say nothing or are said otherwise.
    const optional = [
      'uncles',
      'to',
      'contractAddress',
      'type',
      'yParity',
      'v',
      'accessList',
      'withdrawals',
      'removed',
      'blockTimestamp',
    ]
    const mayLack = ['', '*.', 'transactions.*.', 'logs.*.', '*.logs.*.'].flatMap((above) =>
      optional.map((name) => above + name),
    )
    const padded = ['r', 's', 'key', 'value', ...(method === 'eth_getStorageAt' ? [''] : [])]
    const passed: string[] = []
    let tried = 0
    const all = [...mutationsOf(answer, genuine.verification!.fields, { mayLack, padded, elements: 2 })]
    // Every fourth where there are many; all with DIFFERENTIAL set.
    const step = process.env['DIFFERENTIAL'] === undefined && all.length > 100 ? 4 : 1
    for (const { name, answer: changed } of all.filter((_, i) => i % step === 0)) {
      if (changed === null || (method === 'eth_getStorageAt' && isSameNumber(changed, answer))) continue
      tried++
      const node = liar((result) => (JSON.stringify(result) === genuine.text ? changed : result))
      const { error } = await ask(question, options, node)
      if (error?.code !== 'invalid_response') passed.push(name)
    }
    expect(passed).toEqual([])
    expect(tried).toBeGreaterThan(4)
  })

  test('by the name of the member that shows it', async () => {
    const node = liar((result, { method }) =>
      method === 'eth_getTransactionByHash' ? { ...(result as object), value: '0x7' } : result,
    )
    const outcome = await ask({ method: 'eth_getTransactionByHash', params: [tx.hash] }, { anchor }, node)
    expect(field(outcome)).toEqual(['mismatch', 'hash'])
    expect(outcome.error!.message).toMatch(/^eth_getTransactionByHash\("0x[0-9a-f]{64}"\): the answer hashes to/)
  })

  test.each([
    ['null for a transaction that the block holds', 'eth_getTransactionByBlockHashAndIndex', [full.hash, '0x1'], null],
    ['a transaction where the block has none', 'eth_getTransactionByBlockHashAndIndex', [full.hash, '0xff'], tx],
    ['null for an uncle that the block has', 'eth_getUncleByBlockHashAndIndex', [withUncle.hash, '0x0'], null],
    ['a balance of another account', 'eth_getBalance', [address, { blockHash: full.hash }], '0x0'],
    ['no code where there is some', 'eth_getCode', [address, { blockHash: full.hash }], '0x'],
    ['an empty list for logs that there are', 'eth_getLogs', [{ blockHash: full.hash }], []],
    ['an empty list for receipts that there are', 'eth_getBlockReceipts', [full.hash], []],
    ['null for a balance', 'eth_getBalance', [address, { blockHash: full.hash }], null],
    ['null for code', 'eth_getCode', [address, { blockHash: full.hash }], null],
    ['null for a proof', 'eth_getProof', [address, [], full.hash], null],
    ['null for logs that there are', 'eth_getLogs', [{ blockHash: full.hash }], null],
  ])('%s', async (_, method, params, lie) => {
    const node = liar((result, call) => (call.method === method ? lie : result))
    expect(field(await ask({ method, params }, {}, node))[0]).toBe('mismatch')
  })

  test('a proof that is of another state', async () => {
    const node = liar((result, { method }) =>
      method === 'eth_getProof' ? { ...(result as object), accountProof: ['0xc0'] } : result,
    )
    const outcome = await ask({ method: 'eth_getBalance', params: [address, { blockHash: full.hash }] }, {}, node)
    expect(field(outcome)).toEqual(['mismatch', 'accountProof[0]'])
  })

  test('a header that is not of the hash that was asked for', async () => {
    const node = liar((result, { method }) => (method === 'eth_getBlockByHash' ? head : result))
    const outcome = await ask({ method: 'eth_getBalance', params: [address, { blockHash: full.hash }] }, {}, node)
    expect(field(outcome)).toEqual(['mismatch', 'hash'])
  })

  test('a block that is not of the line that leads to the anchor', async () => {
    const other = blocks[5]!
    const node = liar((result, { method, params }) => {
      const isAsked = method === 'eth_getBlockByNumber' && params[0] === full.number
      return isAsked ? { ...other, number: full.number } : result
    })
    // The useless block is not taken; the right one is asked for by hash.
    const outcome = await ask({ method: 'eth_getBlockByNumber', params: [full.number, false] }, { anchor }, node)
    expect(outcome.verification).toMatchObject({ level: 'proven' })
    expect((JSON.parse(outcome.text!) as Block).hash).toBe(full.hash)
  })
})

describe('an answer that cannot be proven', () => {
  const unproven: readonly (readonly [string, Question, Partial<VerifyOptions>])[] = [
    ['a block by number without an anchor', { method: 'eth_getBalance', params: [address, full.number] }, {}],
    ['latest without an anchor', { method: 'eth_getBalance', params: [address] }, {}],
    ['a receipt without an anchor', { method: 'eth_getTransactionReceipt', params: [tx.hash] }, {}],
    ['the pending state', { method: 'eth_getTransactionCount', params: [address, 'pending'] }, { anchor }],
    [
      'logs, where receipts were not asked for',
      { method: 'eth_getLogs', params: [{ blockHash: full.hash }] },
      { logs: undefined as never },
    ],
    [
      'a block after the anchor',
      { method: 'eth_getBalance', params: [address, head.number] },
      { anchor: { blockHash: full.hash! } },
    ],
    [
      'a block too far before the anchor',
      { method: 'eth_getBalance', params: [address, blocks[0]!.number] },
      { anchor, maxCalls: 20 },
    ],
  ]

  test.each(unproven)('%s: it is refused, as one of which nothing can be told', async (_, question, options) => {
    const outcome = await ask(question, options)
    expect(field(outcome)).toEqual(['unproven', ''])
    expect(outcome.error).toMatchObject({ code: 'invalid_response' })
  })

  test.each(unproven)('%s: it passes where the options say so, with the reason', async (_, question, options) => {
    const { verification, text } = await ask(question, { ...options, unverifiable: 'pass' })
    expect(text).toBeDefined()
    expect(verification).toMatchObject({ level: 'unverifiable', reason: expect.any(String) as string })
  })

  test('a quorum that does not agree, or of too few', async () => {
    const lone = liar((result) => ({ ...(result as object), hash: topic })).handler
    const silent: RpcHandler = async () => ({ error: { code: -1, message: 'no' } })
    const gone: RpcHandler = () => Promise.reject(new RpcError('connect', 'no'))
    const question = { method: 'eth_getBalance', params: [address, full.number] }
    for (const handlers of [
      [madeNode().handler, lone],
      [madeNode().handler, silent, gone],
    ]) {
      const outcome = await ask(question, { anchor: { quorum: { handlers, atLeast: 2 } } })
      expect(field(outcome)).toEqual(['unproven', ''])
    }
  })

  test('where the node has no proofs', async () => {
    const node = madeNode()
    const without: RpcHandler = (request, context) =>
      request.method === 'eth_getProof'
        ? Promise.resolve({ error: { code: -32601, message: 'no such method' } })
        : node.handler(request, context)
    const outcome = await ask(
      { method: 'eth_getBalance', params: [address, full.hash] },
      {},
      { ...node, handler: without },
    )
    expect(field(outcome)).toEqual(['unproven', ''])
    expect(outcome.error!.message).toContain('eth_getProof')
  })

  test('null passes, for nobody can show that something is not there', async () => {
    for (const method of ['eth_getTransactionByHash', 'eth_getTransactionReceipt', 'eth_getBlockByHash']) {
      const { text, verification } = await ask({ method, params: [topic, false] }, {})
      expect([text, verification?.level]).toEqual(['null', 'unverifiable'])
    }
    const { text } = await ask({ method: 'eth_getBlockByNumber', params: ['0x7fff' as Quantity, false] })
    expect(text).toBe('null')
  })
})

describe('bounds', () => {
  test('a proof makes no more calls than it may', async () => {
    const params = [{ fromBlock: blocks[0]!.number, toBlock: 'latest' }]
    const outcome = await ask({ method: 'eth_getLogs', params }, { anchor, maxCalls: 60 })
    expect(field(outcome)).toEqual(['unproven', ''])
    // The calls of the proof, and the one that is asked for all the same.
    expect(outcome.node.calls.length).toBeLessThanOrEqual(62)
  })

  test('a proof is no longer than it may be', async () => {
    const outcome = await ask({ method: 'eth_getBlockReceipts', params: [full.hash] }, { maxBytes: 4_000 })
    expect(outcome.error).toMatchObject({ code: 'too_large' })
  })

  test('no more headers are kept than the options say', async () => {
    const node = madeNode()
    const handler = verify({ require: 'proven', maxHeaders: 2 })(node.handler)
    const read = (block: Block): unknown =>
      handler(
        {
          method: 'eth_getBalance',
          params: rawJsonFromValue([address, { blockHash: block.hash }]),
          notification: false,
        },
        createContext(),
      )
    for (const block of [blocks[0]!, blocks[1]!, blocks[0]!, blocks[2]!, blocks[0]!, blocks[1]!]) await read(block)
    const asked = node.calls.filter(({ method }) => method === 'eth_getBlockByHash').map(({ params }) => params[0])
    expect(asked).toEqual([blocks[0], blocks[1], blocks[2], blocks[1]].map((block) => block!.hash))
  })

  test('what a proof still waits for is cancelled when the call has settled', async () => {
    const node = madeNode()
    let cancelled = 0
    const slow: RpcHandler = (request, context) => {
      if (request.method !== 'eth_getProof') return node.handler(request, context)
      return new Promise((_, reject) => {
        context.onCancel((why) => {
          cancelled++
          reject(why)
        })
      })
    }
    const nothing: RpcHandler = async (request, context) =>
      request.method === 'eth_getBalance' ? { result: rawJsonFromValue(null) } : slow(request, context)
    const outcome = await ask(
      { method: 'eth_getBalance', params: [address, full.hash] },
      {},
      { ...node, handler: nothing },
    )
    expect([field(outcome)[0], cancelled]).toEqual(['mismatch', 1])
  })

  test('a function that gives no hash holds no call beyond its deadline', async () => {
    const handler = verify({ require: 'proven', anchor: { blockHash: () => new Promise(() => {}) } })(
      madeNode().handler,
    )
    const request = { method: 'eth_getBalance', params: rawJsonFromValue([address]), notification: false }
    await expect(handler(request, createContext({ timeoutMs: 30 }))).rejects.toMatchObject({ code: 'timeout' })
    const failing = { blockHash: () => Promise.reject(new Error('no')) }
    const question = { method: 'eth_getBalance', params: [address] }
    expect((await ask(question, { anchor: failing })).error).toMatchObject({ code: 'unavailable' })
    expect(field(await ask(question, { anchor: { blockHash: () => '0x' } }))).toEqual(['unproven', ''])
  })

  test('an endpoint of a quorum that says too much has no vote', async () => {
    const long = 'a'.repeat(2_000_000)
    const loud = liar((result) => ({ ...(result as object), extra: long })).handler
    const quorum = { handlers: [loud, madeNode().handler], atLeast: 1 }
    const question = { method: 'eth_getBalance', params: [address, full.number] }
    expect((await ask(question, { anchor: { quorum }, maxBytes: 100_000 })).verification).toMatchObject({
      level: 'proven',
    })
  })

  test('a quorum must be possible', () => {
    for (const atLeast of [0, 2, 0.5, Number.NaN]) {
      expect(() =>
        verify({ require: 'proven', anchor: { quorum: { handlers: [madeNode().handler], atLeast } } }),
      ).toThrow(TypeError)
    }
  })
})

function isSameNumber(changed: unknown, answer: unknown): boolean {
  return (
    typeof changed === 'string' && /^0x[0-9a-f]{1,64}$/.test(changed) && BigInt(changed) === BigInt(answer as string)
  )
}
