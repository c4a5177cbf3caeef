// A gateway caches just what a method table says: a table and a cache that disagree fail here.
import { evmMethods } from '@wayleave/evm-types'
import type { NetworkConfig } from '@wayleave/gateway'
import { rawJsonFromValue } from '@wayleave/jsonrpc-core'
import type { MethodFacts } from '@wayleave/jsonrpc-core/schema'
import { pathOf, starknetMethods, starknetVersions } from '@wayleave/starknet-types'
import { expect, it, onTestFinished, vi } from 'vitest'
import { startChainNode, testChain } from '../../chain-node.ts'
import { frame, key, send, startNode, startTestGateway } from '../../support.ts'

const hash = `0x${'ab'.repeat(32)}`
const account = `0x${'11'.repeat(20)}`
const chain = testChain(100, { startedAt: Math.floor(Date.now() / 1_000) - 100 })
/** A final block: nodes of this chain are final up to eight blocks below their head. */
const block = chain.block(60)
const place = { blockHash: block.hash, blockNumber: block.number, transactionIndex: '0x0' }
const transaction = { hash, ...place }
const trace = { type: 'call', action: {}, traceAddress: [], transactionHash: hash, ...place }
const call = { to: account, data: '0x01' }

type Exchange = readonly [params: readonly unknown[], result: unknown]

/** A call of each method that reads, about a final block where it takes one, and a sound answer to it. */
const evmExchanges: Readonly<Record<string, Exchange>> = {
  eth_chainId: [[], '0x1'],
  net_version: [[], '1'],
  eth_blockNumber: [[], '0x64'],
  eth_syncing: [[], false],
  eth_config: [[], { current: {} }],
  eth_gasPrice: [[], '0x7'],
  eth_maxPriorityFeePerGas: [[], '0x7'],
  eth_baseFee: [[], '0x7'],
  eth_blobBaseFee: [[], '0x7'],
  eth_feeHistory: [['0x1', block.number, [25.5]], { oldestBlock: block.number }],
  eth_getStorageAt: [[account, '0x0', block.number], hash],
  eth_getBalance: [[account, block.number], '0x7'],
  eth_getCode: [[account, block.number], '0x60'],
  eth_getTransactionCount: [[account, block.number], '0x7'],
  eth_getProof: [[account, ['0x0'], block.number], { accountProof: [] }],
  eth_getStorageValues: [[{ [account]: [hash] }, block.number], { [account]: [hash] }],
  eth_call: [[call, block.number, {}], '0x01'],
  eth_estimateGas: [[call, block.number], '0x5208'],
  eth_createAccessList: [[call, block.number], { accessList: [], gasUsed: '0x5208' }],
  eth_fillTransaction: [[call], { raw: '0x01', tx: {} }],
  eth_simulateV1: [[{ blockStateCalls: [{ calls: [call] }] }, block.number], [{ calls: [] }]],
  eth_getBlockByNumber: [[block.number, false], block],
  eth_getBlockByHash: [[block.hash, false], block],
  eth_getHeaderByNumber: [[block.number], block],
  eth_getHeaderByHash: [[block.hash], block],
  eth_getBlockAccessList: [[block.number], [{ address: account }]],
  eth_getBlockTransactionCountByNumber: [[block.number], '0x1'],
  eth_getBlockTransactionCountByHash: [[block.hash], '0x1'],
  eth_getUncleByBlockNumberAndIndex: [[block.number, '0x0'], chain.block(59)],
  eth_getUncleByBlockHashAndIndex: [[block.hash, '0x0'], chain.block(59)],
  eth_getUncleCountByBlockNumber: [[block.number], '0x1'],
  eth_getUncleCountByBlockHash: [[block.hash], '0x1'],
  eth_getTransactionByHash: [[hash], transaction],
  eth_getTransactionByBlockHashAndIndex: [[block.hash, '0x0'], transaction],
  eth_getTransactionByBlockNumberAndIndex: [[block.number, '0x0'], transaction],
  eth_getTransactionBySenderAndNonce: [[account, '0x0'], transaction],
  eth_getRawTransactionByHash: [[hash], '0x01'],
  eth_getRawTransactionByBlockHashAndIndex: [[block.hash, '0x0'], '0x01'],
  eth_getRawTransactionByBlockNumberAndIndex: [[block.number, '0x0'], '0x01'],
  eth_pendingTransactions: [[], [transaction]],
  eth_getBlockReceipts: [[block.number], [{ transactionHash: hash, logs: [], ...place }]],
  eth_getTransactionReceipt: [[hash], { transactionHash: hash, logs: [], ...place }],
  eth_getLogs: [
    [{ fromBlock: block.number, toBlock: block.number }],
    [{ address: account, topics: [], transactionHash: hash, ...place }],
  ],
  web3_clientVersion: [[], 'node/1'],
  web3_sha3: [['0x01'], hash],
  net_listening: [[], true],
  net_peerCount: [[], '0x7'],
  eth_protocolVersion: [[], '0x41'],
  eth_accounts: [[], [account]],
  eth_coinbase: [[], account],
  eth_mining: [[], false],
  eth_hashrate: [[], '0x7'],
  eth_capabilities: [[], { head: { number: '0x64' } }],
  debug_getRawHeader: [[block.number], '0x01'],
  debug_getRawBlock: [[block.number], '0x01'],
  debug_getRawReceipts: [[block.number], ['0x01']],
  debug_getRawBlockAccessList: [[block.number], '0x01'],
  debug_getRawTransaction: [[hash], '0x01'],
  debug_getBadBlocks: [[], [{ hash }]],
  debug_executionWitness: [[block.number], { state: [] }],
  debug_storageRangeAt: [[block.number, 0, account, '0x', 10], { storage: {} }],
  debug_accountRange: [[block.number, '0x', 10, true, true], { accounts: {} }],
  debug_traceTransaction: [[hash, { tracer: 'callTracer' }], { type: 'CALL' }],
  debug_traceCall: [[call, block.number], { type: 'CALL' }],
  debug_traceCallMany: [[[{ transactions: [call] }], { blockNumber: block.number }], [[{ type: 'CALL' }]]],
  debug_traceBlock: [['0x01'], [{ txHash: hash, result: {} }]],
  debug_traceBlockByNumber: [[block.number], [{ txHash: hash, result: {} }]],
  debug_traceBlockByHash: [[block.hash], [{ txHash: hash, result: {} }]],
  trace_block: [[block.number], [trace]],
  trace_transaction: [[hash], [trace]],
  trace_get: [[hash, ['0x0']], trace],
  trace_filter: [[{ fromBlock: '0x0', toBlock: block.number, fromAddress: [account] }], [trace]],
  trace_call: [[call, ['trace'], block.number], { output: '0x' }],
  trace_callMany: [[[[call, ['trace']]], block.number], [{ output: '0x' }]],
  trace_rawTransaction: [['0x01', ['trace'], block.number], { output: '0x' }],
  trace_replayTransaction: [[hash, ['trace']], { output: '0x' }],
  trace_replayBlockTransactions: [[block.number, ['trace']], [{ output: '0x' }]],
  txpool_status: [[], { pending: '0x0' }],
  txpool_content: [[], { pending: {} }],
  txpool_contentFrom: [[account], { pending: {} }],
  rollup_getInfo: [[], {}],
  rollup_gasPrices: [[], {}],
  optimism_syncStatus: [[], {}],
  optimism_outputAtBlock: [['0x1'], {}],
  optimism_safeHeadAtL1Block: [['0x1'], {}],
  optimism_rollupConfig: [[], {}],
  optimism_version: [[], 'v1'],
}

