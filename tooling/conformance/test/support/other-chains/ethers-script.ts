import { type JsonRpcApiProvider, JsonRpcProvider, type Log, WebSocketProvider } from 'ethers'
import type { Facts } from './scene.ts'

export function ethersProvider(url: string): JsonRpcApiProvider {
  if (url.startsWith('ws')) return new WebSocketProvider(url, undefined, { cacheTimeout: -1 })
  return new JsonRpcProvider(url, undefined, { cacheTimeout: -1, polling: true, pollingInterval: 50 })
}

/** Only what a provider has by itself; `info` holds the number of the call. */
export function ethersFace(thrown: unknown): unknown {
  const { name, code, shortMessage, reason, data, revert, action, error } = thrown as Record<string, unknown>
  return { name, code, shortMessage, reason, data, revert, action, error }
}

type Script = Readonly<Record<string, () => Promise<unknown>>>

const plain = (value: { toJSON(): unknown } | null): unknown => value?.toJSON() ?? null

export function ethersScript(provider: JsonRpcApiProvider, facts: Facts): Script {
  const { contract, block, place, head, transactions } = facts
  const call = { to: contract, data: '0x3fa4f245' }
  const noHash = `0x${'12'.repeat(32)}`
  const whole = async (at: number | string): Promise<unknown> => {
    const found = await provider.getBlock(at, true)
    return found && [found.toJSON(), found.prefetchedTransactions.map((each) => each.toJSON())]
  }
  const logs = async (filter: object): Promise<unknown> => (await provider.getLogs(filter)).map((log) => log.toJSON())
  const places: readonly (number | string)[] = [
    block.number,
    place,
    place + 1,
    'latest',
    'pending',
    'finalized',
    'safe',
  ]
  const ranges = [-1, 0, 1].flatMap((from) => [0, 1, 9].map((length) => [place + from, place + from + length] as const))
  return {
    'the network': async () => plain(await provider.getNetwork()),
    'the height': () => provider.getBlockNumber(),
    ...Object.fromEntries(
      places.flatMap((at) => [
        [`block ${at}`, async () => plain(await provider.getBlock(at))],
        [`whole block ${at}`, () => whole(at)],
        [`balance at ${at}`, () => provider.getBalance(contract, at)],
        [`nonce at ${at}`, () => provider.getTransactionCount(contract, at)],
        [`code at ${at}`, () => provider.getCode(contract, at)],
        [`slot at ${at}`, () => provider.getStorage(contract, 0, at)],
        [`call at ${at}`, () => provider.call({ ...call, blockTag: at })],
      ]),
    ),
    'a block by hash': () => whole(block.hash),
    'a block by no hash': () => whole(noHash),
    'a block to come': () => whole(head + 1_000),
    ...Object.fromEntries(
      transactions.flatMap((hash, i) => [
        [`transaction ${i}`, async () => plain(await provider.getTransaction(hash))],
        [`receipt ${i}`, async () => plain(await provider.getTransactionReceipt(hash))],
        [`the wait for ${i}`, async () => plain(await provider.waitForTransaction(hash, 1, 5_000))],
      ]),
    ),
    'no transaction': () => provider.getTransaction(noHash),
    'no receipt': () => provider.getTransactionReceipt(noHash),
    ...Object.fromEntries(
      ranges.map(([fromBlock, toBlock]) => [
        `logs of ${fromBlock} to ${toBlock}`,
        () => logs({ address: contract, fromBlock, toBlock }),
      ]),
    ),
    'logs of all': () => logs({ fromBlock: 0 }),
    'logs of a block': () => logs({ blockHash: block.hash }),
    'a call that reverts': () => provider.call({ to: contract, data: '0xdeadbeef' }),
    'gas of a call': () => provider.estimateGas(call),
    'gas of a revert': () => provider.estimateGas({ to: contract, data: '0xdeadbeef' }),
    fees: async () => plain(await provider.getFeeData()),
    receipts: () => provider.send('eth_getBlockReceipts', [`0x${block.number.toString(16)}`]),
    'receipts of a place': () => provider.send('eth_getBlockReceipts', [`0x${place.toString(16)}`]),
    'an unknown method': () => provider.send('eth_noSuchMethod', []),
  }
}

/** Follows blocks and logs; `told` has what came. */
export async function followByEthers(provider: JsonRpcApiProvider, { contract, topic }: Facts) {
  const reported: Record<string, unknown[]> = { numbers: [], logs: [], errors: [] }
  await provider.on('block', (number: number) => void reported['numbers']!.push(number))
  await provider.on({ address: contract, topics: [topic] }, (log: Log) => void reported['logs']!.push(log.toJSON()))
  await provider.on('error', (error: unknown) => void reported['errors']!.push(ethersFace(error)))
  await provider.getBlockNumber()
  return { reported, stop: () => provider.destroy() }
}
