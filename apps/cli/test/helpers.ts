import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, request, type RequestListener, type Server } from 'node:http'
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { Readable, Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { findStarknetDevnet } from '@wayleave/dev-node'
import { onTestFinished } from 'vitest'
import { WebSocketServer } from 'ws'
import type { CommandIo } from '../src/command.ts'
import { run } from '../src/run.ts'
// @boundaries-ignore The programs as tests start them.
import { bundlePrograms } from '../../../vitest.bundle.ts'

export const key = '0123456789abcdef0123456789abcdef'
export const secret = 'fedcba9876543210fedcba9876543210'

const { cli: main } = await bundlePrograms()

// A test reads plain text, whatever runs it; also the next file of this process, after stubs were undone.
delete process.env['FORCE_COLOR']

/** A `wayleave` process, and what it has printed. */
export interface Wayleave {
  readonly child: ChildProcess
  readonly stdout: () => string
  readonly stderr: () => string
  /** Resolves with the exit code, or the name of the signal that ended it. */
  readonly exited: Promise<number | string>
}

/** Without the folders of a starknet-devnet: whether this machine has one must not decide a test. */
const plainPath = (process.env['PATH'] ?? '')
  .split(delimiter)
  .filter((path) => findStarknetDevnet({ PATH: path }) === undefined)
  .join(delimiter)

/** Runs the command from its sources, with no starknet-devnet on its PATH unless `env` has one. The caller ends it. */
export function spawnWayleave(
  args: readonly string[],
  env: Record<string, string> = {},
  ipc = false,
  stdin: 'ignore' | 'pipe' = 'ignore',
): Wayleave {
  const { FORCE_COLOR: _force, WAYLEAVE_RPC_URL: _url, ...inherited } = process.env
  const child = spawn(process.execPath, ['--conditions=@wayleave/source', main, ...args], {
    env: { ...inherited, PATH: plainPath, ...env },
    stdio: [stdin, 'pipe', 'pipe', ...(ipc ? ['ipc' as const] : [])],
  })
  let stdout = ''
  let stderr = ''
  child.stdout!.setEncoding('utf8').on('data', (text: string) => (stdout += text))
  child.stderr!.setEncoding('utf8').on('data', (text: string) => (stderr += text))
  // 'close' comes when all output has been read, but not where this side closes a channel.
  const exited = once(child, ipc ? 'exit' : 'close').then(([code, signal]) => (code ?? signal) as number | string)
  return { child, stdout: () => stdout, stderr: () => stderr, exited }
}

/** Runs the command, and ends it with the test. */
export function wayleave(
  args: readonly string[],
  env: Record<string, string> = {},
  ipc = false,
  stdin: 'ignore' | 'pipe' = 'ignore',
): Wayleave {
  const started = spawnWayleave(args, env, ipc, stdin)
  onTestFinished(async () => {
    started.child.kill('SIGKILL')
    await started.exited
  })
  return started
}

export interface Run {
  readonly code: number | string
  readonly stdout: string
  readonly stderr: string
}

/**
 * Runs the command in this process, to its end, with `input` on its stdin; what belongs to a process wants {@link runProcess}. `isTTY`: its
 * output is a terminal without colours.
 */
export async function runWayleave(
  args: readonly string[],
  env: Record<string, string> = {},
  input = '',
  isTTY = false,
): Promise<Run> {
  let stdout = ''
  let stderr = ''
  const output = (): Writable => Object.assign(new Writable(), { isTTY, getColorDepth: () => 1 })
  const streams = { stdin: Readable.from([input]), stdout: output(), stderr: output() }
  const process = Object.assign(new EventEmitter(), streams)
  const io: CommandIo = {
    stdout: (text) => void (stdout += text),
    stderr: (text) => void (stderr += text),
    env: { PATH: plainPath, ...env },
    process: process as unknown as NodeJS.Process,
  }
  const code = await run(args, io)
  return { code, stdout, stderr }
}

/** The same in a process of its own. */
export async function runProcess(
  args: readonly string[],
  env: Record<string, string> = {},
  input?: string,
): Promise<Run> {
  const { child, exited, stdout, stderr } = wayleave(args, env, false, input === undefined ? 'ignore' : 'pipe')
  child.stdin?.end(input)
  return { code: await exited, stdout: stdout(), stderr: stderr() }
}

/** A `wayleave dev` on free ports, for all tests of a file. */
export interface Dev {
  /** With its key: of `dev`, or of another network. */
  url(network?: string): string
  stop(): Promise<void>
}

export async function startDev(): Promise<Dev> {
  const dataDir = await mkdtemp(join(tmpdir(), 'wayleave-cli-dev-'))
  const running = spawnWayleave(devArgs(dataDir))
  const { rpc } = await readyOf(running)
  return {
    url: (network) => `${rpc}${network === undefined ? '' : `/${network}`}/v3/${key}`,
    async stop() {
      running.child.kill('SIGTERM')
      await running.exited
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

export interface Ready {
  readonly event: 'ready'
  readonly rpc: string
  readonly ws: string
  readonly ipfs: string
  readonly admin: string
  readonly console: string
  readonly networks: Record<string, number | string>
}

/** The ready line of a process that was started with `--json`. */
export async function readyOf({ exited, stdout, stderr }: Wayleave): Promise<Ready> {
  const ended = exited.then((code) => {
    throw new Error(`exit ${code} before it was ready: ${stderr()}`)
  })
  ended.catch(() => {})
  while (!stdout().includes('\n')) await Promise.race([sleep(10), ended])
  return JSON.parse(stdout()) as Ready
}

/** Flags for any free ports and for a data folder. */
export function devArgs(dataDir: string, ...further: readonly string[]): string[] {
  const ports = ['--port', '0', '--ipfs-port', '0', '--admin-port', '0']
  return ['dev', ...ports, '--data-dir', dataDir, '--json', ...further]
}

/** A new folder that goes with the test. */
export async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'wayleave-cli-test-'))
  // A chain whose command was killed may still be writing its state.
  onTestFinished(() => rm(path, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 }))
  return path
}