const blockOf = (number: number) => ({
  status: 'ACCEPTED_ON_L1',
  block_hash: `0x${(0xa00 + number).toString(16)}`,
  block_number: number,
  transactions: [],
})

/** The params of Starknet's methods that are required, by their names. Blocks up to 90 are final. */
const starknetParams: Readonly<Record<string, unknown>> = {
  block_id: { block_number: 60 },
  contract_address: '0x1',
  key: '0x0',
  class_hash: '0x1',
  index: 0,
  transaction_hash: '0x1',
  filter: { from_block: { block_number: 50 }, to_block: { block_number: 60 }, chunk_size: 10 },
  request: { contract_address: '0x1', entry_point_selector: '0x1', calldata: [] },
  message: { from_address: account, to_address: '0x1', entry_point_selector: '0x1', payload: [] },
  transactions: [],
  simulation_flags: [],
}

/** A sound answer to each. */
const starknetResults: Readonly<Record<string, unknown>> = {
  starknet_specVersion: '',
  starknet_chainId: '0x534e5f4d41494e',
  starknet_blockNumber: 100,
  starknet_blockHashAndNumber: { block_hash: blockOf(100).block_hash, block_number: 100 },
  starknet_syncing: false,
  starknet_getBlockWithTxHashes: blockOf(60),
  starknet_getBlockWithTxs: blockOf(60),
  starknet_getBlockWithReceipts: blockOf(60),
  starknet_getBlockTransactionCount: 0,
  starknet_getStateUpdate: blockOf(60),
  starknet_getStorageAt: '0x7',
  starknet_getNonce: '0x7',
  starknet_getClassHashAt: '0x7',
  starknet_getClassAt: { abi: '' },
  starknet_getClass: { abi: '' },
  starknet_getStorageProof: { classes_proof: [] },
  starknet_getCompiledCasm: { prime: '0x1' },
  starknet_getTransactionByHash: { transaction_hash: '0x1' },
  starknet_getTransactionByBlockIdAndIndex: { transaction_hash: '0x1' },
  starknet_getTransactionReceipt: { ...blockOf(60), transaction_hash: '0x1', finality_status: 'ACCEPTED_ON_L1' },
  starknet_getTransactionStatus: { finality_status: 'ACCEPTED_ON_L1' },
  starknet_getMessagesStatus: [{ transaction_hash: '0x1', finality_status: 'ACCEPTED_ON_L1' }],
  starknet_getEvents: { events: [{ from_address: '0x1' }] },
  starknet_call: ['0x7'],
  starknet_estimateFee: [{ overall_fee: '0x7' }],
  starknet_estimateMessageFee: { overall_fee: '0x7' },
  starknet_simulateTransactions: [{ transaction_trace: {} }],
  starknet_traceTransaction: { type: 'INVOKE' },
  starknet_traceBlockTransactions: [{ transaction_hash: '0x1', trace_root: {} }],
}

