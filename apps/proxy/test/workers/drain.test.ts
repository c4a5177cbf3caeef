import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { Caller, echoNode, isAlive, key, load, serve } from './served.ts'

const config = async () => ({
  networks: { one: { kind: 'evm', chainId: 1, upstreams: [await echoNode()] } },
  projects: [{ name: 'a', keys: [{ key }] }],
  methods: { denyByDefault: false },
})

it('is not ready in any worker during shutdown.delayMs, one that comes meanwhile included, and serves calls that end their connections', async () => {
  const { child, rpc, admin, workers, exited } = await serve({ ...(await config()), shutdown: { delayMs: 60_000 } })
  const socket = new WebSocket(`ws://${rpc.host}/ws/v3/${key}`)
  await once(socket, 'open')
  const closed = once(socket, 'close') as Promise<[CloseEvent]>
  const under = load(rpc, 8)
  await expect.poll(() => under.answered).toBeGreaterThan(100)
  child.kill('SIGTERM')
  await expect.poll(async () => (await fetch(`${admin}/readyz`)).status).toBe(503)
  // Each on a connection of its own: several reach each worker.
  const look = async () => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_getStorageValues', params: [] })
    const ready = await fetch(`${rpc.href}readyz`, { headers: { connection: 'close' } })
    const call = await fetch(`${rpc.href}v3/${key}`, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json' },
    })
    await Promise.all([ready.text(), call.text()])
    return [ready.status, call.status, call.headers.get('connection')].join(' ')
  }
  const looks = async () => new Set(await Promise.all(Array.from({ length: 16 }, look)))
  await expect.poll(looks).toEqual(new Set(['503 200 close']))
  const [first] = await workers()
  process.kill(first!, 'SIGKILL')
  await expect.poll(async () => (await workers()).filter((pid) => pid !== first).length).toBe(2)
  await expect.poll(looks).toEqual(new Set(['503 200 close']))
  await under.stop()
  // A further signal ends the wait.
  child.kill('SIGTERM')
  expect(await exited).toBe(0)
  const [{ code }] = await closed
  expect([1012, 1006]).toContain(code)
  expect((await workers()).some(isAlive)).toBe(false)
})

it('has the log of its workers follow the configuration, at the start and after a reload', async () => {
  const access = { sample: 1 }
  const { rpc, admin, file, stderr } = await serve({ ...(await config()), log: { level: 'error', access } })
  const call = async () => expect((await new Caller(rpc).call()).status).toBe(200)
  const lines = () =>
    stderr()
      .split('\n')
      .filter((line) => line.includes('eth_getStorageValues'))
  const before = stderr()
  expect(before).not.toContain('the gateway serves')
  for (let i = 0; i < 8; i++) await call()
  const written = JSON.parse(await readFile(file, 'utf8')) as object
  await writeFile(file, JSON.stringify({ ...written, log: { level: 'info', access } }))
  expect((await fetch(`${admin}/reload`, { method: 'POST' })).status).toBe(200)
  for (let i = 0; i < 16; i++) await call()
  await expect.poll(() => lines().length).toBe(16)
  const workers = new Set(lines().map((line) => (JSON.parse(line) as { worker: number }).worker))
  expect(workers).toEqual(new Set([1, 2]))
})
