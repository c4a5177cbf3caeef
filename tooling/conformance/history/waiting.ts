import { createHash } from 'node:crypto'
import { createPublicClient, http } from 'viem'
import { mainnet } from 'viem/chains'
import { createHistoryChain } from './chain.ts'
import { startHistoryGateway } from './gateway.ts'
import { type HistoryNode, startHistoryNode } from './node.ts'
import type { Row } from './report.ts'

const methods = ['eth_getTransactionByHash', 'eth_getTransactionReceipt']

const callsOf = (nodes: readonly HistoryNode[]): number =>
  nodes.reduce((sum, { calls }) => sum + methods.reduce((own, method) => own + (calls.get(method) ?? 0), 0), 0)

/** Waits with viem for transactions that are mined 6 to 12 blocks later, of which the gateway knows nothing. */
export async function runWaiting(
  count: number,
  hasCapabilities: boolean,
  transactions = 1_000,
): Promise<readonly Row[]> {
  const chain = createHistoryChain(2_000)
  await using stack = new AsyncDisposableStack()
  const nodes: HistoryNode[] = []
  for (let i = 0; i < count; i++) {
    const options = { chain, keeps: { bodies: 0, index: 0 }, hasCapabilities, lateMs: () => i * 30 }
    nodes.push(stack.use(await startHistoryNode(options)))
  }
  const gateway = stack.use(
    await startHistoryGateway(Object.fromEntries(nodes.map((node, i) => [`node-${i + 1}`, node]))),
  )
  const timer = setInterval(() => {
    chain.mine()
    for (const node of nodes) node.moved()
  }, 1_000)
  stack.defer(() => clearInterval(timer))

  let polls = 0
  const client = createPublicClient({
    chain: mainnet,
    pollingInterval: 500,
    transport: http(gateway.url, {
      retryCount: 0,
      timeout: 30_000,
      onFetchRequest(_, { body }) {
        if (methods.some((method) => String(body).includes(`"${method}"`))) polls++
      },
    }),
  })
  const hashes = Array.from(
    { length: transactions },
    (_, i) => `0x${createHash('sha256').update(`waiting ${i}`).digest('hex')}` as const,
  )
  for (const [i, hash] of hashes.entries()) chain.submit(hash, 6 + (i % 7))
  await client.getBlockNumber()
  const before = callsOf(nodes)
  const hedgesBefore = await gateway.hedges()
  const receipts = await Promise.all(hashes.map((hash) => client.waitForTransactionReceipt({ hash, timeout: 60_000 })))
  const upstream = callsOf(nodes) - before
  const hedges = (await gateway.hedges()) - hedgesBefore
  const mined = receipts.filter(({ status }) => status === 'success').length
  const ratio = upstream / polls
  const what = `\`waitForTransactionReceipt\`, ${transactions} transactions, ${count} nodes ${hasCapabilities ? 'with' : 'without'} \`eth_capabilities\``
  return [
    {
      what: `${what}: upstream calls a poll`,
      bar: 'at most 1.1',
      measured: `${ratio.toFixed(3)} (${upstream} for ${polls}, ${hedges} of them hedges)`,
      holds: ratio <= 1.1,
    },
    { what: `${what}: receipts`, bar: `${transactions}`, measured: `${mined}`, holds: mined === transactions },
  ]
}
