import { setTimeout as sleep } from 'node:timers/promises'
import { WebSocket } from 'ws'
import { createHistoryChain } from './chain.ts'
import { startHistoryGateway } from './gateway.ts'
import { type HistoryNode, startHistoryNode } from './node.ts'
import type { Row } from './report.ts'

/** Calls for a block by its number and its hash, no two of which are one call to the gateway. */
const reads = (number: string, hash: string) =>
  [
    ['eth_getBlockByNumber', [number, false]],
    ['eth_getBlockByNumber', [number, true]],
    ['eth_getBlockByHash', [hash, false]],
    ['eth_getBlockByHash', [hash, true]],
  ] as const

/** Makes blocks every 250 ms, and asks for each that is announced, on nodes of which the others have it up to 120 ms later. */
export async function runPace(seconds: number, count = 3): Promise<readonly Row[]> {
  const chain = createHistoryChain(2_000)
  await using stack = new AsyncDisposableStack()
  const nodes: HistoryNode[] = []
  for (let i = 0; i < count; i++) {
    const lateMs = (): number => Math.random() * 60 * i
    nodes.push(
      stack.use(await startHistoryNode({ chain, keeps: { bodies: 0, index: 0 }, hasCapabilities: true, lateMs })),
    )
  }
  const upstreams = Object.fromEntries(nodes.map((node, i) => [`node-${i + 1}`, node]))
  const gateway = stack.use(await startHistoryGateway(upstreams, { hasSockets: true }))
  const timer = setInterval(() => {
    chain.mine()
    for (const node of nodes) node.moved()
  }, 250)
  stack.defer(() => clearInterval(timer))
  await gateway.ask('eth_blockNumber', [])
  await sleep(9_000)
  await gateway.ask('eth_blockNumber', [])
  await sleep(1_000)

  const socket = new WebSocket(gateway.ws)
  stack.defer(() => socket.terminate())
  await new Promise((resolve) => socket.once('open', resolve))
  socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_subscribe', params: ['newHeads'] }))
  const asked = (): number =>
    nodes.reduce(
      (sum, { calls }) => sum + (calls.get('eth_getBlockByNumber') ?? 0) + (calls.get('eth_getBlockByHash') ?? 0),
      0,
    )
  const before = asked()
  const hedgesBefore = await gateway.hedges()
  const sum = { heads: 0, calls: 0, refused: 0 }
  const under: Promise<void>[] = []
  async function read(number: string, [method, params]: ReturnType<typeof reads>[number]): Promise<void> {
    sum.calls++
    const { result } = await gateway.ask(method, params)
    if ((result as { readonly number?: string } | null | undefined)?.number !== number) sum.refused++
  }
  socket.on('message', (data: Buffer) => {
    const { params } = JSON.parse(data.toString()) as {
      readonly params?: { readonly result: { readonly number: string; readonly hash: string } }
    }
    if (params === undefined) return
    sum.heads++
    const { number, hash } = params.result
    for (const each of reads(number, hash)) under.push(read(number, each))
  })
  await sleep(seconds * 1_000)
  socket.removeAllListeners('message')
  await Promise.all(under)
  const hedges = (await gateway.hedges()) - hedgesBefore
  const extra = asked() - before - sum.calls
  const bad = (sum.refused + Math.max(0, extra)) / sum.calls
  const what = `a block every 250 ms, each of ${sum.heads} heads is asked for four times, ${count} nodes`
  return [
    {
      what: `${what}: refused or asked twice`,
      bar: 'under 1 %',
      measured: `${(100 * bad).toFixed(2)} % (${sum.refused} refused, ${extra} asked twice, ${hedges} of them hedges, of ${sum.calls})`,
      holds: sum.calls > 0 && bad < 0.01,
    },
  ]
}
