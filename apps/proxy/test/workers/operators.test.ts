import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { Caller, key, serve } from './served.ts'

const token = 'an-admin-token-of-the-tests'
const hex = (number: number): string => `0x${number.toString(16)}`
const hash = (number: number): string => `0x${number.toString(16).padStart(64, '0')}`

/** A node with three blocks and their fees. */
async function feeNode(): Promise<string> {
  const head = 2
  const now = Math.floor(Date.now() / 1_000)
  const resultOf = (method: string, params: readonly unknown[]): unknown => {
    const given = String(params[0]).startsWith('0x') ? Number(params[0]) : head
    const number = method === 'eth_getBlockByHash' ? given - 1 : given
    if (method === 'eth_chainId') return '0x1'
    if (method.startsWith('eth_getBlockBy')) {
      const block = { hash: hash(number + 1), parentHash: hash(number), timestamp: hex(now - head + number) }
      return { number: hex(number), baseFeePerGas: hex(1e9), ...block }
    }
    if (method !== 'eth_feeHistory') return hex(head)
    const rewards = (params[2] as readonly number[]).map((percentile) => hex(percentile * 1e6))
    const [baseFeePerGas, gasUsedRatio] = [Array<string>(head + 2).fill(hex(1e9)), Array<number>(head + 1).fill(0.5)]
    return { oldestBlock: '0x0', baseFeePerGas, gasUsedRatio, reward: gasUsedRatio.map(() => rewards) }
  }
  const server = createServer((incoming, response) => {
    let text = ''
    incoming.setEncoding('utf8').on('data', (part: string) => (text += part))
    incoming.on('end', () => {
      const { id, method, params = [] } = JSON.parse(text) as { id: number; method: string; params?: unknown[] }
      const body = JSON.stringify({ jsonrpc: '2.0', id, result: resultOf(method, params) })
      response.writeHead(200, { 'content-type': 'application/json' }).end(body)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close().closeAllConnections())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

it('operators hear of what is open at all workers, and of the fees that any of them follows', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'wayleave-operators-'))
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }))
  const { rpc, admin } = await serve({
    dataDir,
    admin: { token },
    defaultNetwork: 'one',
    networks: { one: { kind: 'evm', chainId: 1, upstreams: [await feeNode()], gas: { blocksOnDemand: true } } },
    projects: [{ id: 'a', name: 'A', keys: [{ key }] }],
  })
  const ask = async (path: string): Promise<{ readonly items: readonly Record<string, unknown>[] }> => {
    const response = await fetch(`${admin}/admin/v1${path}`, { headers: { authorization: `Bearer ${token}` } })
    return (await response.json()) as { items: Record<string, unknown>[] }
  }
  expect(await ask('/gas')).toEqual({ items: [] })

  // So many that each worker has some, but for one time in a million.
  const sockets = Array.from({ length: 20 }, () => new WebSocket(`ws://${rpc.host}/ws/v3/${key}`))
  await Promise.all(sockets.map((socket) => once(socket, 'open')))
  for (const socket of sockets) {
    socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_subscribe', params: ['newHeads'] }))
  }
  await Promise.all(sockets.map((socket) => once(socket, 'message')))
  const open = { network: 'one', sockets: 20, kinds: [{ kind: 'newHeads', subscribers: 20 }], filters: [] }
  expect((await ask('/streams')).items).toMatchObject([open])
  for (const socket of sockets) socket.close()
  await expect.poll(async () => (await ask('/streams')).items).toMatchObject([{ sockets: 0, kinds: [] }])

  const { status, body } = await new Caller(rpc).ask('GET', `/v3/${key}/networks/1/suggestedGasFees`)
  expect(status).toBe(200)
  expect((await ask('/gas')).items).toMatchObject([
    { network: 'one', blockNumber: 2, suggested: JSON.parse(body) as object, promises: { high: { pending: 1 } } },
  ])
})
