import { type AnvilProcess, startAnvil } from '@wayleave/dev-node'
import { verification, verify, type VerifyOptions } from '@wayleave/evm-verify'
import {
  createContext,
  createHttpTransport,
  isStream,
  rawJsonFromText,
  rawJsonFromValue,
  RpcError,
  type RpcHandler,
} from '@wayleave/jsonrpc-core'
import { createWalletClient, http, parseGwei } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { foundry } from 'viem/chains'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { alice, bob, deployDirectly } from './support/chain.ts'
import { ask } from './support/http.ts'

/** A block as far as the test looks at it. */
interface LiveBlock {
  readonly hash: string
  readonly number: string
  readonly transactions: readonly { readonly hash: string; readonly type: string }[]
}

const stranger = `0x${'c1'.repeat(20)}` as const
const position = (n: number): string => `0x${n.toString(16).padStart(64, '0')}`

let anvil: AnvilProcess
let handler: RpcHandler
let contract: `0x${string}`
let blocks: LiveBlock[]
/** Of the transaction with a blob, alone in it: anvil takes the root of the transactions there with the blobs. */
let blobBlock: LiveBlock

beforeAll(async () => {
  anvil = await startAnvil({ name: 'verify-live', chainId: foundry.id })
  handler = createHttpTransport({ url: anvil.httpUrl })
  contract = (await deployDirectly(anvil.httpUrl)).address
  await sendEachType()
  const height = Number(await ask(anvil.httpUrl, 'eth_blockNumber', []))
  blocks = await Promise.all(
    Array.from({ length: height + 1 }, async (_, n) => {
      return (await ask(anvil.httpUrl, 'eth_getBlockByNumber', [`0x${n.toString(16)}`, true])) as LiveBlock
    }),
  )
  blobBlock = blocks.find(({ transactions }) => transactions.some(({ type }) => type === '0x3'))!
}, 120_000)

afterAll(async () => {
  await anvil.close()
})

/** Transactions of types 0 to 4, several of them in one block. */
async function sendEachType(): Promise<void> {
  const account = privateKeyToAccount(bob.privateKey as `0x${string}`)
  const delegate = privateKeyToAccount(alice.privateKey as `0x${string}`)
  const wallet = createWalletClient({ account, chain: foundry, transport: http(anvil.httpUrl) })
  const store = (n: number): `0x${string}` => `0x6057361d${n.toString(16).padStart(64, '0')}`
  await ask(anvil.httpUrl, 'evm_setAutomine', [false])
  const common = { to: contract, gas: 200_000n }
  let nonce = 0
  await wallet.sendTransaction({ ...common, type: 'legacy', data: store(7), gasPrice: parseGwei('3'), nonce: nonce++ })
  const accessList = [{ address: contract, storageKeys: [position(0) as `0x${string}`] }]
  await wallet.sendTransaction({
    ...common,
    type: 'eip2930',
    data: store(8),
    accessList,
    gasPrice: parseGwei('3'),
    nonce: nonce++,
  })
  const fees = { maxFeePerGas: parseGwei('5'), maxPriorityFeePerGas: parseGwei('1') }
  await wallet.sendTransaction({ ...common, ...fees, type: 'eip1559', data: store(9), nonce: nonce++ })
  // It fails, and is mined all the same.
  await wallet.sendTransaction({ ...common, ...fees, data: '0xa9cc4718', nonce: nonce++ })
  await ask(anvil.httpUrl, 'anvil_mine', ['0x1'])
  const authorization = await wallet.signAuthorization({ account: delegate, contractAddress: contract })
  await wallet.sendTransaction({
    ...fees,
    to: alice.address as `0x${string}`,
    authorizationList: [authorization],
    gas: 200_000n,
    nonce: nonce++,
  })
  await ask(anvil.httpUrl, 'anvil_mine', ['0x1'])
  // The polynomial of a blob of zeros is zero: its commitment and its proof are the point at infinity.
  const infinity = Uint8Array.of(0xc0, ...new Uint8Array(47))
  const kzg = { blobToKzgCommitment: () => infinity, computeBlobKzgProof: () => infinity }
  const blobs = [new Uint8Array(131_072)]
  const maxFeePerBlobGas = parseGwei('5')
  await wallet.sendTransaction({ ...fees, to: stranger, gas: 21_000n, blobs, kzg, maxFeePerBlobGas, nonce: nonce++ })
  await ask(anvil.httpUrl, 'anvil_mine', ['0x3'])
  await ask(anvil.httpUrl, 'evm_setAutomine', [true])
}