it('answers of EVM nodes are kept for just the methods that the table calls cacheable', async () => {
  const facts: MethodFacts = evmMethods
  expect(Object.keys(evmExchanges)).toEqual(readsOf(facts))
  const node = await startChainNode(chain, 0)
  onTestFinished(() => node.close())
  node.answer = (method) => {
    const isOfChain = /^eth_(?:chainId|blockNumber|getBlockBy.+)$/.test(method)
    return isOfChain || evmExchanges[method] === undefined ? undefined : { result: evmExchanges[method][1] }
  }
  const ask = await start({ kind: 'evm', chainId: 1, upstreams: [node.url], followHeads: true }, '')
  await vi.waitFor(async () => expect(await ask('eth_getBalance', [account, '0x1'])).toBe('hit'), 5_000)
  expect(await keptOf(ask, evmExchanges)).toEqual(cacheableOf(facts))
})

it.each(starknetVersions)(
  'answers of Starknet %s are kept for just the methods that the table calls cacheable',
  async (version) => {
    const facts: MethodFacts = starknetMethods[version]
    const exchanges = Object.fromEntries(
      readsOf(facts).map((method): [string, Exchange] => {
        const names = facts[method]!.paramNames!.filter((name) => !name.endsWith('?'))
        return [method, [names.map((name) => starknetParams[name]), starknetResults[method]]]
      }),
    )
    expect(Object.values(exchanges).flat()).not.toContain(undefined)
    const node = await startNode(async ({ method, params }) => {
      if (method === 'starknet_specVersion') return { result: rawJsonFromValue(version) }
      const isSettled = method === 'starknet_getBlockWithTxHashes' && params?.text() === '["l1_accepted"]'
      return { result: rawJsonFromValue(isSettled ? blockOf(90) : starknetResults[method]) }
    })
    onTestFinished(() => node.close())
    const network = { kind: 'starknet', chainId: 'SN_MAIN', upstreams: [node.url], followHeads: true } as const
    const ask = await start(network, `/rpc/${pathOf(version)}`)
    await vi.waitFor(
      async () => expect(await ask('starknet_getNonce', [{ block_number: 1 }, '0x1'])).toBe('hit'),
      5_000,
    )
    expect(await keptOf(ask, exchanges)).toEqual(cacheableOf(facts))
  },
)

type Ask = (method: string, params: readonly unknown[]) => Promise<string | undefined>

/** Serves a network, and returns the function that asks it and tells the outcome of the cache. */
async function start(network: NetworkConfig, path: string): Promise<Ask> {
  const gateway = await startTestGateway([], { networks: { chain: network }, defaultNetwork: 'chain', cache: {} })
  onTestFinished(() => gateway.close(0))
  return async (method, params) => {
    const { body, headers } = await send(gateway.rpc, `/v3/${key}${path}`, { body: frame(method, params) })
    const { error } = JSON.parse(body) as { readonly error?: unknown }
    return error === undefined ? (headers['x-wayleave-cache'] as string | undefined) : JSON.stringify(error)
  }
}

/** Asks each question twice; the methods whose second answer is from the cache. */
async function keptOf(ask: Ask, exchanges: Readonly<Record<string, Exchange>>): Promise<readonly string[]> {
  const kept: string[] = []
  for (const [method, [params]] of Object.entries(exchanges)) {
    await ask(method, params)
    if ((await ask(method, params)) === 'hit') kept.push(method)
  }
  return kept
}

const readsOf = (facts: MethodFacts): readonly string[] =>
  Object.keys(facts).filter((method) => facts[method]!.effect === 'read')
const cacheableOf = (facts: MethodFacts): readonly string[] =>
  readsOf(facts).filter((method) => facts[method]!.cache !== undefined)
