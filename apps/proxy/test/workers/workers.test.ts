import { execFileSync, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { portsOf } from './processes.ts'
import { Caller, echoNode, isAlive, key, load, metricOf, serve } from './served.ts'

async function config(ms?: number) {
  return {
    defaultNetwork: 'one',
    networks: { one: { kind: 'evm', chainId: 1, upstreams: [await echoNode(ms)] } },
    projects: [{ name: 'a', keys: [{ key }] }],
    methods: { denyByDefault: false },
  }
}

/** No dependency: the program, where the system has it. */
const openssl = 'openssl'
const hasOpenssl = spawnSync(openssl, ['version']).status === 0

describe('wayleave-proxy --workers', () => {
  it('replaces a worker that is killed under load; only calls of its own connections fail, and no counter goes back', async () => {
    const { rpc, admin, workers, stderr } = await serve(await config())
    const [first, second] = await workers()
    const under = load(rpc, 24)
    await expect.poll(() => under.answered).toBeGreaterThan(500)
    const own = await portsOf(first!, Number(rpc.port))
    const others = await portsOf(second!, Number(rpc.port))
    expect(own.size + others.size).toBeGreaterThanOrEqual(24)
    const counts = [await metricOf(admin, 'wayleave_answers_total')]
    process.kill(first!, 'SIGKILL')
    for (let now: readonly number[] = []; now.length < 2 || now.includes(first!); now = await workers()) {
      counts.push(await metricOf(admin, 'wayleave_answers_total'))
    }
    await expect.poll(async () => (await fetch(`${admin}/readyz`)).text()).toContain('workers: 2 of 2 serve')
    const now = await workers()
    expect(now).toContain(second)
    expect(now).not.toContain(first)
    const then = under.answered
    await expect.poll(() => under.answered).toBeGreaterThan(then + 500)
    await under.stop()
    // Connections that waited at its socket to be taken are its own, too.
    for (const { failure, port } of under.failed) {
      expect(failure).toBe('ECONNRESET')
      expect(others).not.toContain(port)
    }
    expect(under.failed.length).toBeLessThanOrEqual(24)
    counts.push(await metricOf(admin, 'wayleave_answers_total'))
    expect(counts).toEqual(counts.toSorted((a, b) => a - b))
    expect(counts.at(-1)).toBeGreaterThan(1_000)
    expect(await metricOf(admin, 'wayleave_worker_restarts_total')).toBe(1)
    expect(await metricOf(admin, 'wayleave_workers', 'serving')).toBe(2)
    expect(stderr()).toContain('SIGKILL ended it')
  })

  it('loses no call on SIGTERM under load, and closes sockets with 1012', async () => {
    const { child, rpc, workers, exited } = await serve(await config(50))
    const pids = await workers()
    const sockets = Array.from({ length: 8 }, () => new WebSocket(`ws://${rpc.host}/ws/v3/${key}`))
    await Promise.all(sockets.map((socket) => once(socket, 'open')))
    const codes = Promise.all(sockets.map(async (socket) => ((await once(socket, 'close')) as [CloseEvent])[0].code))
    const under = load(rpc, 24)
    await expect.poll(() => under.answered).toBeGreaterThan(100)
    // A service manager signals all processes of a group.
    for (const pid of [...pids, child.pid!]) process.kill(pid, 'SIGTERM')
    expect(await exited).toBe(0)
    await under.stop()
    expect(under.failed.filter(({ failure }) => failure !== 'ECONNREFUSED')).toEqual([])
    expect(new Set(await codes)).toEqual(new Set([1012]))
    await expect.poll(() => pids.some(isAlive)).toBe(false)
  })

  it('goes on when a terminal signals the workers alone', async () => {
    const { rpc, workers } = await serve(await config())
    const pids = await workers()
    for (const pid of pids) for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.kill(pid, signal)
    for (let i = 0; i < 10; i++) expect((await new Caller(rpc).call()).status).toBe(200)
    expect(await workers()).toEqual(pids)
  })

  it('takes its workers with it when it is killed', async () => {
    const { child, workers } = await serve(await config())
    const pids = await workers()
    child.kill('SIGKILL')
    await expect.poll(() => pids.some(isAlive)).toBe(false)
  })

  it('has all workers take a configuration under load before it says so, or none', async () => {
    const { rpc, admin, file } = await serve(await config())
    const under = load(rpc, 12)
    await expect.poll(() => under.answered).toBeGreaterThan(100)
    const written = JSON.parse(await readFile(file, 'utf8')) as { networks: Record<string, object> }
    const missing = await new Caller(rpc).call(`/two/v3/${key}`)
    expect(missing.status).toBe(404)
    for (let i = 0; i < 5; i++) {
      const networks = { ...written.networks, ...(i % 2 === 0 && { two: { ...written.networks['one'] } }) }
      await writeFile(file, JSON.stringify({ ...written, networks }))
      const reloaded = await fetch(`${admin}/reload`, { method: 'POST' })
      expect(reloaded.status).toBe(200)
      const found = await Promise.all(
        Array.from({ length: 16 }, async () => (await new Caller(rpc).call(`/two/v3/${key}`)).status),
      )
      expect(new Set(found)).toEqual(new Set([i % 2 === 0 ? 200 : 404]))
    }
    await under.stop()
    expect(under.failed).toEqual([])
  })

  it('counts the calls of all workers in its metrics, to the last one', async () => {
    const { rpc, admin } = await serve(await config())
    const callers = Array.from({ length: 20 }, () => new Caller(rpc))
    for (let i = 0; i < 5; i++) await Promise.all(callers.map((caller) => caller.call()))
    expect(await metricOf(admin, 'wayleave_answers_total', 'status="200"')).toBe(100)
    expect(await metricOf(admin, 'wayleave_answer_seconds_count')).toBe(100)
  })

  it('tells what is served at the admin listener: ready only while a worker serves', async () => {
    const { rpc, admin, workers } = await serve(await config())
    expect(await (await fetch(`${admin}/status`)).json()).toMatchObject({
      degraded: [],
      workers: { state: 'ok', serving: 2, count: 2, restarts: 0 },
    })
    for (const path of ['/healthz', '/readyz']) expect((await new Caller(rpc).ask('GET', path)).status).toBe(200)
    for (const pid of await workers()) process.kill(pid, 'SIGKILL')
    await expect.poll(async () => (await fetch(`${admin}/readyz`)).status).toBe(503)
    await expect.poll(async () => (await fetch(`${admin}/readyz`)).status).toBe(200)
    expect((await new Caller(rpc).call()).status).toBe(200)
  })

  it('does not start beside another one at its port, though that one shares it', async () => {
    const first = await serve(await config())
    const listen = { rpc: first.rpc.host }
    await expect(serve({ ...(await config()), listen })).rejects.toThrow(/JSON-RPC cannot listen on .*in use/)
    expect((await new Caller(first.rpc).call()).status).toBe(200)
  })

  it.skipIf(!hasOpenssl)('serves HTTPS', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'wayleave-workers-tls-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    const [cert, certKey] = [join(folder, 'cert.pem'), join(folder, 'key.pem')]
    const made = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=localhost']
    execFileSync(openssl, [...made, '-keyout', certKey, '-out', cert], { stdio: 'ignore' })
    const listen = { tls: { cert, key: certKey } }
    const { rpc, admin, workers } = await serve({ ...(await config()), listen })
    expect(rpc.protocol).toBe('https:')
    for (let i = 0; i < 20; i++) expect((await new Caller(rpc).call()).status).toBe(200)
    expect(await workers()).toHaveLength(2)
    const counts = await metricOf(admin, 'wayleave_answers_total', 'status="200"')
    expect(counts).toBe(20)
  })

  it('ends a stopped worker as stuck and replaces it, while callers of the other one wait for nothing', async () => {
    const { child, rpc, admin, workers, exited, stderr } = await serve(await config())
    const [stopped, other] = await workers()
    const callers = Array.from({ length: 16 }, () => new Caller(rpc))
    await Promise.all(callers.map((caller) => caller.call()))
    const ports = await portsOf(other!, Number(rpc.port))
    expect(await metricOf(admin, 'wayleave_answers_total')).toBe(16)
    process.kill(stopped!, 'SIGSTOP')
    // A stopped process outlives its primary.
    onTestFinished(() => void (isAlive(stopped!) && process.kill(stopped!, 'SIGKILL')))
    const answered = await Promise.all(
      callers.map(async (caller) => (ports.has(caller.port()) ? (await caller.call()).status : 200)),
    )
    expect(new Set(answered)).toEqual(new Set([200]))
    // A scrape does not wait for it.
    expect(await metricOf(admin, 'wayleave_answers_total')).toBe(16 + ports.size)
    await expect.poll(() => isAlive(stopped!), { timeout: 30_000 }).toBe(false)
    await expect.poll(workers, { timeout: 30_000 }).toHaveLength(2)
    expect(stderr()).toMatch(/"worker":\d,"why":"it is stuck: no sign of life for [26] s/)
    expect(await metricOf(admin, 'wayleave_worker_restarts_total')).toBe(1)
    // Nor does a stop.
    process.kill(other!, 'SIGSTOP')
    onTestFinished(() => void (isAlive(other!) && process.kill(other!, 'SIGKILL')))
    child.kill('SIGTERM')
    expect(await exited).toBe(0)
  })

  it('ends no worker because its primary was stopped for longer than one may be silent', async () => {
    const { child, rpc, admin, workers, stderr } = await serve(await config())
    const before = await workers()
    for (let i = 0; i < 2; i++) {
      child.kill('SIGSTOP')
      // The workers report during all of it; only time tells the two apart.
      await new Promise((resolve) => setTimeout(resolve, 7_000))
      child.kill('SIGCONT')
      expect(await metricOf(admin, 'wayleave_worker_restarts_total')).toBe(0)
    }
    expect(await workers()).toEqual(before)
    expect((await new Caller(rpc).call()).status).toBe(200)
    expect(stderr()).not.toContain('stuck')
  }, 60_000)
})
