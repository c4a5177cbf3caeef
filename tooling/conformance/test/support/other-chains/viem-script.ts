import { createPublicClient, http, type PublicClient, webSocket } from 'viem'
import { base, filecoin } from 'viem/chains'
import type { ChainName, Facts } from './scene.ts'

const abi = [
  { type: 'function', name: 'value', inputs: [], outputs: [{ type: 'uint256' }], stateMutability: 'view' },
  {
    type: 'function',
    name: 'store',
    inputs: [{ type: 'uint256' }],
    outputs: [{ type: 'uint256' }],
    stateMutability: 'nonpayable',
  },
] as const

export function viemClient(name: ChainName, url: string): PublicClient {
  const chain = name === 'base' ? base : filecoin
  const transport = url.startsWith('ws') ? webSocket(url, { retryCount: 0 }) : http(url, { retryCount: 0 })
  return createPublicClient({ chain, transport, pollingInterval: 50, cacheTime: 0 }) as never
}

/** Closes the client's WebSocket, where it has one. */
export async function closeViem({ transport }: PublicClient): Promise<void> {
  if (transport.type === 'webSocket') (await (transport as unknown as WebSocketTransportValue).getRpcClient()).close()
}

interface WebSocketTransportValue {
  getRpcClient(): Promise<{ close(): void }>
}

/** An error and its causes. Left out: `message`, `metaMessages`, `url` and `body`, which name the URL or the call's id. */
export function viemFace(thrown: unknown): unknown {
  const faces: unknown[] = []
  for (let error = thrown; error instanceof Error; error = error.cause) {
    const { name, shortMessage, details, code, data, status } = error as unknown as Record<string, unknown>
    // Errors of the gateway's own have the id of the call's trace.
    const isTraced = typeof data === 'object' && data !== null && 'traceId' in data
    faces.push({ name, shortMessage, details, code, data: isTraced ? undefined : data, status })
  }
  return faces
}

type Script = Readonly<Record<string, () => Promise<unknown>>>

