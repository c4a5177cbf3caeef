import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createApiKey, createApiSecret, hintOf, sha256Hex } from '@wayleave/auth'
import type { RunningGateway } from '@wayleave/gateway'
import { rawJsonFromValue } from '@wayleave/jsonrpc-core'
import { openStores, type Stores } from '@wayleave/stores'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createFeeNode } from '../gas/support.ts'
import {
  basic,
  frame,
  key as ownKey,
  secret as ownSecret,
  send,
  startNode,
  startTestGateway,
  type TestNode,
} from '../support.ts'
import { openSocket } from '../web-socket-client.ts'

const by = { actor: 'test', at: 1 }

let node: TestNode
let folder: string
let gateway: RunningGateway
let stores: Stores

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'wayleave-stored-'))
  const fees = createFeeNode()
  node = await startNode((request, context) =>
    request.method === 'eth_gasPrice'
      ? Promise.resolve({ result: rawJsonFromValue('0x1') })
      : fees.handler(request, context),
  )
  const network = { kind: 'evm', chainId: 1, upstreams: [node.url], gas: { blocksOnDemand: true } } as const
  gateway = await startTestGateway([], {
    networks: { mainnet: network },
    dataDir: folder,
    listen: { rpc: '127.0.0.1:0', ipfs: '127.0.0.1:0', admin: '127.0.0.1:0' },
    ipfs: { backend: 'local' },
    // Settings of projects of the configuration are theirs alone.
    projects: [
      { name: 'own', keys: [{ key: ownKey, secret: ownSecret }], timeouts: { default: '1ms' }, billingCard: false },
    ],
  })
  stores = await openStores({ sqlite: join(folder, 'wayleave.sqlite') })
})

afterAll(async () => {
  await stores.close()
  await gateway.close(0)
  await node.close()
  await rm(folder, { recursive: true, force: true })
})

const call = (key: string) => send(gateway.rpc, `/v3/${key}`, { body: frame('eth_gasPrice') })

/** Makes a project with a key and its secret, which the gateway knows at once. */
async function addProject(
  id: string,
): Promise<{ readonly key: string; readonly secret: string; readonly keyId: string }> {
  const [key, secret, keyId] = [createApiKey(), createApiSecret(), `${id}-key`]
  await stores.accounts.createProject({ id, name: `the ${id}` }, by)
  await stores.accounts.createKey({ id: keyId, projectId: id, digest: sha256Hex(key), hint: hintOf(key) }, by)
  await stores.accounts.addSecret(keyId, { id: 's1', digest: sha256Hex(secret), hint: hintOf(secret) }, by)
  const right = { headers: { authorization: basic('', secret) }, body: frame('eth_gasPrice') }
  expect((await send(gateway.rpc, `/v3/${key}`, right)).status).toBe(200)
  return { key, secret, keyId }
}

describe('a project of the store', () => {
  it('is served by all APIs, with the defaults', async () => {
    const { key, secret } = await addProject('shop')
    const answer = await call(key)
    expect([answer.status, answer.headers['x-wayleave-upstream']]).toEqual([200, '1'])
    const socket = await openSocket(`${gateway.ws}/ws/v3/${key}`)
    socket.send(frame('eth_gasPrice'))
    expect(await socket.next()).toMatchObject({ result: '0x1' })
    await socket.close()
    const headers = { authorization: basic(key, secret) }
    expect((await send(gateway.rpc, '/networks/1/suggestedGasFees', { headers })).status).toBe(200)
    const form = new FormData()
    form.append('file', new Blob(['a file of the shop']))
    const added = await fetch(`${gateway.ipfs}/api/v0/add`, { method: 'POST', headers, body: form })
    expect(added.status).toBe(200)
    const own = { authorization: basic(ownKey, ownSecret) }
    expect((await fetch(`${gateway.ipfs}/api/v0/pin/ls`, { method: 'POST', headers: own })).status).toBe(403)
  })

  it('keeps its sockets when it gets another name, or a key another secret', async () => {
    const { key, keyId } = await addProject('renamed')
    const other = await addProject('revoked')
    const [kept, closed] = [
      await openSocket(`${gateway.ws}/ws/v3/${key}`),
      await openSocket(`${gateway.ws}/ws/v3/${other.key}`),
    ]
    await stores.accounts.updateProject('renamed', { name: 'another name' }, by)
    const more = createApiSecret()
    await stores.accounts.addSecret(keyId, { id: 's2', digest: sha256Hex(more), hint: hintOf(more) }, by)
    // Changes come in order.
    await stores.accounts.updateKey(other.keyId, { disabled: true }, by)
    await expect.poll(() => closed.closed?.code, { interval: 20 }).toBe(1008)
    expect((await call(other.key)).status).toBe(401)
    kept.send(frame('eth_gasPrice'))
    expect(await kept.next()).toMatchObject({ result: '0x1' })
    await kept.close()
  })

  it('loses its sockets when its rules change, and is admitted anew', async () => {
    const { key } = await addProject('ruled')
    const socket = await openSocket(`${gateway.ws}/ws/v3/${key}`)
    await stores.accounts.updateProject('ruled', { rules: { methods: ['eth_chainId'] } }, by)
    await expect.poll(() => socket.closed?.code, { interval: 20 }).toBe(1008)
    expect((await call(key)).status).toBe(403)
  })

  it('has its accounts told as known, and the last uses of its keys noted in the end', async () => {
    const { key, keyId } = await addProject('used')
    expect((await call(key)).status).toBe(200)
    const status = JSON.parse((await send(gateway.admin, '/status')).body)
    expect([status.degraded, status.accounts]).toEqual([[], { state: 'ok' }])
    expect((await send(gateway.admin, '/metrics')).body).toContain('wayleave_degraded{what="accounts"} 0\n')
    await gateway.close(0)
    expect([...(await stores.accounts.lastUsed([keyId])).keys()]).toEqual([keyId])
  })
})
