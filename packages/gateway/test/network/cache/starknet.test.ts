import { rawJsonFromValue } from '@wayleave/jsonrpc-core'
import { expect, it, onTestFinished } from 'vitest'
import { frame, key, send, startNode, startTestGateway } from '../../support.ts'

const contract = '0x1ab'
const padded = `0x${'1aB'.padStart(64, '0')}`
const hashOf = (number: number): string => `0x${(0xa00 + number).toString(16)}`

interface Asked {
  readonly result: unknown
  readonly error: { readonly code: number } | undefined
  readonly cache: string | undefined
  readonly adaptedFrom: string | undefined
}

/** A network of one node, whose nonces tell the block that they were asked for. L1 has its blocks up to `settled`. `refusesHead`: by its hash. */
async function start({ settled = undefined as number | undefined, specVersion = '0.9.0', refusesHead = false } = {}) {
  const calls: string[] = []
  const chain = { height: 100 }
  const block = (number: number): object => ({
    status: number <= (settled ?? -1) ? 'ACCEPTED_ON_L1' : 'ACCEPTED_ON_L2',
    block_hash: hashOf(number),
    block_number: number,
    transactions: [],
    ...(specVersion.startsWith('0.10') && { event_count: 0 }),
  })
  const heightOf = (id: unknown): number | undefined => {
    if (id === 'latest') return chain.height
    if (id === 'l1_accepted') return settled
    const { block_number: number, block_hash: hash } = id as { block_number?: number; block_hash?: string }
    return number ?? (hash === undefined ? undefined : Number(hash) - 0xa00)
  }
  const answers: Readonly<Record<string, (params: readonly unknown[]) => unknown>> = {
    starknet_specVersion: () => specVersion,
    starknet_chainId: () => '0x534e5f4d41494e',
    starknet_blockNumber: () => chain.height,
    starknet_blockHashAndNumber: () => ({ block_hash: hashOf(chain.height), block_number: chain.height }),
    starknet_getNonce: ([id]) =>
      refusesHead && id !== 'latest' && heightOf(id) === chain.height
        ? { error: { code: -32602, message: 'Invalid params' } }
        : `0x${heightOf(id)!.toString(16)}`,
    starknet_getBlockWithTxHashes: ([id]) => {
      const height = heightOf(id)
      return height === undefined ? { error: { code: -32602, message: 'Invalid params' } } : block(height)
    },
    starknet_getTransactionReceipt: ([hash]) => ({
      ...block(Number(hash)),
      transaction_hash: hash,
      finality_status: 'ACCEPTED_ON_L1',
    }),
    starknet_getClassHashAt: () => ({ error: { code: 20, message: 'Contract not found' } }),
    // As Juno: proofs of its own head alone, which a block may have left while the call was on its way.
    starknet_getStorageProof: ([id]) =>
      id === 'latest'
        ? { global_roots: { block_hash: hashOf(chain.height) } }
        : {
            error: {
              code: 42,
              message: "the node doesn't support storage proofs for blocks that are too far in the past",
            },
          },
    starknet_addInvokeTransaction: () => ({ transaction_hash: '0x1' }),
  }
  const node = await startNode(async ({ method, params }) => {
    const args = params?.value() ?? []
    calls.push(`${method.slice('starknet_'.length)} ${JSON.stringify(args)}`)
    const list = Array.isArray(args) ? (args as readonly unknown[]) : Object.values(args)
    const answer = answers[method]?.(list) ?? { error: { code: -32601, message: 'Method not found' } }
    if (typeof answer === 'object' && 'error' in answer) return answer as { error: { code: number; message: string } }
    return { result: rawJsonFromValue(answer) }
  })
  onTestFinished(() => node.close())
  const gateway = await startTestGateway([], {
    networks: { sn: { kind: 'starknet', chainId: 'SN_MAIN', upstreams: [node.url], followHeads: true } },
    defaultNetwork: 'sn',
    cache: {},
  })
  onTestFinished(() => gateway.close(0))

  async function ask(method: string, params: unknown = [], version = 'v0_9'): Promise<Asked> {
    const { body, headers } = await send(gateway.rpc, `/v3/${key}/rpc/${version}`, {
      body: frame(`starknet_${method}`, params),
    })
    const { result, error } = JSON.parse(body) as Pick<Asked, 'result' | 'error'>
    const header = (name: string): string | undefined => headers[`x-wayleave-${name}`] as string | undefined
    return { result, error, cache: header('cache'), adaptedFrom: header('adapted-from') }
  }
  /** Asks until the cache gives the answer. */
  async function untilHit(method: string, params?: unknown): Promise<Asked> {
    for (;;) {
      const asked = await ask(method, params)
      if (asked.cache === 'hit') return asked
    }
  }
  return { ask, untilHit, calls, chain, asked: (method: string) => calls.filter((call) => call.startsWith(method)) }
}

