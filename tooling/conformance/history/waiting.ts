import { createHash } from 'node:crypto'
import { createPublicClient, http } from 'viem'
import { mainnet } from 'viem/chains'
import { createHistoryChain } from './chain.ts'
import { startHistoryGateway } from './gateway.ts'
import { type HistoryNode, startHistoryNode } from './node.ts'
import type { Row } from './report.ts'

const methods = ['eth_getTransactionByHash', 'eth_getTransactionReceipt']

/** Waits at once: all ask at each block, in this process, which also has the nodes and the gateway. */
const atOnce = 200
const blockMs = 2_000

const callsOf = (nodes: readonly HistoryNode[]): number =>
  nodes.reduce((sum, { calls }) => sum + methods.reduce((own, method) => own + (calls.get(method) ?? 0), 0), 0)

/** Waits with viem for transactions that are mined 3 to 5 blocks later, of which the gateway knows nothing. */
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
  }, blockMs)
  stack.defer(() => clearInterval(timer))

  let polls = 0
  const client = createPublicClient({
    chain: mainnet,
    pollingInterval: 1_000,
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
  await client.getBlockNumber()
  const before = callsOf(nodes)
  const hedgesBefore = await gateway.hedges()
  const receipts: { readonly status: string }[] = []
  for (let from = 0; from < transactions; from += atOnce) {
    const some = hashes.slice(from, from + atOnce)
    for (const [i, hash] of some.entries()) chain.submit(hash, 3 + (i % 3))
    receipts.push(
      ...(await Promise.all(some.map((hash) => client.waitForTransactionReceipt({ hash, timeout: 60_000 })))),
    )
  }
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
