import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { startFeeNode } from './fee-node.ts'
import { Caller, key, serve } from './served.ts'

const token = 'an-admin-token-of-the-tests'

it('operators hear of what is open at all workers, and of the fees that any of them follows', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'wayleave-operators-'))
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }))
  const { rpc, admin } = await serve({
    dataDir,
    admin: { token },
    defaultNetwork: 'one',
    networks: {
      one: { kind: 'evm', chainId: 1, upstreams: [(await startFeeNode()).url], gas: { blocksOnDemand: true } },
    },
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