it('a read of the head is asked by its hash, once for all its spellings, and again at the next block', async () => {
  const { ask, untilHit, chain, asked } = await start()
  expect(await untilHit('blockNumber')).toMatchObject({ result: 100 })
  expect(await ask('getNonce', ['latest', contract])).toMatchObject({ result: '0x64', cache: 'miss' })
  for (const params of [
    ['latest', padded],
    { contract_address: contract, block_id: 'latest' },
    [{ block_number: 100 }, contract],
    [{ block_hash: hashOf(100) }, contract],
  ]) {
    expect(await ask('getNonce', params)).toMatchObject({ result: '0x64', cache: 'hit' })
  }
  // Answers are those of the version that the caller speaks.
  expect(await ask('getNonce', ['latest', contract], 'v0_8')).toMatchObject({ result: '0x64', cache: 'miss' })
  const sent = `getNonce ${JSON.stringify([{ block_hash: hashOf(100) }, contract])}`
  expect(asked('getNonce')).toEqual([sent, sent])
  chain.height = 101
  let next = await ask('getNonce', ['latest', contract])
  while (next.result === '0x64') next = await ask('getNonce', ['latest', contract])
  expect(next).toMatchObject({ result: '0x65', cache: 'miss' })
})

it('a proof at the head is asked by the tag, since some nodes prove their own head alone', async () => {
  const { ask, untilHit, asked } = await start()
  await untilHit('blockNumber')
  const proof = { global_roots: { block_hash: hashOf(100) } }
  for (const params of [['latest'], { block_id: 'latest' }])
    expect(await ask('getStorageProof', params)).toMatchObject({ result: proof, error: undefined, cache: undefined })
  expect(asked('getStorageProof')).toEqual(['getStorageProof ["latest"]', 'getStorageProof {"block_id":"latest"}'])
})

it('an answer that was translated says so from the cache, too', async () => {
  const { ask, untilHit } = await start({ settled: 50, specVersion: '0.10.0' })
  await untilHit('blockNumber')
  const params = [{ block_number: 40 }]
  let first = await ask('getBlockWithTxHashes', params)
  while (first.cache === undefined) first = await ask('getBlockWithTxHashes', params)
  expect(first).toMatchObject({ cache: 'miss', adaptedFrom: '0.10' })
  expect(await ask('getBlockWithTxHashes', params)).toMatchObject({ cache: 'hit', adaptedFrom: '0.10' })
})

it('the head is told by nobody but the gateway, to callers by name and by place', async () => {
  const { ask, untilHit, asked } = await start()
  await untilHit('blockNumber')
  const before = asked('blockNumber').length
  expect(await ask('blockNumber', {})).toMatchObject({ result: 100, cache: 'hit' })
  expect(await ask('blockHashAndNumber')).toMatchObject({
    result: { block_hash: hashOf(100), block_number: 100 },
    cache: 'hit',
  })
  expect(asked('blockNumber')).toHaveLength(before)
})

