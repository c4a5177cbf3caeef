import { expect, it, onTestFinished } from 'vitest'
import { Caller, echoNode, isAlive, key, serve } from './served.ts'

interface Reported {
  readonly calls: readonly { readonly id: string; readonly outcome: string }[]
  readonly silent?: number
}

it('explains the calls of all workers, and says so where one of them gives no answer', async () => {
  const { rpc, admin, workers } = await serve({
    networks: { one: { kind: 'evm', chainId: 1, upstreams: [await echoNode()] } },
    projects: [{ name: 'a', keys: [{ key }] }],
    methods: { deny: ['eth_getStorageValues'] },
  })
  const callers = Array.from({ length: 16 }, () => new Caller(rpc))
  const bad = await Promise.all(callers.map((caller) => caller.call()))
  const ids = bad.map(({ body }) => (JSON.parse(body) as { error: { data: { traceId: string } } }).error.data.traceId)
  for (const id of ids) {
    const reported = (await (await fetch(`${admin}/explain/${id}`)).json()) as Reported
    expect(reported).toMatchObject({ calls: [{ id, outcome: 'refused' }] })
  }
  const last = (await (await fetch(`${admin}/explain`)).json()) as Reported
  expect(new Set(last.calls.map(({ id }) => id))).toEqual(new Set(ids))
  const never = `${admin}/explain/${'f'.repeat(32)}`
  expect((await fetch(never)).status).toBe(404)

  const [stopped] = await workers()
  process.kill(stopped!, 'SIGSTOP')
  onTestFinished(() => void (isAlive(stopped!) && process.kill(stopped!, 'SIGKILL')))
  const unheard = await fetch(never)
  expect([unheard.status, await unheard.text()]).toEqual([503, expect.stringContaining('1 did not in time')])
  // It is ended soon, and what it remembered ends with it.
  await expect.poll(async () => (await fetch(never)).status, { timeout: 30_000 }).toBe(404)
  const found = await Promise.all(ids.map(async (id) => (await fetch(`${admin}/explain/${id}`)).status))
  expect(new Set(found)).toEqual(new Set([200, 404]))
  const some = (await (await fetch(`${admin}/explain`)).json()) as Reported
  expect(some.calls).toHaveLength(found.filter((status) => status === 200).length)
})
