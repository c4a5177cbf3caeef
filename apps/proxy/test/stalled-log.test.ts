import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, constants, openSync, readSync, writeSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
// @boundaries-ignore The programs as tests start them.
import { bundlePrograms } from '../../../vitest.bundle.ts'

const { proxy: main } = await bundlePrograms()
/** No dependency: the program, which every Unix has. */
const mkfifo = 'mkfifo'

/** How long nobody reads, in ms; the long form is `STALLED_MS=60000 vitest run apps/proxy/test/stalled-log.test.ts`. */
const stalledMs = Number(process.env['STALLED_MS'] ?? 1_000)

/** A pipe that is full: the next byte waits for a reader. */
function fullPipe(path: string): number {
  execFileSync(mkfifo, [path])
  const fd = openSync(path, constants.O_RDWR | constants.O_NONBLOCK)
  const bytes = Buffer.alloc(65_536, 'filled\n')
  try {
    for (;;) writeSync(fd, bytes)
  } catch {
    return fd
  }
}

/** Reads what the pipe holds now. */
function read(fd: number): string {
  const buffer = Buffer.alloc(1_048_576)
  try {
    return buffer.toString('utf8', 0, readSync(fd, buffer))
  } catch {
    return ''
  }
}

it.skipIf(process.platform !== 'linux')(
  'a reader of stderr who stalls under failures delays no call, no metric and no end',
  { timeout: stalledMs + 45_000 },
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'stalled-log-'))
    const pipe = fullPipe(join(folder, 'pipe'))
    onTestFinished(async () => {
      closeSync(pipe)
      await rm(folder, { recursive: true })
    })
    const config = join(folder, 'config.json')
    const upstreams = ['http://127.0.0.1:9', 'http://127.0.0.1:10']
    await writeFile(
      config,
      JSON.stringify({
        listen: { rpc: '127.0.0.1:0', admin: '127.0.0.1:0' },
        networks: { one: { kind: 'evm', chainId: 1, upstreams } },
        projects: [{ name: 'p', keys: [{ key: 'key' }] }],
      }),
    )
    // Opened without O_NONBLOCK, as a shell would.
    const stderr = openSync(join(folder, 'pipe'), constants.O_RDWR)
    const child = spawn(process.execPath, ['--conditions=@wayleave/source', main, config, '--json'], {
      stdio: ['ignore', 'pipe', stderr],
    })
    closeSync(stderr)
    onTestFinished(() => void child.kill('SIGKILL'))
    const [ready] = (await once(child.stdout!, 'data')) as [Buffer]
    const { rpc, admin } = JSON.parse(ready.toString()) as { rpc: string; admin: string }

    const batch = Array.from({ length: 50 }, (_, id) => ({ jsonrpc: '2.0', id, method: 'eth_chainId', params: [id] }))
    const ask = (url: string, body?: string): Promise<Response> =>
      fetch(url, { ...(body !== undefined && { method: 'POST', body }), signal: AbortSignal.timeout(15_000) })
    const begun = performance.now()
    let rounds = 0
    do {
      const answers = (await (await ask(`${rpc}/v3/key`, JSON.stringify(batch))).json()) as { error: unknown }[]
      expect(answers.filter(({ error }) => error !== undefined)).toHaveLength(50)
      expect((await ask(`${rpc}/healthz`)).status).toBe(200)
      expect(await (await ask(`${admin}/metrics`)).text()).toMatch(/^wayleave_log_dropped_lines_total 0$/m)
      rounds++
    } while (performance.now() - begun < stalledMs)

    // Each kind of failure has one line for 10 s, however many calls failed.
    let text = ''
    while (!text.includes('"code"')) {
      text += read(pipe)
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    text += read(pipe)
    // The first line warns of the configuration.
    const lines = text.split('\n').filter((line) => line.startsWith('{') && !line.includes('"warnings"'))
    expect(lines.length).toBeLessThan(10 + (10 * stalledMs) / 10_000)
    for (const line of lines) expect(JSON.parse(line)).toMatchObject({ level: 40, network: 'one' })

    // Stalled again at its end, with the counts still to write.
    try {
      for (;;) writeSync(pipe, 'filled\n')
    } catch {
      // It is full.
    }
    child.kill('SIGTERM')
    expect(await once(child, 'exit')).toEqual([0, null])
    expect(rounds).toBeGreaterThan(0)
  },
)

it.skipIf(process.platform !== 'linux')('what repeats is counted to the last line at the end', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'stalled-log-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const config = join(folder, 'config.json')
  await writeFile(
    config,
    JSON.stringify({
      listen: { rpc: '127.0.0.1:0', admin: '127.0.0.1:0' },
      networks: { one: { kind: 'evm', chainId: 1, upstreams: ['http://127.0.0.1:9'] } },
      projects: [{ name: 'p', keys: [{ key: 'key' }] }],
    }),
  )
  const child = spawn(process.execPath, ['--conditions=@wayleave/source', main, config, '--json'], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  let text = ''
  child.stderr!.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
  const [ready] = (await once(child.stdout!, 'data')) as [Buffer]
  const { rpc } = JSON.parse(ready.toString()) as { rpc: string }
  const batch = Array.from({ length: 40 }, (_, id) => ({
    jsonrpc: '2.0',
    id,
    method: 'eth_sendRawTransaction',
    params: [],
  }))
  await (await fetch(`${rpc}/v3/key`, { method: 'POST', body: JSON.stringify(batch) })).text()
  child.kill('SIGTERM')
  expect(await once(child, 'close')).toEqual([0, null])
  const lines = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { failure?: string; traceId?: string; repeated?: number })
  const reported = (some: typeof lines): number => some.reduce((sum, { repeated = 1 }) => sum + repeated, 0)
  const rejected = lines.filter(({ traceId }) => traceId !== undefined)
  const failed = lines.filter(({ failure }) => failure !== undefined)
  expect([reported(rejected), reported(failed)]).toEqual([40, 40])
  expect(lines.length).toBeLessThan(10)
})
