import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFile, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { createServer as createHttpServer, type ServerResponse } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
// @boundaries-ignore Servers for tests are in no package; this one can be stopped and frozen.
import { missingPostgres, password, startPostgres } from '../../../packages/stores/test/postgres-server.ts'
// @boundaries-ignore The programs as tests start them.
import { bundlePrograms } from '../../../vitest.bundle.ts'

const usage =
  'usage: wayleave-proxy [--config FILE] [--workers N|auto] [--watch] [--json]\n       wayleave-proxy --health [ADMIN_URL]\n'
const { proxy: main } = await bundlePrograms()

interface Run {
  readonly child: ReturnType<typeof spawn>
  readonly stdout: () => string
  readonly stderr: () => string
  readonly exited: Promise<number | null>
}

function run(args: readonly string[], ipc = false, cwd?: string): Run {
  const child = spawn(process.execPath, ['--conditions=@wayleave/source', main, ...args], {
    cwd,
    stdio: ['ignore', 'pipe', 'pipe', ...(ipc ? ['ipc' as const] : [])],
  })
  let stdout = ''
  let stderr = ''
  child.stdout!.setEncoding('utf8').on('data', (text: string) => (stdout += text))
  child.stderr!.setEncoding('utf8').on('data', (text: string) => (stderr += text))
  // A channel that this side closes keeps 'close' from coming.
  const exited = once(child, ipc ? 'exit' : 'close').then(([code]) => code as number | null)
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await exited
  })
  return { child, stdout: () => stdout, stderr: () => stderr, exited }
}

async function configFile(rpc = '127.0.0.1:0', further = ''): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'wayleave-proxy-test-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const path = join(folder, 'config.yaml')
  const listen = `listen: { rpc: '${rpc}', admin: '127.0.0.1:0' }`
  await writeFile(
    path,
    `${listen}\nnetworks:\n  one: { kind: evm, chainId: 1, upstreams: ['ws://127.0.0.1:9'] }\n${further}`,
  )
  return path
}

