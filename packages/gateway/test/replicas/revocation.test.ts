import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createApiKey, hintOf, sha256Hex } from '@wayleave/auth'
import { openStores, type StoresOptions } from '@wayleave/stores'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { frame, send, startNode, type TestNode, until } from '../support.ts'
import { openSocket } from '../web-socket-client.ts'
import { revokeAndDie, startGatewayProcess } from './processes.ts'
import { isRequired, missingPostgres, freshDatabase } from './servers.ts'

const by = { actor: 'test', at: 1 }
const keys = Array.from({ length: 2 }, createApiKey)

let node: TestNode
let folder: string
beforeAll(async () => {
  node = await startNode()
  folder = await mkdtemp(join(tmpdir(), 'wayleave-revocation-'))
})
afterAll(async () => {
  await node.close()
  await rm(folder, { recursive: true, force: true })
})

/** Keys are revoked by processes that die at once; both of two gateways refuse them, and close their sockets. */
async function expectRevocations(place: StoresOptions): Promise<void> {
  {
    await using stores = await openStores(place)
    await stores.accounts.createProject({ id: 'shop', name: 'Shop' }, by)
    for (const [i, key] of keys.entries()) {
      const row = { id: `k${i}`, projectId: 'shop', digest: sha256Hex(key), hint: hintOf(key) }
      await stores.accounts.createKey(row, by)
    }
  }
  const config = {
    listen: { rpc: '127.0.0.1:0', admin: '127.0.0.1:0' },
    networks: { mainnet: { kind: 'evm', chainId: 1, upstreams: [node.url], followHeads: false } },
    store: place,
  } as const
  const gateways = await Promise.all([startGatewayProcess(config), startGatewayProcess(config)])
  for (const gateway of gateways) onTestFinished(() => gateway.close())
  const statusOf = async (rpc: string, key: string): Promise<number> =>
    (await send(rpc, `/v3/${key}`, { body: frame('eth_chainId') })).status
  for (const [i, key] of keys.entries()) {
    const sockets = await Promise.all(gateways.map(({ ws }) => openSocket(`${ws}/ws/v3/${key}`)))
    for (const { rpc } of gateways) expect(await statusOf(rpc, key)).toBe(200)
    await revokeAndDie(place, `k${i}`)
    for (const { rpc } of gateways) {
      await expect.poll(() => statusOf(rpc, key), { interval: 20 }).toBe(401)
    }
    await until(() => sockets.every(({ closed }) => closed !== undefined))
    expect(sockets.map(({ closed }) => closed!.code)).toEqual([1008, 1008])
    for (const other of keys.slice(i + 1)) expect(await statusOf(gateways[0]!.rpc, other)).toBe(200)
  }
}

describe('a revocation whose writer was killed right after its answer holds in two gateways', () => {
  it('over an SQLite file', { timeout: 120_000 }, () => expectRevocations({ sqlite: join(folder, 'accounts.sqlite') }))

  it.skipIf(!isRequired && missingPostgres() !== undefined)('over PostgreSQL', { timeout: 120_000 }, async () => {
    await expectRevocations({ postgres: await freshDatabase() })
  })
})
