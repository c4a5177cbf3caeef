import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { Agent, createServer, request } from 'node:http'
import { request as requestTls } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { workersOf } from './processes.ts'
// @boundaries-ignore The programs as tests start them.
import { bundlePrograms } from '../../../../vitest.bundle.ts'

const { proxy: main } = await bundlePrograms()
export const key = '00112233445566778899aabbccddeeff'

/** A node that answers each call with its params, after `ms`. */
export async function echoNode(ms = 2): Promise<string> {
  const server = createServer((incoming, response) => {
    let text = ''
    incoming.setEncoding('utf8').on('data', (part: string) => (text += part))
    incoming.on('end', () => {
      const { id, method, params } = JSON.parse(text) as { id: number; method: string; params: unknown }
      const result = method === 'eth_chainId' ? '0x1' : method === 'eth_blockNumber' ? '0x10' : { params }
      const body = JSON.stringify({ jsonrpc: '2.0', id, result })
      setTimeout(() => response.writeHead(200, { 'content-type': 'application/json' }).end(body), ms)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close().closeAllConnections())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

export interface Served {
  readonly child: ChildProcess
  readonly rpc: URL
  readonly admin: string
  /** Undefined where the configuration names no address for it. */
  readonly ipfs: string | undefined
  readonly file: string
  readonly exited: Promise<number | null>
  stderr(): string
  /** The ids of the worker processes of the moment. */
  workers(): Promise<readonly number[]>
}

/** Writes a configuration and serves it with workers. */
export async function serve(config: object, workers: number | string = 2): Promise<Served> {
  const folder = await mkdtemp(join(tmpdir(), 'wayleave-workers-'))
  const file = join(folder, 'config.json')
  const listen = { rpc: '127.0.0.1:0', admin: '127.0.0.1:0' }
  await writeFile(file, JSON.stringify({ ...config, listen: { ...listen, ...(config as { listen?: object }).listen } }))
  const args = ['--conditions=@wayleave/source', main, '--workers', String(workers), '--json', file]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  let stdout = ''
  let stderr = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text))
  const exited = once(child, 'exit').then(([code]) => code as number | null)
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await exited
    await rm(folder, { recursive: true, force: true })
  })
  while (!stdout.includes('\n')) {
    const code = await Promise.race([once(child.stdout, 'data').then(() => undefined), exited])
    if (code !== undefined) throw new Error(`it ended with ${code}: ${stderr}`)
  }
  const { rpc, admin, ipfs } = JSON.parse(stdout) as { rpc: string; admin: string; ipfs?: string }
  return {
    child,
    rpc: new URL(rpc),
    admin,
    ipfs,
    file,
    exited,
    stderr: () => stderr,
    workers: () => workersOf(child.pid!, Number(new URL(rpc).port)),
  }
}

/** Tells whether a process runs. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

export interface CallResult {
  /** Undefined where no answer came. */
  readonly status: number | undefined
  readonly body: string
  /** The caller's port of the connection. */
  readonly port: number | undefined
  /** The code of the failure. */
  readonly failure: string | undefined
}

/** Calls over a connection of its own, which is kept. */
export class Caller {
  readonly #agent: Agent
  readonly #rpc: URL
  #next = 0

  constructor(rpc: URL) {
    this.#rpc = rpc
    this.#agent = new Agent({ keepAlive: true, maxSockets: 1 })
    onTestFinished(() => this.#agent.destroy())
  }

  /** The caller's port of the connection that is kept. */
  port(): number {
    const [free] = Object.values(this.#agent.freeSockets).flatMap((sockets) => sockets ?? [])
    return free?.localPort ?? 0
  }

  call(path = `/v3/${key}`): Promise<CallResult> {
    const params = [`0x${(this.#next++).toString(16)}`]
    const payload = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_getStorageValues', params })
    return this.ask('POST', path, payload)
  }

  ask(method: string, path: string, payload?: string): Promise<CallResult> {
    const { protocol, hostname, port } = this.#rpc
    const send = protocol === 'https:' ? requestTls : request
    const agent = protocol === 'https:' ? {} : { agent: this.#agent }
    return new Promise((resolve) => {
      let socket: Socket | undefined
      const asked = send(
        {
          ...agent,
          hostname,
          port,
          path,
          method,
          rejectUnauthorized: false,
          headers: { 'content-type': 'application/json' },
        },
        (response) => {
          let body = ''
          response.setEncoding('utf8').on('data', (text: string) => (body += text))
          const settle = (failure: string | undefined): void =>
            resolve({ status: response.statusCode, body, port: socket?.localPort, failure })
          response.on('end', () => settle(undefined))
          response.on('error', (err: NodeJS.ErrnoException) => settle(err.code ?? err.message))
        },
      )
      let localPort: number | undefined
      asked.on('socket', (given) => {
        socket = given
        localPort = given.localPort
        given.once('connect', () => (localPort = given.localPort))
      })
      asked.on('error', (err: NodeJS.ErrnoException) =>
        resolve({ status: undefined, body: '', port: localPort, failure: err.code ?? err.message }),
      )
      asked.end(payload)
    })
  }
}

/** Calls over so many connections at once, each after the other, until it is stopped. */
export function load(rpc: URL, connections: number) {
  const stopping = new AbortController()
  const failed: CallResult[] = []
  let answered = 0
  const lines = Array.from({ length: connections }, async () => {
    const caller = new Caller(rpc)
    while (!stopping.signal.aborted) {
      const result = await caller.call()
      if (result.status === 200 && result.failure === undefined) answered++
      else failed.push(result)
      // After the address is gone, a line has nothing to do.
      if (result.failure === 'ECONNREFUSED') return
    }
  })
  return {
    failed,
    get answered() {
      return answered
    },
    async stop() {
      stopping.abort()
      await Promise.all(lines)
    },
  }
}

/** Reads the metrics of the admin listener: the sum of the series of a family, those with a text in them alone. */
export async function metricOf(admin: string, family: string, text = ''): Promise<number> {
  const body = await (await fetch(`${admin}/metrics`)).text()
  const lines = body.split('\n').filter((line) => line.startsWith(family) && line.includes(text))
  return lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0)
}