describe('wayleave-proxy', () => {
  it.each([
    [['--config']],
    [['--nonsense', 'a.yaml']],
    [['a.yaml', 'b.yaml']],
    [['a.yaml', '--config', 'b.yaml']],
    [['--health', 'none']],
    [['--health', 'https://a']],
    [['--health', '--watch']],
  ])('prints its usage on stderr for %j and exits 2', async (args) => {
    const { exited, stdout, stderr } = run(args)
    expect(await exited).toBe(2)
    expect({ stdout: stdout(), stderr: stderr() }).toEqual({
      stdout: '',
      stderr: usage,
    })
  })

  it('takes --config FILE, or the configuration of its folder, and tells what to do without one', async () => {
    const path = await configFile('127.0.0.1:none')
    const named = run(['--config', path])
    expect(await named.exited).toBe(2)
    expect(named.stderr()).toMatch(/config\.yaml:1:16: listen\.rpc: expected host:port/)
    await rename(path, join(dirname(path), 'wayleave.config.yaml'))
    const found = run([], false, dirname(path))
    expect(await found.exited).toBe(2)
    expect(found.stderr()).toMatch(/^wayleave\.config\.yaml:1:16: listen\.rpc: expected host:port/)
    await rm(join(dirname(path), 'wayleave.config.yaml'))
    const none = run([], false, dirname(path))
    expect(await none.exited).toBe(2)
    expect(none.stderr()).toMatch(/^wayleave-proxy: there is no wayleave\.config\.ts, .*wayleave config init/)
  })

  it('prints its usage on stdout when asked', async () => {
    const { exited, stdout } = run(['--help'])
    expect(await exited).toBe(0)
    expect(stdout()).toBe(usage)
  })

  it('serves with its flag on either side, and exits 0 on SIGTERM', async () => {
    const file = await configFile()
    for (const args of [
      ['--json', file],
      [file, '--json'],
    ]) {
      const { child, exited, stdout } = run(args)
      await expect.poll(stdout).toMatch(/^\{"event":"ready".*\}\n$/)
      if (process.platform === 'linux') {
        expect(await readFile(`/proc/${child.pid}/environ`, 'utf8')).toContain('MALLOC_MMAP_THRESHOLD_=131072')
        // One process serves, unless workers are asked for.
        expect(await readFile(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8')).toBe('')
      }
      child.kill('SIGTERM')
      expect(await exited).toBe(0)
    }
  })

  it('goes on serving when who reads its output has left', async () => {
    const free = createServer().listen(0, '127.0.0.1')
    await once(free, 'listening')
    const rpc = `127.0.0.1:${(free.address() as AddressInfo).port}`
    await new Promise((resolve) => free.close(resolve))
    const { child, exited } = run([await configFile(rpc), '--json'])
    child.stdout!.destroy()
    const status = (): Promise<number> =>
      fetch(`http://${rpc}/healthz`).then(
        (response) => response.status,
        () => 0,
      )
    await expect.poll(status).toBe(200)
    child.kill('SIGTERM')
    expect(await exited).toBe(0)
  })

  it('ends when the process that launched it has gone', async () => {
    const { child, exited, stdout } = run([await configFile(), '--json'], true)
    await expect.poll(stdout).toMatch(/\n$/)
    child.disconnect()
    expect(await exited).toBe(0)
  })

  it('ends on SIGTERM though its launcher still holds the channel', async () => {
    const { child, exited, stdout } = run([await configFile(), '--json'], true)
    await expect.poll(stdout).toMatch(/\n$/)
    child.kill('SIGTERM')
    expect(await exited).toBe(0)
  })

  it('serves on as before when it is to read a file with mistakes, or one that needs a restart', async () => {
    const file = await configFile()
    const { child, exited, stdout, stderr } = run([file, '--json'])
    await expect.poll(stdout).toMatch(/\n$/)
    const { rpc, admin } = JSON.parse(stdout()) as Record<string, string>
    const right = await readFile(file, 'utf8')
    await writeFile(file, 'networks:\n  one: { kind: S3CR3T, chainId: 1, upstreams: ["ws://127.0.0.1:9"] }\n')
    child.kill('SIGHUP')
    await expect.poll(stderr).toContain('the configuration stays as it was: the new one cannot be served')
    expect(stderr()).toContain(`${file}:2:16: networks.one.kind: expected`)
    const asked = await fetch(`${admin}/reload`, { method: 'POST' })
    expect(asked.status).toBe(422)
    expect(await asked.json()).toMatchObject({
      applied: false,
      problems: [{ path: 'networks.one.kind', line: 2 }],
    })
    await writeFile(file, right.replace("rpc: '127.0.0.1:0'", "rpc: '127.0.0.1:1'").replace('chainId: 1', 'chainId: 2'))
    const late = await fetch(`${admin}/reload`, { method: 'POST' })
    expect(late.status).toBe(409)
    const { applied, needsRestart } = (await late.json()) as { applied: boolean; needsRestart: { path: string }[] }
    expect(applied).toBe(false)
    expect(needsRestart.map(({ path }) => path)).toContain('listen.rpc')
    expect((await fetch(`${rpc}/healthz`)).status).toBe(200)
    child.kill('SIGTERM')
    expect(await exited).toBe(0)
    // The start has a line, and each of the three that asked finds its own.
    expect(stderr().match(/\n/g)).toHaveLength(4)
  })

  it('changes the level and the access log of its log by SIGHUP, and its first line names version and file', async () => {
    const file = await configFile()
    const { child, stdout, stderr, exited } = run(['--config', file, '--json'])
    await expect.poll(stdout).toContain('"ready"')
    const { rpc, admin } = JSON.parse(stdout()) as Record<string, string>
    const lines = (): readonly Record<string, unknown>[] =>
      stderr()
        .split('\n')
        .filter((line) => line.startsWith('{'))
        .map((line) => JSON.parse(line) as Record<string, unknown>)
    expect(lines()).toMatchObject([
      {
        msg: 'the gateway serves',
        config: file,
        version: expect.stringMatching(/^\d+\.\d+\.\d+/),
        networks: { one: 1 },
      },
    ])
    const right = await readFile(file, 'utf8')
    const open = 'projects:\n  - { name: open, keys: [{ key: a-key-of-sixteen-letters }] }\n'
    await writeFile(file, `${right}${open}log: { access: { sample: 1 } }\n`)
    child.kill('SIGHUP')
    await expect.poll(stderr).toContain('the configuration was reloaded')
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: ['s3cret'] })
    const answer = await fetch(`${rpc}/v3/a-key-of-sixteen-letters`, { method: 'POST', body })
    const traceId = answer.headers.get('x-trace-id')
    await expect.poll(() => lines().find(({ msg }) => msg === 'a call')).toMatchObject({ traceId, project: 'open' })
    expect(stderr()).not.toMatch(/s3cret|a-key-of/)
    await writeFile(file, `${right}${open}log: { level: error, format: text }\n`)
    const before = stderr().length
    // Unlike a signal, it is answered once the configuration serves.
    expect((await fetch(`${admin}/reload`, { method: 'POST' })).status).toBe(200)
    await fetch(`${rpc}/v3/a-key-of-sixteen-letters`, { method: 'POST', body })
    child.kill('SIGTERM')
    expect(await exited).toBe(0)
    expect(stderr().slice(before)).not.toContain('a call')
  })

  it('follows the file and those that it names, with --watch', async () => {
    const file = await configFile()
    const key = join(file, '..', 'key')
    await writeFile(key, 'one')
    await writeFile(file, (await readFile(file, 'utf8')).replace("127.0.0.1:9'", "127.0.0.1:9/${file:key}'"))
    const { child, exited, stdout, stderr } = run([file, '--watch', '--json'])
    await expect.poll(stdout).toMatch(/\n$/)
    await writeFile(key, '')
    await expect
      .poll(stderr, { timeout: 5_000 })
      .toContain('key to be a file of 1 to 65536 bytes that can be read, got an empty one')
    await writeFile(key, 'two')
    const changes = '"changes":["networks.one.upstreams[0].url changes"]'
    await expect.poll(stderr, { timeout: 5_000 }).toContain(changes)
    expect(stderr()).toContain('the configuration was reloaded')
    const more = "  two: { kind: evm, chainId: 2, upstreams: ['ws://127.0.0.1:9'] }\n"
    await writeFile(file, `${await readFile(file, 'utf8')}${more}`)
    await expect.poll(stderr, { timeout: 5_000 }).toContain('networks.two is added')
    expect(stderr()).not.toMatch(/one$|127\.0\.0\.1:9/m)
    child.kill('SIGTERM')
    expect(await exited).toBe(0)
  })
})

