import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { findPassedSockets } from '../src/passed-sockets.ts'
import { Caller, echoNode, key } from './workers/served.ts'
// @boundaries-ignore The programs as tests start them.
import { bundlePrograms } from '../../../vitest.bundle.ts'

it.each([
  ['none without LISTEN_FDS', {}, {}],
  ['none of another process', { LISTEN_FDS: '1', LISTEN_PID: '8' }, {}],
  ['one without a name as that of JSON-RPC', { LISTEN_FDS: '1', LISTEN_PID: '7' }, { rpc: 3 }],
  ['one by the name of its unit likewise', { LISTEN_FDS: '1', LISTEN_FDNAMES: 'wayleave.socket' }, { rpc: 3 }],
  ['each by its name', { LISTEN_FDS: '3', LISTEN_FDNAMES: 'admin:rpc:ipfs' }, { admin: 3, rpc: 4, ipfs: 5 }],
])('finds %s', (_what, env, found) => {
  expect(findPassedSockets(env, 7)).toEqual(found)
})

it.each([
  [
    'a second one of a name',
    { LISTEN_FDS: '2', LISTEN_FDNAMES: 'rpc:rpc' },
    'socket 2 of 2 that was passed, named "rpc"',
  ],
  ['a second one without a name', { LISTEN_FDS: '2' }, 'socket 2 of 2 that was passed, without a name'],
  ['an unknown name', { LISTEN_FDS: '1', LISTEN_FDNAMES: 'metrics' }, 'socket 1 of 1 that was passed, named "metrics"'],
  ['one that no listener takes', { LISTEN_FDS: '2', LISTEN_FDNAMES: 'rpc:ipfs' }, 'named "ipfs", has no listener'],
])('refuses %s, in words', (_what, env, why) => {
  expect(() => findPassedSockets(env, 7, ['rpc', 'admin'])).toThrow(why)
})

const { proxy: program } = await bundlePrograms()
/** No dependency: the program, where the system has it. */
const holder = 'systemd-socket-activate'
const hasHolder = spawnSync(holder, ['--version']).status === 0

/** Below the ports that the system gives to port 0 and to outgoing connections. */
async function freePort(): Promise<number> {
  for (;;) {
    const server = createServer().listen(randomInt(10_000, 32_000), '127.0.0.1')
    const listening = await once(server, 'listening').catch(() => undefined)
    if (listening === undefined) continue
    const { port } = server.address() as AddressInfo
    await new Promise((resolve) => server.close(resolve))
    return port
  }
}

/** Runs the program again and again on a socket that outlives it, as a service manager does. It starts with the first connection. */
async function hold(port: number, listen: object, args: readonly string[] = []) {
  const folder = await mkdtemp(join(tmpdir(), 'wayleave-sockets-'))
  const file = join(folder, 'config.json')
  const config = {
    listen: { admin: '127.0.0.1:0', ...listen },
    networks: { one: { kind: 'evm', chainId: 1, upstreams: [await echoNode()] } },
    defaultNetwork: 'one',
    projects: [{ name: 'a', keys: [{ key }] }],
    methods: { denyByDefault: false },
  }
  await writeFile(file, JSON.stringify(config))
  const again = `while :; do sh -c 'echo $$; LISTEN_PID=$$ exec "$@"' sh "$@" || exit $?; done`
  const command = [process.execPath, '--conditions=@wayleave/source', program, '--json', ...args, file]
  const child: ChildProcess = spawn(holder, ['-l', `127.0.0.1:${port}`, 'sh', '-c', again, 'sh', ...command], {
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  let [stdout, stderr] = ['', '']
  child.stdout!.setEncoding('utf8').on('data', (text: string) => (stdout += text))
  child.stderr!.setEncoding('utf8').on('data', (text: string) => (stderr += text))
  const exited = once(child, 'exit')
  onTestFinished(async () => {
    if (child.exitCode === null) process.kill(-child.pid!, 'SIGKILL')
    await exited
    await rm(folder, { recursive: true })
  })
  await expect.poll(() => stderr, { timeout: 10_000 }).toContain('Listening on')
  const pids = (): readonly number[] => (stdout.match(/^\d+$/gm) ?? []).map(Number)
  return { rpc: new URL(`http://127.0.0.1:${port}`), exited, pids, stdout: () => stdout, stderr: () => stderr }
}

describe.skipIf(!hasHolder)('sockets that are passed (by systemd-socket-activate)', { timeout: 60_000 }, () => {
  it('keep the connections that come while the program restarts, which the next one answers', async () => {
    const port = await freePort()
    const { rpc, pids, stdout } = await hold(port, { rpc: `127.0.0.1:${port}` })
    expect((await new Caller(rpc).call()).status).toBe(200)
    expect(stdout()).toContain(`"rpc":"http://127.0.0.1:${port}"`)
    const started = (): number => stdout().split('"event":"ready"').length - 1
    process.kill(pids().at(-1)!, 'SIGTERM')
    const answers: Promise<unknown>[] = []
    while (started() === 1) {
      answers.push(new Caller(rpc).call())
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    expect(answers.length).toBeGreaterThan(0)
    for (const answer of await Promise.all(answers)) expect(answer).toMatchObject({ status: 200, failure: undefined })
  })

  it.each([
    [
      'at another address than the configured one',
      { rpc: '0.0.0.0:0' },
      [],
      /configured for 0\.0\.0\.0:0, but was given a socket at 127/,
    ],
    [
      'with several workers',
      { rpc: '127.0.0.1:0' },
      ['--workers', '2'],
      /it is for one process. Serve with --workers 1/,
    ],
  ])('are refused %s, in words', async (_what, listen, args, why) => {
    const { rpc, exited, stderr } = await hold(await freePort(), listen, args)
    const asked = new Caller(rpc).call()
    expect(await exited).toEqual([2, null])
    expect(stderr()).toMatch(why)
    expect((await asked).failure).toBe('ECONNRESET')
  })

  it('are for one process where the number of workers is left to it', async () => {
    const { rpc, stdout } = await hold(await freePort(), { rpc: '127.0.0.1:0' }, ['--workers', 'auto'])
    expect((await new Caller(rpc).call()).status).toBe(200)
    expect(stdout()).toContain(rpc.host)
  })
})