it('a block is kept for longer than a head only once L1 has accepted it', async () => {
  const { ask, untilHit, chain } = await start({ settled: 50 })
  await untilHit('blockNumber')
  // The place of L1 becomes known with the first questions.
  expect(await untilHit('getBlockWithTxHashes', [{ block_number: 50 }])).toMatchObject({
    result: { status: 'ACCEPTED_ON_L1' },
  })
  expect((await untilHit('getNonce', [{ block_number: 49 }, contract])).result).toBe('0x31')
  expect((await untilHit('getTransactionReceipt', ['0x30'])).result).toMatchObject({ block_number: 48 })
  const head = await untilHit('getBlockWithTxHashes', ['latest'])
  expect(head.result).toMatchObject({ block_number: 100, status: 'ACCEPTED_ON_L2' })
  for (const id of [51, 99]) {
    expect((await ask('getBlockWithTxHashes', [{ block_number: id }])).cache).toBeUndefined()
    expect((await ask('getBlockWithTxHashes', [{ block_hash: hashOf(id) }])).cache).toBe('miss')
    expect((await ask('getBlockWithTxHashes', [{ block_hash: hashOf(id) }])).cache).toBe('miss')
  }
  chain.height = 101
  let number = 100
  while (number === 100) number = (await ask('blockNumber')).result as number
  expect((await ask('getBlockWithTxHashes', [{ block_hash: hashOf(100) }])).cache).toBe('miss')
  expect((await ask('getBlockWithTxHashes', [{ block_number: 50 }])).cache).toBe('hit')
})

it('a node that does not know where L1 is answers all the same', async () => {
  const { ask, untilHit } = await start({ specVersion: '0.8.1' })
  await untilHit('blockNumber')
  expect(await ask('getNonce', [{ block_number: 1 }, contract])).toMatchObject({ result: '0x1', cache: undefined })
  expect(await ask('getNonce', ['latest', contract])).toMatchObject({ result: '0x64', cache: 'miss' })
})

it('an error of a node that has the block is the answer, is asked for once, and is not kept', async () => {
  const { ask, untilHit, asked } = await start()
  await untilHit('blockNumber')
  for (const count of [1, 2]) {
    expect(await ask('getClassHashAt', ['latest', '0x7'])).toMatchObject({ error: { code: 20 }, cache: 'miss' })
    expect(asked('getClassHashAt')).toHaveLength(count)
  }
})

it('a method that is refused at the head keeps its answers by hash and of final blocks', async () => {
  const { ask, untilHit } = await start({ settled: 50, refusesHead: true })
  await untilHit('blockNumber')
  expect((await untilHit('getNonce', [{ block_number: 49 }, contract])).result).toBe('0x31')
  // Three refusals in a row, and it is asked at the head as it came.
  for (const cache of ['miss', 'miss', 'miss', undefined]) {
    expect(await ask('getNonce', ['latest', contract])).toMatchObject({ result: '0x64', cache })
  }
  expect(await ask('getNonce', [{ block_number: 49 }, contract])).toMatchObject({ result: '0x31', cache: 'hit' })
  await ask('getNonce', [{ block_hash: hashOf(90) }, contract])
  expect((await ask('getNonce', [{ block_hash: hashOf(90) }, contract])).cache).toBe('hit')
})

it('a caller sees what it wrote, and the block that is being built is asked for each time', async () => {
  const { ask, untilHit } = await start()
  await untilHit('blockNumber')
  await ask('getNonce', ['latest', contract])
  expect((await ask('getNonce', ['latest', contract])).cache).toBe('hit')
  await ask('addInvokeTransaction', [{}])
  expect((await ask('getNonce', ['latest', contract])).cache).toBeUndefined()
  expect((await ask('getNonce', ['pre_confirmed', contract])).cache).toBeUndefined()
})
