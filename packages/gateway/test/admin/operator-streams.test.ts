import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createAdminClient } from '@wayleave/admin-api'
import { expect, it, onTestFinished } from 'vitest'
import { startChainNode, testChain } from '../chain-node.ts'
import { closedKey, frame, key, secret, startTestGateway, until } from '../support.ts'
import { openSocket, type TestSocket } from '../web-socket-client.ts'

const token = 'an-admin-token-of-the-tests'

async function begin() {
  const node = await startChainNode(testChain(100), 1)
  onTestFinished(() => node.close())
  const dataDir = await mkdtemp(join(tmpdir(), 'wayleave-streams-'))
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }))
  const gateway = await startTestGateway([], {
    admin: { token },
    dataDir,
    networks: {
      mainnet: { kind: 'evm', chainId: 1, upstreams: [{ url: node.url, ws: node.ws }], followHeads: true },
      other: { kind: 'evm', chainId: 1, upstreams: [{ url: node.url, ws: node.ws }], followHeads: false },
    },
    projects: [
      { name: 'shop', keys: [{ key, secret }] },
      { name: 'bank', keys: [{ key: closedKey }] },
    ],
  })
  onTestFinished(() => gateway.close(0))
  const client = createAdminClient({ url: gateway.admin, token })
  const call = async (path: string, method: string, params: unknown = []): Promise<unknown> => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const response = await fetch(`${gateway.rpc}${path}`, { method: 'POST', body })
    return ((await response.json()) as { result: unknown }).result
  }
  const printed = async (): Promise<string> => {
    const response = await fetch(`${gateway.admin}/metrics`, { headers: { authorization: `Bearer ${token}` } })
    return response.text()
  }
  const mainnet = async () => (await client.streams()).find(({ network }) => network === 'mainnet')!
  return { gateway, node, call, printed, mainnet, client }
}

async function subscribe(socket: TestSocket, ...params: readonly unknown[]): Promise<unknown> {
  socket.send(frame('eth_subscribe', params))
  return ((await socket.next()) as { result: unknown }).result
}

it('connections, subscriptions by kind, filters by project and relays are told while they are open, by network', async () => {
  const { gateway, call, mainnet, client } = await begin()
  const nothing = { sockets: 0, eventStreams: 0, kinds: [], filters: [], relays: 0 }
  expect(await client.streams()).toEqual([
    { network: 'mainnet', ...nothing },
    { network: 'other', ...nothing },
  ])
  const [first, second] = [
    await openSocket(`${gateway.ws}/ws/v3/${key}`),
    await openSocket(`${gateway.ws}/ws/v3/${key}`),
  ]
  const head = await subscribe(first, 'newHeads')
  await subscribe(first, 'logs', {})
  await subscribe(first, 'newPendingTransactions')
  await subscribe(second, 'newHeads')
  await subscribe(second, 'newPendingTransactions')
  await subscribe(second, 'kindOfOneNode')
  const leaving = new AbortController()
  await fetch(`${gateway.rpc}/v3/${key}/events?type=newHeads`, { signal: leaving.signal })
  const filter = await call(`/v3/${key}`, 'eth_newBlockFilter')
  await call(`/v3/${key}`, 'eth_newBlockFilter')
  await call(`/v3/${closedKey}`, 'eth_newBlockFilter')
  expect(await mainnet()).toEqual({
    network: 'mainnet',
    sockets: 2,
    eventStreams: 1,
    kinds: [
      { kind: 'newHeads', subscribers: 3 },
      { kind: 'logs', subscribers: 1 },
      { kind: 'newPendingTransactions', subscribers: 2 },
      { kind: 'other', subscribers: 1 },
    ],
    filters: [
      { project: 'shop', count: 2 },
      { project: 'bank', count: 1 },
    ],
    relays: 2,
  })
  expect((await client.streams())[1]).toEqual({ network: 'other', ...nothing })

  first.send(frame('eth_unsubscribe', [head]))
  await first.next()
  expect((await mainnet()).kinds[0]).toEqual({ kind: 'newHeads', subscribers: 2 })
  leaving.abort()
  await call(`/v3/${key}`, 'eth_uninstallFilter', [filter])
  await first.close()
  second.socket.terminate()
  await expect.poll(mainnet).toEqual({
    network: 'mainnet',
    ...nothing,
    filters: [
      { project: 'shop', count: 1 },
      { project: 'bank', count: 1 },
    ],
  })
})

it('subscriptions that end without a wish of their caller are counted with the reason, and sockets that are closed with the code', async () => {
  const { gateway, node, printed } = await begin()
  const lost = await openSocket(`${gateway.ws}/other/ws/v3/${key}`)
  await subscribe(lost, 'newPendingTransactions')
  await node.stop()
  await until(() => lost.closed !== undefined)
  expect(lost.closed?.code).toBe(1013)
  const left = await openSocket(`${gateway.ws}/other/ws/v3/${key}`)
  // A code that the gateway would give, from the other end.
  left.socket.close(1013)
  await until(() => left.closed !== undefined)
  const text = await printed()
  const linesOf = (name: string): readonly string[] | null => text.match(new RegExp(`^${name}\\{.*$`, 'gm'))
  expect(linesOf('wayleave_subscription_ends_total')).toEqual([
    'wayleave_subscription_ends_total{network="other",kind="newPendingTransactions",reason="disconnected"} 1',
  ])
  expect(linesOf('wayleave_websocket_closes_total')).toEqual([
    'wayleave_websocket_closes_total{network="other",code="1013"} 1',
  ])
  expect(linesOf('wayleave_subscriptions')).toEqual([
    'wayleave_subscriptions{network="other",kind="newPendingTransactions"} 0',
  ])
})
