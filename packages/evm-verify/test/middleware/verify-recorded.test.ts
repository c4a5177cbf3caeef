import {
  createContext,
  isStream,
  rawJsonFromText,
  rawJsonFromValue,
  RpcError,
  type RpcHandler,
} from '@wayleave/jsonrpc-core'
import { describe, expect, test } from 'vitest'
import { verification, verify, type VerifyOptions } from '../../src/index.ts'
import { chainBlocks, type RecordedAnswer, recordedAnswers } from '../chain.ts'
import { mutationsOf } from '../mutations.ts'

const blocks = chainBlocks().map(({ block }) => block)
const head = blocks.at(-1)!
const files = {
  'recorded-blocks.json': [
    'eth_getBlockByNumber',
    'eth_getBlockByHash',
    'eth_getBlockReceipts',
    'eth_getTransactionReceipt',
    'debug_getRawBlock',
    'debug_getRawHeader',
    'debug_getRawReceipts',
  ],
  'recorded-transactions.json': [
    'eth_getTransactionByHash',
    'eth_getTransactionByBlockHashAndIndex',
    'eth_getTransactionByBlockNumberAndIndex',
  ],
  'recorded-state.json': [
    'eth_getProof',
    'eth_getBalance',
    'eth_getCode',
    'eth_getStorageAt',
    'eth_getTransactionCount',
    'eth_getLogs',
    'eth_getBlockTransactionCountByHash',
    'eth_getBlockTransactionCountByNumber',
    'debug_getRawTransaction',
  ],
} as const
const recorded = Object.entries(files)
  .flatMap(([file, methods]) => methods.flatMap((method) => recordedAnswers(method, file)))
  .filter(({ result }) => result !== undefined)

/** A node with the recorded part of its chain, and proofs of one account. */
const node: RpcHandler = async ({ method, params }) => {
  const [name, second] = params!.value() as [string, unknown]
  if (method === 'eth_getBlockByHash')
    return { result: rawJsonFromValue(blocks.find(({ hash }) => hash === name) ?? null) }
  if (method !== 'eth_getProof') return { error: { code: -32601, message: 'not recorded' } }
  const isWithStorage = Array.isArray(second) && second.length > 0
  const proof = recorded.find(
    (one) =>
      one.method === method && one.params[0] === name && (one.params[1] as unknown[]).length > 0 === isWithStorage,
  )
  return proof === undefined
    ? { error: { code: -32000, message: 'not recorded' } }
    : { result: rawJsonFromValue(proof.result) }
}

async function ask(
  { method, params }: RecordedAnswer,
  result: unknown,
  options: VerifyOptions,
): ReturnType<RpcHandler> {
  const text = JSON.stringify(result)
  const inner: RpcHandler = (request, context) =>
    request.method === method ? Promise.resolve({ result: rawJsonFromText(text) }) : node(request, context)
  const request = { method, params: rawJsonFromValue(params), notification: false }
  return verify(options)(inner)(request, createContext({ timeoutMs: 20_000 }))
}

const named = (list: readonly RecordedAnswer[]): (readonly [string, RecordedAnswer])[] =>
  list.map((one) => [`${one.method} ${JSON.stringify(one.params)}`, one])

describe('answers of a real node are consistent, and pass byte for byte', () => {
  test.each(named(recorded))('%s', async (_, one) => {
    const { result } = await ask(one, one.result, { require: 'consistent' })
    if (result === undefined || isStream(result)) throw new Error('a whole result was expected')
    expect(result.text()).toBe(JSON.stringify(one.result))
  })
})

describe('a change of what is consistent is refused', () => {
  const methods = [
    'eth_getLogs',
    'eth_getProof',
    'eth_getTransactionReceipt',
    'eth_getTransactionByHash',
    'debug_getRawTransaction',
  ]
  const some = recorded.filter(({ method, result }) => methods.includes(method) && result !== null)
  test.each(named(some))('%s', async (_, one) => {
    const { meta } = await ask(one, one.result, { require: 'consistent' })
    const optional = [
      'type',
      'v',
      'yParity',
      'accessList',
      'chainId',
      'removed',
      'blockTimestamp',
      '*.removed',
      'logs.*.removed',
      'logs.*.blockTimestamp',
      'to',
    ]
    const passed: string[] = []
    for (const { name, path, answer } of mutationsOf(one.result, verification.of(meta)!.fields, {
      mayLack: optional,
      padded: ['r', 's', 'key', 'value'],
      elements: 2,
    })) {
      // How many logs there are nothing tells but their receipts.
      if (answer === null || (path === '' && one.method === 'eth_getLogs')) continue
      // So do some nodes say that they do not have it.
      if (answer === '0x' && one.method.includes('RawTransaction')) continue
      const why = await ask(one, answer, { require: 'consistent', unverifiable: 'reject' }).then(
        () => undefined,
        (thrown: unknown) => thrown,
      )
      if (!(why instanceof RpcError)) passed.push(name)
    }
    expect(passed).toEqual([])
  })
})

describe('answers of a real node about its state are proven', () => {
  const account = '0x7dcd17433742f4c0ca53122ab541d0ba67fc27df'
  const state = ['eth_getBalance', 'eth_getCode', 'eth_getStorageAt', 'eth_getProof']
  const ofAccount = recorded.filter(({ method, params }) => {
    const [address, ...rest] = params
    const isLatest = rest.every(
      (param) => typeof param !== 'string' || !param.startsWith('0x') || param.length < 66 || param === head.hash,
    )
    return state.includes(method) && address === account && (isLatest || method === 'eth_getStorageAt')
  })

  test.each(named(ofAccount))('%s', async (_, one) => {
    const options: VerifyOptions = { require: 'proven', anchor: { blockHash: async () => head.hash! } }
    const { meta } = await ask(one, one.result, options)
    expect(verification.of(meta)).toMatchObject({ level: 'proven' })
    const changed =
      typeof one.result === 'string' ? `0x1${one.result.slice(3)}` : { ...(one.result as object), balance: '0x1' }
    await expect(ask(one, changed, options)).rejects.toThrow(RpcError)
  })

  test('there are enough of them', () => {
    expect(ofAccount.length).toBeGreaterThan(7)
  })
})
