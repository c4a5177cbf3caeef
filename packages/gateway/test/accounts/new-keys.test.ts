import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createApiKey, createApiSecret, hintOf, sha256Hex } from '@wayleave/auth'
import { rawJsonFromValue } from '@wayleave/jsonrpc-core'
import { openStores } from '@wayleave/stores'
import { expect, it, onTestFinished } from 'vitest'
import { basic, frame, rawConnection, send, sleep, startNode, startTestGateway } from '../support.ts'
import { openSocket } from '../web-socket-client.ts'

const by = { actor: 'test', at: 1 }

/** A gateway, and its store as another process opens it. */
async function begin() {
  const folder = await mkdtemp(join(tmpdir(), 'wayleave-new-keys-'))
  const node = await startNode(async () => ({ result: rawJsonFromValue('0x1') }))
  const gateway = await startTestGateway([], {
    networks: { mainnet: { kind: 'evm', chainId: 1, upstreams: [node.url], followHeads: false } },
    dataDir: folder,
    listen: { rpc: '127.0.0.1:0', admin: '127.0.0.1:0' },
  })
  const stores = await openStores({ sqlite: join(folder, 'wayleave.sqlite') })
  onTestFinished(async () => {
    await stores.close()
    await gateway.close(0)
    await node.close()
    await rm(folder, { recursive: true, force: true })
  })
  await stores.accounts.createProject({ id: 'shop', name: 'Shop' }, by)
  let keys = 0
  return {
    gateway,
    accounts: stores.accounts,
    async addKey(): Promise<{ readonly id: string; readonly key: string }> {
      const [id, key] = [`k${++keys}`, createApiKey()]
      await stores.accounts.createKey({ id, projectId: 'shop', digest: sha256Hex(key), hint: hintOf(key) }, by)
      return { id, key }
    },
    async statusOf(key: string, secret?: string): Promise<number> {
      const headers: Record<string, string> = secret === undefined ? {} : { authorization: basic('', secret) }
      return (await send(gateway.rpc, `/v3/${key}`, { headers, body: frame('eth_gasPrice') })).status
    },
  }
}

it('a key serves from the moment in which another process made it, over HTTP and WebSocket', async () => {
  const { gateway, addKey, statusOf } = await begin()
  for (let nth = 0; nth < 20; nth++) {
    const { key } = await addKey()
    if (nth % 2 === 0) expect(await statusOf(key)).toBe(200)
    else (await openSocket(`${gateway.rpc.replace('http', 'ws')}/ws/v3/${key}`)).close()
  }
})

it('so does a secret, and so does a key whose project asks for none any more', async () => {
  const { accounts, addKey, statusOf } = await begin()
  const { id, key } = await addKey()
  expect(await statusOf(key)).toBe(200)
  const secret = createApiSecret()
  expect(await statusOf(key, secret)).toBe(401)
  await accounts.addSecret(id, { id: 's1', digest: sha256Hex(secret), hint: hintOf(secret) }, by)
  expect(await statusOf(key, secret)).toBe(200)
  await accounts.updateProject('shop', { requireSecret: true }, by)
  await expect.poll(() => statusOf(key)).toBe(403)
  await accounts.updateProject('shop', { requireSecret: false }, by)
  expect(await statusOf(key)).toBe(200)
})

it('keys that nobody has are refused, however many come at once, and the caller beside is served', async () => {
  const { addKey, statusOf } = await begin()
  const { key } = await addKey()
  const flood = Array.from({ length: 500 }, () => statusOf(createApiKey()))
  expect(await statusOf(key)).toBe(200)
  expect(new Set(await Promise.all(flood))).toEqual(new Set([401]))
})

it('a caller who leaves before his key was looked for holds nothing', async () => {
  const { gateway, addKey, statusOf } = await begin()
  const heldBytes = async (): Promise<string | undefined> =>
    /^wayleave_held_bytes(?:\{[^}]*\})? (\S+)$/m.exec((await send(gateway.admin, '/metrics')).body)?.[1]
  for (let nth = 0; nth < 10; nth++) {
    const { key } = await addKey()
    const caller = rawConnection(gateway.rpc)
    const body = frame('eth_gasPrice')
    caller.socket.write(`POST /v3/${key} HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n\r\n${body}`)
    // Some leave before the request was read, some while the store is.
    await sleep(nth)
    caller.socket.destroy()
  }
  await sleep(300)
  await expect.poll(heldBytes).toBe('0')
  expect(await statusOf((await addKey()).key)).toBe(200)
})
