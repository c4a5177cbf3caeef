import { createHash } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import {
  type AdminConfig,
  type Config,
  createLog,
  type GatewayOptions,
  type RunningGateway,
  startGateway,
  type StaticFiles,
} from '@wayleave/gateway'
import { onTestFinished } from 'vitest'
import { type Answer, frame, key, send, startNode } from '../support.ts'

export const token = 'an-admin-token-of-the-tests'
export const readerToken = 'a-token-that-only-reads-things'
export const hashOf = (text: string): string => `sha256:${createHash('sha256').update(text).digest('hex')}`

/** A page of two files. */
export const files: StaticFiles = { find: (path) => pages.get(path) }
const pages = new Map(
  [
    ['', 'text/html; charset=utf-8', `<!doctype html><title>Console</title>${' '.repeat(2_000)}`],
    ['page/main.js', 'text/javascript; charset=utf-8', 'console.log(1)'],
  ].map(([path, contentType, text]) => {
    const body = Buffer.from(text!)
    const etag = `"${createHash('sha256').update(body).digest('hex').slice(0, 16)}"`
    return [path!, { contentType: contentType!, body, gzip: gzipSync(body), etag }]
  }),
)

/** A gateway with a console. */
export interface ConsoleScene {
  readonly gateway: RunningGateway
  /** `127.0.0.1:port` of the admin listener. */
  readonly host: string
  /** Asks the admin listener as a page of its own host does. */
  ask(path: string, options?: Ask): Promise<Answer>
  /** Signs in, and returns the headers of the session. */
  signIn(withToken?: string): Promise<Record<string, string>>
  /** Serves another configuration of the admin listener. */
  reload(admin: AdminConfig): Promise<void>
  /** Makes calls. */
  call(method?: string, count?: number): Promise<void>
}

interface Ask {
  readonly method?: string
  readonly headers?: Record<string, string>
  readonly body?: string
}

/** Starts a gateway over a node, with a store that is kept and a console. */
export async function startConsole(
  admin: AdminConfig | 'none' = { token },
  options: GatewayOptions = {},
  config: Partial<Config> = {},
): Promise<ConsoleScene> {
  const node = await startNode()
  onTestFinished(() => node.close())
  const dataDir = await mkdtemp(join(tmpdir(), 'wayleave-console-'))
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }))
  const written: Config = {
    listen: { rpc: '127.0.0.1:0', admin: '127.0.0.1:0' },
    dataDir,
    cache: false,
    networks: { mainnet: { kind: 'evm', chainId: 1, upstreams: [node.url], followHeads: false } },
    projects: [{ name: 'open', keys: [{ key }] }],
    ...(admin !== 'none' && { admin }),
    ...config,
  }
  const gateway = await startGateway(written, { log: createLog({ level: 'silent' }), console: { files }, ...options })
  onTestFinished(() => gateway.close(0))
  const { host, origin } = new URL(gateway.admin)
  const ask = (path: string, given: Ask = {}): Promise<Answer> => send(gateway.admin, path, given)
  return {
    gateway,
    host,
    ask,
    async reload(next) {
      const { problems } = await gateway.reload({ ...written, admin: next })
      if (problems.length > 0) throw new Error(JSON.stringify(problems))
    },
    async signIn(withToken = token) {
      const answer = await ask('/console/session', {
        method: 'POST',
        headers: { 'content-type': 'application/json', origin },
        body: JSON.stringify({ token: withToken }),
      })
      if (answer.status !== 200) throw new Error(`the sign-in was answered with ${answer.status}: ${answer.body}`)
      return sessionOf(answer)
    },
    async call(method = 'eth_gasPrice', count = 1) {
      for (let i = 0; i < count; i++) await send(gateway.rpc, `/v3/${key}`, { body: frame(method) })
    },
  }
}

/** The headers of the session that an answer has opened. */
export function sessionOf({ headers, body }: Answer): Record<string, string> {
  const [cookie = ''] = headers['set-cookie'] as readonly string[]
  const { csrf } = JSON.parse(body) as { readonly csrf: string }
  return { cookie: cookie.split(';')[0]!, 'x-wayleave-console': csrf }
}
