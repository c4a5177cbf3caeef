import { expect, it, onTestFinished } from 'vitest'
import { type ChainNode, startChainNode, testChain } from '../chain-node.ts'
import { frame, key, until } from '../support.ts'
import { openSocket, type TestSocket } from '../web-socket-client.ts'
import { startWorkers } from './worker-gateways.ts'

const part = (number: number, index: number): object => ({
  payload_id: `0x03${number.toString(16).padStart(14, '0')}`,
  index,
  ...(index === 0 && { base: { block_number: `0x${number.toString(16)}` } }),
  diff: { transactions: [] },
  metadata: { block_number: number },
})
const openAt = (nodes: readonly ChainNode[]): number[] => nodes.map((node) => node.subscribersOf('newFlashblocks'))
const got = (socket: TestSocket): unknown[] =>
  socket.messages.slice(1).map((text) => (JSON.parse(text) as { params: { result: unknown } }).params.result)

it(
  'each worker has one subscription to flashblocks, which goes on at another node that has them',
  { timeout: 30_000 },
  async () => {
    const chain = testChain(100, { isRollup: true })
    const nodes = await Promise.all([0, 1, 2].map((i) => startChainNode(chain, i)))
    nodes.forEach((node, i) => {
      onTestFinished(() => node.close())
      node.answer = (method, [kind]) => {
        if (method === 'op_supportedCapabilities' && i > 0) return { result: ['flashblocksv1'] }
        const isUnknown = method === 'op_supportedCapabilities' || (i === 0 && kind === 'newFlashblocks')
        return isUnknown ? { error: { code: -32601, message: 'the method does not exist' } } : undefined
      }
    })
    const upstreams = nodes.map(({ url, ws }, i) => ({ name: `n${i}`, url, ws, probe: true }))
    const networks = { mainnet: { kind: 'evm', chainId: 1, upstreams, followHeads: true } } as const
    const { workers } = await startWorkers({ networks }, 3)
    const sockets: TestSocket[] = []
    for (const { gateway } of [...workers, ...workers]) {
      const socket = await openSocket(`${gateway.ws}/ws/v3/${key}`)
      socket.send(frame('eth_subscribe', ['newFlashblocks']))
      expect(await socket.next()).toMatchObject({ result: expect.any(String) })
      sockets.push(socket)
    }
    const sum = (): number => openAt(nodes).reduce((all, count) => all + count)
    await until(() => sum() === workers.length)
    for (const node of nodes) for (const i of [0, 1, 2]) node.push('newFlashblocks', part(101, i))
    await until(() => sockets.every((socket) => got(socket).length === 3))
    const [, second, third] = nodes
    await second!.stop()
    await until(() => third!.subscribersOf('newFlashblocks') === workers.length)
    for (const i of [1, 2, 3]) third!.push('newFlashblocks', part(101, i))
    third!.push('newFlashblocks', part(102, 0))
    const all = [...[0, 1, 2, 3].map((i) => part(101, i)), part(102, 0)]
    for (const socket of sockets) await expect.poll(() => got(socket), { timeout: 5_000 }).toEqual(all)
  },
)
