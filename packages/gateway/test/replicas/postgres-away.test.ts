import { createApiKey, hintOf, sha256Hex } from '@wayleave/auth'
import { rawJsonFromValue } from '@wayleave/jsonrpc-core'
import { openStores } from '@wayleave/stores'
import { expect, it, onTestFinished } from 'vitest'
import { frame, key as ownKey, send, sleep, startNode, startTestGateway } from '../support.ts'
import { isRequired, missingPostgres, startPostgres } from './servers.ts'

const by = { actor: 'test', at: 1 }

it.skipIf(!isRequired && missingPostgres() !== undefined)(
  'while PostgreSQL is stopped, no call fails that memory can answer, the age of accounts is told, and changes hold after',
  { timeout: 120_000 },
  async () => {
    const server = await startPostgres()
    onTestFinished(() => server.stop())
    const store = { postgres: await server.createDatabase('accounts') }
    const key = createApiKey()
    {
      await using stores = await openStores(store)
      await stores.accounts.createProject({ id: 'shop', name: 'Shop' }, by)
      const row = { id: 'k', projectId: 'shop', digest: sha256Hex(key), hint: hintOf(key) }
      await stores.accounts.createKey(row, by)
    }
    const node = await startNode(async () => ({ result: rawJsonFromValue('0x1') }))
    onTestFinished(() => node.close())
    const networks = { mainnet: { kind: 'evm', chainId: 1, upstreams: [node.url] } } as const
    const gateway = await startTestGateway([], { networks, store })
    onTestFinished(() => gateway.close(0))
    const status = async () => JSON.parse((await send(gateway.admin, '/status')).body)

    const statuses = new Map<number, number>()
    const load = { isOver: false }
    async function callOnAndOn(own: string): Promise<void> {
      while (!load.isOver) {
        const answer = await send(gateway.rpc, `/v3/${own}`, { body: frame('eth_chainId') })
        statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
      }
    }
    const callers = [key, key, key, ownKey].map(callOnAndOn)
    await server.restart(async () => {
      await expect
        .poll(async () => (await status()).accounts)
        .toEqual({ state: 'stale', reason: expect.stringMatching(/^accounts stale for \d+ s$/) })
      expect((await status()).degraded).toEqual(expect.arrayContaining(['accounts', 'store']))
      expect((await send(gateway.admin, '/readyz')).status).toBe(200)
      expect((await send(gateway.admin, '/metrics')).body).toContain('wayleave_degraded{what="accounts"} 1\n')
      await sleep(1_000)
    })
    await expect.poll(async () => (await status()).accounts).toEqual({ state: 'ok' })
    expect((await send(gateway.admin, '/metrics')).body).toContain('wayleave_degraded{what="accounts"} 0\n')
    load.isOver = true
    await Promise.all(callers)
    expect([...statuses.keys()]).toEqual([200])
    expect(statuses.get(200)).toBeGreaterThan(100)

    await using stores = await openStores(store)
    await stores.accounts.removeKey('k', by)
    await expect
      .poll(async () => (await send(gateway.rpc, `/v3/${key}`, { body: frame('eth_chainId') })).status)
      .toBe(401)
  },
)