interface Question {
  readonly method: string
  readonly params: readonly unknown[]
}

/** Every read that can be proven, of every block, transaction and account of the chain, save what anvil itself has wrong. */
function questions(): Question[] {
  const ofBlocks = blocks
    .filter((block) => block !== blobBlock)
    .flatMap(({ hash, number, transactions }) => [
      { method: 'eth_getBlockByNumber', params: [number, true] },
      { method: 'eth_getBlockByNumber', params: [number, false] },
      { method: 'eth_getBlockByHash', params: [hash, true] },
      { method: 'eth_getBlockReceipts', params: [number] },
      { method: 'eth_getBlockTransactionCountByNumber', params: [number] },
      { method: 'eth_getUncleByBlockNumberAndIndex', params: [number, '0x0'] },
      { method: 'eth_getTransactionByBlockHashAndIndex', params: [hash, `0x${transactions.length.toString(16)}`] },
      { method: 'eth_getLogs', params: [{ blockHash: hash }] },
      ...transactions.flatMap((tx, i) => [
        { method: 'eth_getTransactionByHash', params: [tx.hash] },
        { method: 'eth_getTransactionByBlockNumberAndIndex', params: [number, `0x${i.toString(16)}`] },
        { method: 'eth_getTransactionReceipt', params: [tx.hash] },
        { method: 'eth_getRawTransactionByHash', params: [tx.hash] },
      ]),
      ...(number === '0x0' ? [] : [...stateAt(number), ...stateAt({ blockHash: hash })]),
    ])
  const topic = '0xebfcf7c0a1b09f6499e519a8d8bb85ce33cd539ec6cbd964e116cd74943ead1a'
  const ofLogs = [
    { fromBlock: '0x0', toBlock: 'latest' },
    { fromBlock: 'earliest', address: contract, topics: [topic] },
    { fromBlock: '0x1', toBlock: '0x4', topics: [null, `0x${'0'.repeat(24)}${bob.address.slice(2)}`] },
    { fromBlock: '0x2', toBlock: '0x3', topics: [null, null, null] },
    { fromBlock: '0x1', address: [stranger, alice.address] },
    {},
  ].map((filter) => ({ method: 'eth_getLogs', params: [filter] }))
  const latest = [
    { method: 'eth_getBlockByNumber', params: ['latest', true] },
    { method: 'eth_getBlockReceipts', params: ['latest'] },
  ]
  const stateOfBlobs = stateAt({ blockHash: blobBlock.hash })
  return [...ofBlocks, ...ofLogs, ...latest, ...stateOfBlobs, ...stateAt('latest')]
}

function stateAt(block: unknown): Question[] {
  const accounts = [alice.address, bob.address, contract, stranger]
  const positions = [position(0), position(1)]
  return [
    ...accounts.flatMap((account) =>
      ['eth_getBalance', 'eth_getTransactionCount', 'eth_getCode'].map((method) => ({
        method,
        params: [account, block],
      })),
    ),
    ...['0x0', position(1)].map((slot) => ({ method: 'eth_getStorageAt', params: [contract, slot, block] })),
    { method: 'eth_getStorageAt', params: [stranger, '0x0', block] },
    { method: 'eth_getProof', params: [contract, positions, block] },
    { method: 'eth_getProof', params: [stranger, positions, block] },
  ]
}

async function answer(question: Question, options: VerifyOptions, next: RpcHandler = handler): ReturnType<RpcHandler> {
  const context = createContext({ timeoutMs: 30_000 })
  const request = { method: question.method, params: rawJsonFromValue(question.params), notification: false }
  try {
    return await verify(options)(next)(request, context)
  } finally {
    context.release()
  }
}

/** What of the genuine answers was refused, and how the others stand. */
async function outcomes(
  options: VerifyOptions,
): Promise<{ readonly refused: string[]; readonly levels: Set<unknown> }> {
  const refused: string[] = []
  const levels = new Set<unknown>()
  for (const question of questions()) {
    try {
      const { error, meta } = await answer(question, options)
      if (error !== undefined) refused.push(`${question.method} ${JSON.stringify(question.params)}: ${error.message}`)
      levels.add(verification.of(meta)?.level)
    } catch (thrown) {
      refused.push((thrown as Error).message)
    }
  }
  return { refused, levels }
}

const proven = (anchor: VerifyOptions['anchor']): VerifyOptions => ({
  require: 'proven',
  logs: 'receipts',
  anchor: anchor!,
})
const trusted = (): VerifyOptions => proven({ blockHash: () => blocks.at(-1)!.hash as `0x${string}` })

