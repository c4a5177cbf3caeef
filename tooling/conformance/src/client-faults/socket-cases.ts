import { setTimeout as sleep } from 'node:timers/promises'
import { demand, Fault, type FaultCase, Hang, patienceMs, shortly, type Stage, valueOf } from './fault-case.ts'
import { type HostileNode, ordinaryAnswer, printAnswer } from './hostile-node.ts'
import { settle } from './settled.ts'
import { type NamedCall, someAddress } from './subject.ts'

const balance: NamedCall = { method: 'eth_getBalance', params: [someAddress, 'latest'] }

/** The time in ms that a client has to reconnect by itself: libraries wait up to 5 s between attempts. */
const returnMs = 15_000

const zeroHash = `0x${'0'.repeat(64)}`
const hashOf = (number: number): string => `0x${number.toString(16).padStart(64, '1')}`
const headOf = (number: string): object => ({
  number,
  hash: hashOf(Number(number)),
  parentHash: hashOf(Number(number) - 1),
  sha3Uncles: zeroHash,
  miner: someAddress,
  stateRoot: zeroHash,
  transactionsRoot: zeroHash,
  receiptsRoot: zeroHash,
  logsBloom: `0x${'0'.repeat(512)}`,
  difficulty: '0x0',
  gasLimit: '0x1c9c380',
  gasUsed: '0x0',
  timestamp: '0x1',
  extraData: '0x',
  mixHash: zeroHash,
  nonce: '0x0000000000000000',
  baseFeePerGas: '0x1',
})

const subscriptionId = (connectionNumber: number): string => `0x${connectionNumber}abc`

/** Answers each subscription with an id made of the connection's number, and pushes head 0x100 + that number once. */
function pushHeads(node: HostileNode): void {
  node.onMessage = ({ call, socket, connectionNumber }) => {
    if (call.method === 'eth_unsubscribe') return socket.send(printAnswer(call, { result: true }))
    if (call.method !== 'eth_subscribe') return socket.send(ordinaryAnswer(call))
    const subscription = subscriptionId(connectionNumber)
    socket.send(printAnswer(call, { result: subscription }))
    const params = { subscription, result: headOf(`0x10${connectionNumber}`) }
    setTimeout(() => socket.send(JSON.stringify({ jsonrpc: '2.0', method: 'eth_subscription', params })), 50)
  }
}

async function until(what: string, ms: number, holds: () => boolean): Promise<void> {
  for (const end = performance.now() + ms; !holds(); await sleep(10)) {
    if (performance.now() > end) throw new Fault(`no ${what} within ${ms / 1000} s`)
  }
}

interface Watching {
  readonly heads: number[]
  readonly unwatch: () => unknown
}

/** Opens a client that watches heads, drops its connection, and waits until it has subscribed again. */
async function watchThroughDrop({ subject, node }: Stage): Promise<Watching> {
  pushHeads(node)
  const client = await subject.openSocket(node.wsUrl)
  const heads: number[] = []
  const unwatch = await client.watchHeads((head) => heads.push(Number(head)))
  await until('first head', patienceMs, () => heads.includes(0x101))
  node.breakConnections()
  await until('second eth_subscribe', returnMs, () => node.callsOf('eth_subscribe').length > 1)
  return { heads, unwatch }
}

/** Measures how long a pending call takes to reject once its connection has gone, in ms. */
async function rejectionTime({ subject, node }: Stage): Promise<number> {
  const client = await subject.openSocket(node.wsUrl)
  await valueOf(client.request(balance))
  let dropped = 0
  node.onMessage = ({ connection }) => {
    dropped = performance.now()
    connection.destroy()
  }
  const settled = await settle(client.request(balance), patienceMs)
  const ms = performance.now() - dropped
  node.onMessage = ({ call, socket }) => socket.send(ordinaryAnswer(call))
  if (settled.how === 'hang') throw new Hang('the pending call never ends')
  if (settled.how === 'fulfilled') throw new Fault(`it resolved with ${shortly(settled.value)}`)
  return ms
}

export const socketCases: readonly FaultCase[] = [
  {
    number: 18,
    title: 'rejects pending calls within 100 ms of a WebSocket drop',
    async run(stage) {
      // On a busy machine one attempt may be late; a client that waits is late each time.
      let ms = Infinity
      for (let attempt = 0; attempt < 10 && ms >= 100; attempt++) ms = await rejectionTime(stage)
      demand(ms < 100, `it took ${Math.round(ms)} ms`)
    },
  },
  {
    number: 19,
    title: 'subscribes again after a WebSocket drop',
    async run(stage) {
      const { heads } = await watchThroughDrop(stage)
      await until('head on the second connection', patienceMs, () => heads.includes(0x102))
    },
  },
  {
    number: 20,
    title: "unsubscribes by the node's new id after a WebSocket drop",
    async run(stage) {
      const { heads, unwatch } = await watchThroughDrop(stage)
      await until('head on the second connection', patienceMs, () => heads.includes(0x102))
      void unwatch()
      await until('eth_unsubscribe', patienceMs, () => stage.node.callsOf('eth_unsubscribe').length > 0)
      const ids = stage.node.callsOf('eth_unsubscribe').map(({ params }) => params[0])
      demand(ids.join() === subscriptionId(2), `it named ${ids.join()}, not ${subscriptionId(2)}`)
    },
  },
  {
    number: 21,
    title: 'is usable again after an outage',
    async run({ subject, node, outageMs }) {
      const client = await subject.openSocket(node.wsUrl)
      await valueOf(client.request(balance))
      await node.vanish()
      await sleep(outageMs)
      await node.listen()
      const end = performance.now() + returnMs
      for (;;) {
        const settled = await settle(
          Promise.resolve().then(() => client.request(balance)),
          2_000,
        )
        if (settled.how === 'fulfilled') break
        if (performance.now() > end) throw new Fault(`no call succeeds ${returnMs / 1000} s after it is over`)
        await sleep(200)
      }
    },
  },
]