/** A file in a new folder that goes with the test. */
export async function file(name: string, content: string): Promise<string> {
  const path = join(await folder(), name)
  await writeFile(path, content)
  return path
}

/** The ids and command lines of all processes that name `text`, but for those of the command itself. */
export async function processesWith(text: string): Promise<string[]> {
  const lines = process.platform === 'linux' ? await readProc() : await runPs()
  return lines.filter((line) => line.includes(text) && !line.includes(main))
}

async function readProc(): Promise<string[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  // A process may end in between.
  const read = (pid: string): Promise<string> => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
  return Promise.all(pids.map(async (pid) => `${pid} ${(await read(pid)).replaceAll('\0', ' ')}`))
}

async function runPs(): Promise<string[]> {
  const { stdout } = await promisify(execFile)('ps', ['-axww', '-o', 'pid=,command='], { maxBuffer: 1e8 })
  return stdout.split('\n').map((line) => line.trim())
}

/** Waits until `condition` holds; false when it does not within `ms`. */
export async function within(ms: number, condition: () => boolean | Promise<boolean>): Promise<boolean> {
  for (const end = performance.now() + ms; performance.now() < end;) {
    if (await condition()) return true
    await sleep(20)
  }
  return condition()
}

/** The result of one call over HTTP; throws what is not one. */
export async function call(url: string, method: string, ...params: unknown[]): Promise<unknown> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  const answer = (await response.json()) as { result?: unknown; error?: { message: string } }
  if (answer.error !== undefined) throw new Error(answer.error.message)
  return answer.result
}

/** Status and body of one POST with chosen headers, `Host` among them, which fetch does not send. */
export function post(
  url: string,
  headers: Record<string, string>,
  method = 'eth_chainId',
): Promise<{ status: number | undefined; body: string }> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: 'POST', agent: false, headers }, (response) => {
      let body = ''
      response.setEncoding('utf8').on('data', (text: string) => (body += text))
      response.on('end', () => resolve({ status: response.statusCode, body }))
    })
    sent.on('error', reject)
    sent.end(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: [] }))
  })
}

/** An HTTP server on a free port, which goes with the test. */
export async function serveHttp(listener: RequestListener): Promise<{ url: string; port: number; server: Server }> {
  const server = createServer(listener)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, port, server }
}

/** A JSON-RPC node: answers each call with what `answer` makes of it, an error where that has a `code`. */
export function serveNode(answer: (call: { method: string; params: unknown }) => unknown): Promise<{ url: string }> {
  return serveHttp((incoming, response) => {
    let text = ''
    incoming.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
    incoming.on('end', () => {
      void (async () => {
        const asked = JSON.parse(text) as { id: number; method: string; params: unknown }
        const value = await answer(asked)
        const isError = typeof value === 'object' && value !== null && 'code' in value
        response.setHeader('content-type', 'application/json')
        response.end(JSON.stringify({ jsonrpc: '2.0', id: asked.id, [isError ? 'error' : 'result']: value }))
      })()
    })
  })
}

/** A relay before a gateway's URL, which goes with the test; `cut` breaks all of its connections. */
export async function startRelay(to: string): Promise<{ url: string; cut: () => void }> {
  const { hostname, port, pathname } = new URL(to)
  const open = new Set<Socket>()
  const server = createTcpServer((near) => {
    const far = connect(Number(port), hostname)
    for (const socket of [near, far]) {
      open.add(socket)
      socket.on('close', () => open.delete(socket)).on('error', () => {})
    }
    near.pipe(far).pipe(near)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const cut = (): void => {
    for (const socket of open) socket.destroy()
  }
  onTestFinished(() => {
    cut()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${pathname}`, cut }
}

/** A node that answers each subscription, and then pushes this. */
export async function servePushes(
  method: string,
  ...results: readonly unknown[]
): Promise<{ url: string; calls: unknown[] }> {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  await once(server, 'listening')
  const calls: unknown[] = []
  server.on('connection', (socket) => {
    socket.on('message', (data) => {
      const asked = JSON.parse(String(data)) as { id: number; method: string; params: unknown }
      if (asked.method.includes('_subscribe')) calls.push([asked.method, asked.params])
      const error = { code: -32000, message: 'no' }
      const answer = asked.method.includes('subscribe') ? { result: '0x7' } : { error }
      socket.send(JSON.stringify({ jsonrpc: '2.0', id: asked.id, ...answer }))
      if (!asked.method.includes('_subscribe')) return
      const [name] = [method === 'eth_subscription' ? 'subscription' : 'subscription_id']
      for (const result of results) {
        const [named, value] = Array.isArray(result) && typeof result[0] === 'string' ? result : [method, result]
        const params = { [name!]: '0x7', result: value as unknown }
        socket.send(JSON.stringify({ jsonrpc: '2.0', method: named as string, params }))
      }
    })
  })
  onTestFinished(() => {
    for (const socket of server.clients) socket.terminate()
    server.close()
  })
  return { url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`, calls }
}