export function viemScript(client: PublicClient, facts: Facts): Script {
  const { contract: address, block, place, head, transactions } = facts
  const blockNumber = BigInt(place)
  const multicallAddress = '0xcA11bde05977b3631167028862bE2a173976CA11'
  const call = { address, abi, functionName: 'value' } as const
  const raw = (method: string, ...params: unknown[]): Promise<unknown> => client.request({ method, params } as never)
  const tags = ['latest', 'pending', 'finalized', 'safe', 'earliest'] as const
  const ranges = [-2, -1, 0, 1].flatMap((from) =>
    [0, 1, 2, 9].map((length) => [place + from, place + from + length] as const),
  )
  return {
    'the chain': () => client.getChainId(),
    'the height': () => client.getBlockNumber(),
    'a block': () => client.getBlock({ blockNumber: BigInt(block.number) }),
    'a whole block': () => client.getBlock({ blockNumber: BigInt(block.number), includeTransactions: true }),
    'a place': () => client.getBlock({ blockNumber }),
    'a place, again': () => client.getBlock({ blockNumber, includeTransactions: true }),
    'above a place': () => client.getBlock({ blockNumber: blockNumber + 1n }),
    ...Object.fromEntries(tags.map((blockTag) => [`the ${blockTag} block`, () => client.getBlock({ blockTag })])),
    'a block by hash': () => client.getBlock({ blockHash: block.hash }),
    'a block by no hash': () => client.getBlock({ blockHash: `0x${'12'.repeat(32)}` }),
    'a block to come': () => client.getBlock({ blockNumber: BigInt(head + 1_000) }),
    'how many transactions': () => client.getBlockTransactionCount({ blockNumber: BigInt(block.number) }),
    'how many at a place': () => client.getBlockTransactionCount({ blockNumber }),
    ...Object.fromEntries(
      transactions.flatMap((hash, i) => [
        [`transaction ${i}`, () => client.getTransaction({ hash })],
        [`receipt ${i}`, () => client.getTransactionReceipt({ hash })],
        [`the wait for receipt ${i}`, () => client.waitForTransactionReceipt({ hash })],
        [`confirmations ${i}`, () => client.getTransactionConfirmations({ hash })],
      ]),
    ),
    'the first transaction': () => client.getTransaction({ blockHash: block.hash, index: 0 }),
    'the first transaction of a place': () => client.getTransaction({ blockNumber, index: 0 }),
    'no transaction': () => client.getTransaction({ hash: `0x${'12'.repeat(32)}` }),
    'no receipt': () => client.getTransactionReceipt({ hash: `0x${'12'.repeat(32)}` }),
    receipts: () => raw('eth_getBlockReceipts', `0x${block.number.toString(16)}`),
    'receipts by hash': () => raw('eth_getBlockReceipts', block.hash),
    'receipts of a place': () => raw('eth_getBlockReceipts', `0x${place.toString(16)}`),
    ...Object.fromEntries(
      ranges.map(([from, to]) => [
        `logs of ${from} to ${to}`,
        () => client.getLogs({ address, fromBlock: BigInt(from), toBlock: BigInt(to) }),
      ]),
    ),
    'logs of all': () => client.getLogs({ fromBlock: 0n, toBlock: 'latest' }),
    'logs of a block': () => client.getLogs({ blockHash: block.hash }),
    'logs to come': () => client.getLogs({ fromBlock: BigInt(head), toBlock: BigInt(head + 1_000) }),
    'a balance': () => client.getBalance({ address }),
    'a balance of a place': () => client.getBalance({ address, blockNumber }),
    'a pending balance': () => client.getBalance({ address, blockTag: 'pending' }),
    'a nonce': () => client.getTransactionCount({ address }),
    'a pending nonce': () => client.getTransactionCount({ address, blockTag: 'pending' }),
    code: () => client.getCode({ address }),
    'code of a place': () => client.getCode({ address, blockNumber }),
    'a slot': () => client.getStorageAt({ address, slot: '0x0', blockNumber }),
    'a call': () => client.readContract(call),
    'a call of a place': () => client.readContract({ ...call, blockNumber }),
    'a call that reverts': () => client.call({ to: address, data: '0xdeadbeef' }),
    'many calls': () => client.multicall({ contracts: [call, call, call], multicallAddress }),
    'many calls of a place': () => client.multicall({ contracts: [call, call], blockNumber, multicallAddress }),
    'a simulated write': () =>
      client.simulateContract({ address, abi, functionName: 'store', args: [7n], account: address }),
    'simulated blocks': () => client.simulateBlocks({ blocks: [{ calls: [{ to: address, data: '0x3fa4f245' }] }] }),
    'gas of a call': () => client.estimateGas({ to: address, data: '0x3fa4f245', account: address }),
    'gas of a revert': () => client.estimateGas({ to: address, data: '0xdeadbeef', account: address }),
    'the gas price': () => client.getGasPrice(),
    fees: () => client.estimateFeesPerGas(),
    'the history of fees': () => client.getFeeHistory({ blockCount: 4, rewardPercentiles: [10, 50] }),
    'the history of fees to a place': () =>
      client.getFeeHistory({ blockCount: 4, blockNumber, rewardPercentiles: [50] }),
    'an unknown method': () => raw('eth_noSuchMethod'),
  }
}

/** Follows the chain in all ways of a client; `told` has what came by each. */
export async function followByViem(client: PublicClient, { contract: address }: Facts) {
  const reported: Record<string, unknown[]> = { blocks: [], numbers: [], missed: [], logs: [], errors: [] }
  const onError = (error: Error): void => void reported['errors']!.push(viemFace(error))
  const blockFilter = await client.createBlockFilter()
  const logFilter = await client.createEventFilter({ address })
  const polled: Record<string, unknown[]> = { blockFilter: [], logFilter: [] }
  const stops = [
    client.watchBlocks({ onBlock: (block) => void reported['blocks']!.push(block), onError }),
    client.watchBlockNumber({ onBlockNumber: (number) => void reported['numbers']!.push(number), onError }),
    client.watchBlockNumber({
      emitMissed: true,
      onBlockNumber: (number) => void reported['missed']!.push(number),
      onError,
    }),
    client.watchEvent({ address, onLogs: (logs) => void reported['logs']!.push(...logs), onError }),
  ]
  await client.getChainId()
  return {
    reported,
    polled,
    async poll(): Promise<void> {
      polled['blockFilter']!.push(...(await client.getFilterChanges({ filter: blockFilter })))
      polled['logFilter']!.push(...(await client.getFilterChanges({ filter: logFilter })))
    },
    async stop(): Promise<void> {
      for (const stop of stops) stop()
      await closeViem(client)
    },
  }
}
