import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { readyOf, type Run, runProcess, spawnWayleave } from '../helpers.ts'

export const token = 'an-admin-token-of-the-tests'
export const readerToken = 'a-token-that-only-reads-things'
export const expiredToken = 'a-token-that-has-expired-long-ago'
export const configuredKey = '0123456789abcdef0123456789abcdef'

export const hashOf = (text: string): string => `sha256:${createHash('sha256').update(text).digest('hex')}`

/** A configuration with a store, and what is asked of it. */
export interface Place {
  readonly configFile: string
  readonly database: string
  remove(): Promise<void>
}

export async function makePlace(upstream = 'http://127.0.0.1:9'): Promise<Place> {
  const folder = await mkdtemp(join(tmpdir(), 'wayleave-cli-accounts-'))
  const configFile = join(folder, 'wayleave.json')
  const config = {
    dataDir: join(folder, 'data'),
    listen: { rpc: '127.0.0.1:0', admin: '127.0.0.1:0' },
    admin: {
      token,
      tokens: [
        { name: 'reader', tokenHash: hashOf(readerToken), scopes: ['read'] },
        { name: 'old', tokenHash: hashOf(expiredToken), scopes: ['all'], expiresAt: '2020-01-31' },
      ],
    },
    networks: { devnet: { kind: 'evm', chainId: 7, followHeads: false, upstreams: [upstream] } },
    projects: [{ name: 'demo', keys: [{ key: configuredKey, label: 'of the file' }] }],
  }
  await writeFile(configFile, JSON.stringify(config))
  return {
    configFile,
    database: join(folder, 'data', 'wayleave.sqlite'),
    remove: () => rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 }),
  }
}

/** A running gateway over a store of its own. */
export interface RunningGateway extends Place {
  readonly rpc: string
  readonly admin: string
  /** The variables by which the command finds it. */
  readonly env: Record<string, string>
  /** Runs the command, as a process, to its end. */
  run(args: readonly string[], input?: string): Promise<Run>
  /** Calls a method with a key, and resolves with the HTTP status. */
  call(key: string, method: string): Promise<number>
  stop(): Promise<void>
}

export async function startGateway(): Promise<RunningGateway> {
  const node = createServer(async (request, response) => {
    const { id } = (await json(request)) as { id: unknown }
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result: '0x7' }))
  })
  node.listen(0, '127.0.0.1')
  await once(node, 'listening')
  const place = await makePlace(`http://127.0.0.1:${(node.address() as AddressInfo).port}`)
  const running = spawnWayleave(['serve', '--config', place.configFile, '--json'])
  const { rpc, admin } = await readyOf(running)
  const env = { WAYLEAVE_ADMIN_URL: admin, WAYLEAVE_ADMIN_TOKEN: token }
  return {
    ...place,
    rpc,
    admin,
    env,
    run: (args, input) => runProcess(args, env, input),
    async call(key, method) {
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: [] })
      return (await fetch(`${rpc}/v3/${key}`, { method: 'POST', body })).status
    },
    async stop() {
      running.child.kill('SIGTERM')
      await running.exited
      node.close()
      await place.remove()
    },
  }
}

/** The lines of a command's output, each as JSON. */
export function jsonLines({ code, stdout, stderr }: Run): readonly unknown[] {
  if (code !== 0) throw new Error(`exit ${code}: ${stdout}${stderr}`)
  return stdout
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as unknown)
}