describe('a real chain with transactions of types 0 to 4, a contract, its storage and its logs', () => {
  it('has them', () => {
    const types = blocks.flatMap(({ transactions }) => transactions.map(({ type }) => type))
    expect(new Set(types)).toEqual(new Set(['0x0', '0x1', '0x2', '0x3', '0x4']))
    expect(questions().length).toBeGreaterThan(200)
  })

  it('is proven by a trusted hash, every answer', async () => {
    expect(await outcomes(trusted())).toEqual({ refused: [], levels: new Set(['proven']) })
  }, 120_000)

  it('is proven by a quorum, every answer', async () => {
    const quorum = { handlers: [handler, createHttpTransport({ url: anvil.httpUrl })], atLeast: 2 }
    expect(await outcomes(proven({ quorum }))).toEqual({ refused: [], levels: new Set(['proven']) })
  }, 120_000)

  it('is consistent, every answer', async () => {
    expect((await outcomes({ require: 'consistent' })).refused).toEqual([])
  }, 120_000)

  it('is not refused where nothing can be told: the pending block, what is not there, an index that is a number', async () => {
    const { number } = blocks.find(({ transactions }) => transactions.length > 1)!
    const nothing = position(7)
    const open: readonly (readonly [string, readonly unknown[]])[] = [
      ['eth_getBlockByNumber', ['pending', true]],
      ['eth_getBlockByNumber', ['pending', false]],
      ['eth_getTransactionByBlockNumberAndIndex', ['pending', '0x0']],
      ['eth_getTransactionByBlockNumberAndIndex', [number, 0]],
      ['eth_getTransactionByHash', [nothing]],
      ['eth_getTransactionReceipt', [nothing]],
      ['eth_getRawTransactionByHash', [nothing]],
      ['eth_getBlockByHash', [nothing, true]],
    ]
    for (const [method, params] of open) {
      const { meta, error } = await answer({ method, params }, { require: 'consistent' })
      if (error === undefined) expect([method, verification.of(meta)?.level]).toEqual([method, 'unverifiable'])
    }
    const place = { method: 'eth_getTransactionByBlockNumberAndIndex', params: [number, '0x0'] }
    expect(verification.of((await answer(place, { require: 'consistent' })).meta)?.level).toBe('consistent')
  })

  it('is not proven where the endpoint changes what it says of the state', async () => {
    const lies = {
      eth_getBalance: '0x7',
      eth_getTransactionCount: '0x7',
      eth_getCode: '0x5f',
      eth_getStorageAt: position(7),
    }
    for (const question of stateAt('latest')) {
      const lie = lies[question.method as keyof typeof lies]
      if (lie === undefined) continue
      const liar: RpcHandler = (request, context) =>
        request.method === question.method
          ? Promise.resolve({ result: rawJsonFromText(`"${lie}"`) })
          : handler(request, context)
      await expect(answer(question, trusted(), liar)).rejects.toThrow(RpcError)
    }
  })

  it('is not proven where the endpoint leaves out a log', async () => {
    const question = { method: 'eth_getLogs', params: [{ fromBlock: '0x0', toBlock: 'latest' }] }
    const liar: RpcHandler = async (request, context) => {
      const response = await handler(request, context)
      if (request.method !== 'eth_getLogs' || response.result === undefined || isStream(response.result))
        return response
      return { result: rawJsonFromValue((response.result.parse() as unknown[]).slice(1)) }
    }
    await expect(answer(question, trusted(), liar)).rejects.toThrow(/expected \d+ logs, got \d+/)
  })

  it('refuses what anvil has wrong, and says which member: when this fails, anvil was mended', async () => {
    const [genesis] = blocks
    const wrong: readonly (readonly [Question, RpcHandler, string])[] = [
      [{ method: 'eth_getBlockByHash', params: [blobBlock.hash, true] }, handler, 'transactions'],
      [{ method: 'eth_getProof', params: [stranger, [], { blockHash: genesis!.hash }] }, handler, 'accountProof[0]'],
    ]
    for (const [question, next, field] of wrong) {
      await expect(answer(question, proven(undefined), next)).rejects.toMatchObject({
        cause: { code: 'mismatch', field },
      })
    }
    const [tx] = blobBlock.transactions
    const { meta } = await answer({ method: 'eth_getTransactionByHash', params: [tx!.hash] }, { require: 'proven' })
    expect(verification.of(meta)).toMatchObject({ level: 'proven', anchor: 'question' })
  })
})