/** Sends a byte at a time, without an end. */
function drip(response: ServerResponse): void {
  response.writeHead(200)
  const timer = setInterval(() => response.write('.'), 200)
  response.once('close', () => clearInterval(timer))
}

describe('wayleave-proxy --health', () => {
  it.each([
    ['says nothing', () => {}],
    ['never ends its answer', (response: ServerResponse) => drip(response)],
  ])('gives up on a listener that %s', { timeout: 20_000 }, async (_how, act) => {
    const server = createHttpServer((_request, response) => act(response)).listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => {
      server.closeAllConnections()
      server.close()
    })
    const { exited, stdout, stderr } = run(['--health', `http://127.0.0.1:${(server.address() as AddressInfo).port}`])
    expect(await exited).toBe(1)
    expect([stdout(), stderr()]).toEqual([
      '',
      expect.stringMatching(/ does not answer: nothing whole came within 5 s\n$/),
    ])
  })

  it('asks the admin listener, and exits 0 only if the gateway is ready', async () => {
    let status = 200
    const admin = createHttpServer(({ url }, response) => response.writeHead(status).end(`${url} ${status}\n`))
    await once(admin.listen(0, '127.0.0.1'), 'listening')
    const url = `http://127.0.0.1:${(admin.address() as AddressInfo).port}`
    const well = run(['--health', url])
    expect(await well.exited).toBe(0)
    expect(well.stdout()).toBe('/readyz 200\n')
    status = 503
    const drained = run(['--health', url])
    expect(await drained.exited).toBe(1)
    expect(drained.stderr()).toBe('/readyz 503\n')
    admin.close()
    admin.closeAllConnections()
    const gone = run(['--health', url])
    expect(await gone.exited).toBe(1)
    expect(gone.stderr()).toBe(`${url} does not answer: ECONNREFUSED\n`)
  })
})

