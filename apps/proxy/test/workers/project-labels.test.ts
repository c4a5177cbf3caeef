import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { portsOf } from './processes.ts'
import { Caller, echoNode, key, serve } from './served.ts'

const token = 'an-admin-token-of-the-tests'

it('has one label for a project in all workers, also after one of them is killed', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'wayleave-labels-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const { rpc, admin, workers } = await serve({
    defaultNetwork: 'one',
    networks: { one: { kind: 'evm', chainId: 1, upstreams: [await echoNode()] } },
    projects: [{ name: 'listed', keys: [{ key }] }],
    methods: { denyByDefault: false },
    admin: { token },
    store: { sqlite: join(folder, 'wayleave.sqlite') },
    metrics: { maxProjects: 1 },
  })
  const authorization = `Bearer ${token}`
  const create = async (path: string, body: object): Promise<{ readonly key: string }> => {
    const headers = { authorization, 'content-type': 'application/json' }
    const answer = await fetch(`${admin}/admin/v1/${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
    expect(answer.status).toBe(201)
    return (await answer.json()) as { readonly key: string }
  }
  const keys: string[] = []
  for (const id of ['first', 'second']) {
    await create('projects', { id, name: id })
    keys.push((await create(`projects/${id}/keys`, {})).key)
  }
  async function counted(): Promise<Record<string, number>> {
    const text = await (await fetch(`${admin}/metrics`, { headers: { authorization } })).text()
    const found = text.matchAll(/^wayleave_project_calls_total\{project="(\w+)",outcome="ok"\} (\d+)$/gm)
    return Object.fromEntries([...found].map(([, project, calls]) => [project!, Number(calls)]))
  }

  const called = { listed: 0, first: 0, other: 0 }
  const keyOf = { listed: key, first: keys[0]!, other: keys[1]! }
  /** Twelve callers of a worker or the other one, at least one of each, those of the first worker first. */
  async function connect(): Promise<readonly Caller[]> {
    for (;;) {
      const callers = Array.from({ length: 12 }, () => new Caller(rpc))
      await Promise.all(callers.map((caller) => caller.ask('GET', '/healthz')))
      const ports = await portsOf((await workers())[0]!, Number(rpc.port))
      const [own, others] = [true, false].map((is) => callers.filter((caller) => ports.has(caller.port()) === is))
      if (own!.length > 0 && others!.length > 0) return [...own!, ...others!]
    }
  }
  async function call(caller: Caller, order: readonly (keyof typeof keyOf)[]): Promise<void> {
    for (const label of order) {
      // A key that was just made reaches workers in a moment.
      await expect.poll(async () => (await caller.call(`/v3/${keyOf[label]}`)).status).toBe(200)
      called[label]++
    }
  }

  // The first worker has one project first, the second worker the other one.
  const callers = await connect()
  await call(callers[0]!, ['first', 'other', 'listed'])
  for (const caller of callers.slice(1).toReversed()) await call(caller, ['other', 'first', 'listed'])
  // What was read is not lost with a worker.
  await expect.poll(counted).toEqual(called)
  const [killed] = await workers()
  process.kill(killed!, 'SIGKILL')
  for (let now: readonly number[] = []; now.length < 2 || now.includes(killed!);) now = await workers()
  for (const caller of await connect()) await call(caller, ['other', 'first', 'listed'])
  await expect.poll(counted).toEqual(called)
  expect(called).toEqual({ listed: 24, first: 24, other: 24 })
})
