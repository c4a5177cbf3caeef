import { EventEmitter, once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { PassThrough, Writable } from 'node:stream'
import { expect, it, onTestFinished } from 'vitest'
import { readerToken, startGateway } from '../accounts/helpers.ts'
import type { CommandIo } from '../../src/command.ts'
import { run } from '../../src/run.ts'
import { runWayleave, serveHttp, wayleave, within } from '../helpers.ts'

it('shows the calls of a gateway once, as a table and as a line of JSON', { timeout: 60_000 }, async () => {
  const gateway = await startGateway()
  try {
    const env = { ...gateway.env, WAYLEAVE_ADMIN_TOKEN: readerToken }
    const args = ['top', '--once', '--interval', '1']
    const shown = runWayleave(args, env)
    const reported = runWayleave([...args, '--json'], env)
    const key = '0123456789abcdef0123456789abcdef'
    const done = new AbortController()
    const calling = (async () => {
      while (!done.signal.aborted) await gateway.call(key, 'eth_chainId')
    })()
    const [{ code, stdout, stderr }, json] = await Promise.all([shown, reported])
    done.abort()
    await calling
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toMatch(/^running {2}calls\/s [\d.]+ {2}errors\/s 0 {2}p50 \S+ ms {2}p99 \S+ ms/)
    expect(stdout).toMatch(
      /\n {12,}\s*state +calls\/s +errors\/s +p50 +p99 +head +lag\ndevnet +ok .*\n {2}upstream-1 +ok/,
    )
    const overview = JSON.parse(json.stdout) as { calls: number; networks: { name: string; upstreams: object[] }[] }
    expect(overview.calls).toBeGreaterThan(0)
    expect(overview.networks).toMatchObject([{ name: 'devnet', upstreams: [{ name: 'upstream-1', state: 'ok' }] }])
  } finally {
    await gateway.stop()
  }
})

const metrics =
  'wayleave_upstream_up{network="main",endpoint="a"} 1\nwayleave_answers_total{network="main",status="200"} 5\n'
const status = JSON.stringify({
  phase: 'running',
  degraded: [],
  networks: { main: { state: 'ok', upstreams: [{ name: 'a', state: 'ok' }] } },
})

/** An admin listener, on a port of choice. */
async function serveAdmin(port = 0): Promise<Server> {
  const server = createServer((request, response) => void response.end(request.url === '/status' ? status : metrics))
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return server
}

async function stop(server: Server): Promise<void> {
  server.closeAllConnections()
  server.close()
  await once(server, 'close')
}

it('gives a pipe lines, and goes on over a restart of the gateway', { timeout: 60_000 }, async () => {
  const first = await serveAdmin()
  const { port } = first.address() as AddressInfo
  const { child, stdout, stderr, exited } = wayleave([
    'top',
    '--admin',
    `http://127.0.0.1:${port}`,
    '--interval',
    '0.1',
  ])
  expect(await within(20_000, () => stdout().split('\n').length > 2)).toBe(true)
  expect(stdout().split('\n')[0]).toMatch(/^20\d\d-\S+Z\tmain\tok\t0\t0\t-\t-\t1\t1$/)
  await stop(first)
  expect(await within(20_000, () => stderr().includes('asking on'))).toBe(true)
  const lines = stdout().split('\n').length
  const second = await serveAdmin(port)
  onTestFinished(() => stop(second))
  expect(await within(20_000, () => stdout().split('\n').length > lines + 1)).toBe(true)
  child.kill('SIGTERM')
  expect(await exited).toBe(0)
  expect(stderr().match(/asking on/g)).toHaveLength(1)
})

/** Runs the command on a terminal; `keys` go to it. */
function onTerminal(args: readonly string[]) {
  let text = ''
  const stdout = Object.assign(
    new Writable({
      write(chunk, _encoding, done) {
        text += String(chunk)
        done()
      },
    }),
    { isTTY: true, rows: 10, columns: 80, getColorDepth: () => 1 },
  )
  let isRaw = false
  const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: (raw: boolean) => void (isRaw = raw) })
  const process = Object.assign(new EventEmitter(), { stdin, stdout, stderr: stdout })
  const io: CommandIo = {
    stdout: (more) => void (text += more),
    stderr: (more) => void (text += more),
    env: {},
    process: process as unknown as NodeJS.Process,
  }
  const ended = run(args, io)
  return { ended, stdin, stdout, process, text: () => text.replaceAll('\u001B', '^'), isRaw: () => isRaw }
}

it('takes the terminal, follows keys and its size, and gives it back', async () => {
  const server = await serveAdmin()
  onTestFinished(() => stop(server))
  const args = ['top', '--admin', `http://127.0.0.1:${(server.address() as AddressInfo).port}`, '--interval', '0.1']
  for (const end of ['q', '\u0003', 'SIGTERM']) {
    const { ended, stdin, stdout, process, text, isRaw } = onTerminal(args)
    expect(await within(10_000, () => text().includes('main'))).toBe(true)
    expect(text().startsWith('^[?1049h^[?25l^[?7l')).toBe(true)
    expect(isRaw()).toBe(true)
    expect(text()).toContain('^[10;1Hq quit  ↑↓ scroll  s sort: name')
    stdin.write('s')
    expect(await within(5_000, () => text().includes('s sort: calls'))).toBe(true)
    stdout.rows = 5
    stdout.emit('resize')
    expect(text()).toContain('^[5;1H')
    stdin.write('\u001B[B')
    if (end === 'SIGTERM') process.emit(end)
    else stdin.write(end)
    expect(await ended).toBe(0)
    expect(text().endsWith('^[?7h^[?25h^[?1049l')).toBe(true)
    expect(isRaw()).toBe(false)
    expect([stdout.listenerCount('resize'), stdin.listenerCount('data'), process.listenerCount('exit')]).toEqual([
      0, 0, 0,
    ])
  }
})

it('says what to do where there is no gateway, or a token is missing', async () => {
  const none = await runWayleave(['top', '--once', '--admin', 'http://127.0.0.1:1'])
  expect([none.code, none.stderr]).toEqual([1, expect.stringContaining('nothing answers at http://')])
  const { url: page } = await serveHttp((_request, response) => void response.end('<html>'))
  const other = await runWayleave(['top', '--admin', page, '--json'])
  expect([other.code, other.stdout]).toEqual([1, expect.stringContaining('expected the metrics of a gateway')])
  const { url: closed } = await serveHttp((_request, response) => void response.writeHead(401).end())
  const refused = await runWayleave(['top', '--admin', closed])
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('$WAYLEAVE_ADMIN_TOKEN or --token-file')])
  expect(await runWayleave(['top', '--interval', '0'])).toMatchObject({ code: 2 })
  expect(await runWayleave(['top', '--admin', 'nowhere'])).toMatchObject({ code: 2 })
})

it('sends its token nowhere but to the listener', async () => {
  const seen: unknown[] = []
  const other = await serveHttp((request, response) => {
    seen.push(request.headers.authorization)
    response.end()
  })
  const first = await serveHttp((_request, response) => void response.writeHead(307, { location: other.url }).end())
  expect(
    await runWayleave(['top', '--admin', first.url], { WAYLEAVE_ADMIN_TOKEN: 'a-token-of-the-tests' }),
  ).toMatchObject({ code: 1 })
  expect(seen).toEqual([])
})