describe('SIGTERM with shutdown.delayMs', () => {
  it('leaves it serving, not ready, until a second signal', async () => {
    const path = await configFile()
    await appendFile(path, 'shutdown: { delayMs: 3600000 }\n')
    const { child, exited, stdout, stderr } = run(['--json', path])
    await expect.poll(stdout).toMatch(/"ready"/)
    const { rpc } = JSON.parse(stdout()) as { rpc: string }
    child.kill('SIGTERM')
    await expect.poll(stderr).toContain('still serving')
    expect(await fetch(`${rpc}/healthz`)).toMatchObject({ status: 200 })
    expect(await (await fetch(`${rpc}/readyz`)).text()).toBe('draining\n')
    child.kill('SIGTERM')
    expect(await exited).toBe(0)
  })

  it('is no delay for SIGINT, as of a terminal', async () => {
    const path = await configFile()
    await appendFile(path, 'shutdown: { delayMs: 3600000 }\n')
    const { child, exited, stdout } = run(['--json', path])
    await expect.poll(stdout).toMatch(/"ready"/)
    child.kill('SIGINT')
    expect(await exited).toBe(0)
  })
})

describe.skipIf(process.env['REQUIRE_SERVICES'] === undefined && missingPostgres() !== undefined)(
  'wayleave-proxy over PostgreSQL',
  { timeout: 120_000 },
  () => {
    /** Starts over a database, and expects it to end with a code and a reason. */
    async function expectEnd(database: string, workers: 1 | 2, code: 1 | 2, why: RegExp): Promise<void> {
      const file = await configFile('127.0.0.1:0', `store: { postgres: '${database}' }\n`)
      const { exited, stderr } = run([file, '--workers', String(workers)])
      expect([await exited, stderr()]).toEqual([code, expect.stringMatching(why)])
      expect(stderr()).not.toContain(encodeURIComponent(password))
      expect(stderr().includes('; nothing here has to be changed: start again once it can be used')).toBe(code === 1)
    }

    it('exits 1 while the server is away or silent, so that a supervisor has it serve once the server is there', async () => {
      await using server = await startPostgres()
      const database = await server.createDatabase('later')
      const file = await configFile('127.0.0.1:0', `store: { postgres: '${database}' }\n`)
      /** Starts it again whenever it exits 1, as the unit of systemd does. */
      async function supervise(): Promise<Run> {
        for (;;) {
          const started = run([file, '--json'])
          const ready = once(started.child.stdout!, 'data').then(() => 'ready')
          const outcome = await Promise.race([ready, started.exited])
          if (outcome === 'ready') return started
          expect(outcome).toBe(1)
        }
      }

      await server.freeze(() =>
        expectEnd(database, 1, 1, /the PostgreSQL database 127\.0\.0\.1:\d+\/later cannot be used: /),
      )
      let supervised: Promise<Run> | undefined
      await server.restart(async () => {
        await expectEnd(database, 2, 1, /cannot be used: connect ECONNREFUSED /)
        supervised = supervise()
      })
      const { child, exited } = await supervised!
      child.kill('SIGTERM')
      expect(await exited).toBe(0)
    })

    it('exits 2 for a wrong password and for a database that is missing', async () => {
      await using server = await startPostgres()
      const database = await server.createDatabase('there')
      const wrong = database.replace(encodeURIComponent(password), 'wrong')
      await Promise.all([
        expectEnd(wrong, 1, 2, /refused the user or the password/),
        expectEnd(`${database}-not`, 2, 2, /database "there-not" does not exist/),
      ])
    })
  },
)
