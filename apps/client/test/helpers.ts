import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
// @boundaries-ignore The programs as tests start them.
import { bundlePrograms } from '../../../vitest.bundle.ts'

export const apiKey = '0123456789abcdef0123456789abcdef'
export const apiKeySecret = 'fedcba9876543210fedcba9876543210'

/** A real gateway over real chains, as a process: the command stands above this package, which must not import it. */
export interface Gateway {
  readonly url: string
  /** The URL of its IPFS API, where it has one. */
  readonly ipfs: string | undefined
  close(): Promise<void>
}

export async function startGateway(): Promise<Gateway> {
  const dataDir = await mkdtemp(join(tmpdir(), 'wayleave-client-test-'))
  return startCommand(['dev', '--port', '0', '--ipfs-port', '0', '--admin-port', '0', '--data-dir', dataDir], dataDir)
}

/** `wayleave` with these arguments, once it is ready; `folder` goes with it. */
export async function startCommand(args: readonly string[], folder: string): Promise<Gateway> {
  const { cli: main } = await bundlePrograms()
  const child = spawn(process.execPath, ['--conditions=@wayleave/source', main, ...args, '--json'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const closed = once(child, 'close')
  const [line] = (await Promise.race([
    once(child.stdout.setEncoding('utf8'), 'data'),
    closed.then(([code]) => {
      throw new Error(`the gateway ended with ${code}`)
    }),
  ])) as [string]
  const { rpc, ipfs } = JSON.parse(line) as { readonly rpc: string; readonly ipfs?: string }
  return {
    url: rpc,
    ipfs,
    async close() {
      child.kill('SIGTERM')
      await closed
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** What a request looked like to the peer. */
export interface Seen {
  readonly path: string | undefined
  readonly authorization: string | undefined
  readonly body: { readonly id: number; readonly method: string; readonly params?: unknown }
}

/** A peer over HTTP that gives each call the same result and remembers what it saw. */
export async function servePeer(result: unknown): Promise<{ url: string; seen: Seen[] }> {
  const seen: Seen[] = []
  const server = createServer((request, response) => {
    let text = ''
    request.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
    request.on('end', () => {
      const body = JSON.parse(text) as Seen['body']
      seen.push({ path: request.url, authorization: request.headers.authorization, body })
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify({ jsonrpc: '2.0', id: body.id, result }))
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen }
}

/** What a promise rejects with; throws where it does not. */
export async function failure(promise: Promise<unknown>): Promise<Error> {
  const thrown: unknown = await promise.then(
    (value) => new TypeError(`expected an error, got ${JSON.stringify(value)}`),
    (error: unknown) => error,
  )
  if (!(thrown instanceof Error)) throw new TypeError('expected an Error')
  return thrown
}
