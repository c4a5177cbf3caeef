import { randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import {
  type AdminApi,
  type AdminEvents,
  type AdminScope,
  adminScopes,
  createAdminApi,
  type LiveCall,
  type Operator,
} from '@wayleave/admin-api'
import { consoleFiles } from '@wayleave/console'
import { evmOpenRpcDocument } from '@wayleave/evm-types/openrpc'
import { explainCall } from './explain-call.ts'
import { listen } from './listen.ts'
import { createStandInIpfs } from './stand-in-ipfs.ts'
import { createCallMaker, createLiveCalls } from './live-calls.ts'
import { gasOf, networksOf, replay, streams, trafficOf } from './measures.ts'
import { answerRpc } from './stand-in-rpc.ts'
import { fillStores, sha256 } from './world.ts'

export interface StandInOptions {
  /** Keys of the project `indexer` beside its own. */
  readonly keys?: number
  /** Whether names, methods and causes try to become markup. */
  readonly isHostile?: boolean
  /** Whether nobody has to sign in. */
  readonly isOpen?: boolean
  /** Whether no call was ever counted: a month of usage takes a second to write. */
  readonly isUnused?: boolean
  /** Whether there is no configuration file to replay. */
  readonly isWithoutFile?: boolean
  readonly callsPerSecond?: number
}

/** A server that answers as the admin listener of a gateway does: the real API of operators over real stores, with traffic that is made up. */
export interface StandIn extends AsyncDisposable {
  readonly url: string
  /** Calls a second of the live tail; may be set. */
  callsPerSecond: number
  /** Paths that answer 500 or the given status; may be changed. */
  readonly broken: Map<string, number>
  /** Requests that have come, without those of files. */
  readonly asked: string[]
  /** Readers of the live tail. */
  readonly readers: number
  /** Ends all sessions. */
  endSessions(): void
}

/** The token with one scope. */
export const tokenOf = (scope: AdminScope): string => `token-with-the-scope-${scope}`

/** The most calls whose words are kept. */
const mostRemembered = 20_000

interface Session extends Operator {
  readonly csrf: string
}

export async function startStandIn(options: StandInOptions = {}): Promise<StandIn> {
  const { isHostile = false, isOpen = false, isWithoutFile = false } = options
  const now = Date.now
  const since = now() - 26 * 3_600_000
  const stores = await fillStores(now(), options)
  const networks = networksOf(now)
  const makeCall = createCallMaker(1, { isHostile })
  const remembered = new Map<string, LiveCall>()
  const make = (at: number): LiveCall => {
    const call = makeCall(at)
    remembered.set(call.id, call)
    if (remembered.size > mostRemembered) remembered.delete(remembered.keys().next().value!)
    return call
  }
  const state = { callsPerSecond: options.callsPerSecond ?? 12 }
  const calls = createLiveCalls(() => state.callsPerSecond, make, now)
  const ipfs = createStandInIpfs(stores)
  const scopes = Object.keys(adminScopes) as AdminScope[]
  const tokens = scopes.map((scope) => ({ name: `t-${scope}`, tokenHash: sha256(tokenOf(scope)), scopes: [scope] }))
  const api = createAdminApi({
    accounts: stores.accounts,
    usage: stores.usage,
    pins: stores.pins,
    networks,
    traffic: trafficOf(since, now),
    calls: calls as never,
    gas: gasOf(now),
    streams,
    replay: isWithoutFile ? undefined : replay,
    methods: { openRpc: async () => evmOpenRpcDocument('evm') },
    processes: { list: () => [{ process: 'edge-1:4242', startedAt: since, version: '0.0.0', workers: 2 }] },
    tokens,
    configured: {
      projects: [
        {
          id: 'status-page',
          name: 'Status page',
          keys: [{ id: 'status', digest: sha256('status'), label: 'Status page' }],
        },
      ],
    },
    sha256,
  })
  const sessions = new Map<string, Session>()
  const broken = new Map<string, number>()
  const asked: string[] = []
  let wrong = 0

  const rpc = await listen((request, response) => void answerRpc(request, response))
  const about = (operator: Operator) => ({
    open: isOpen,
    signedIn: true,
    name: operator.name,
    scopes: operator.scopes,
    version: '0.0.0',
    process: 'edge-1:4242',
    rpc: rpc.url,
    networks: [
      { name: 'mainnet', kind: 'evm', chainId: 1 },
      { name: 'base', kind: 'rollup', chainId: 8453 },
      { name: 'starknet', kind: 'starknet', chainId: 'SN_MAIN' },
    ],
    apis: { ipfs: true, gas: true, replay: !isWithoutFile },
  })

  const admin = await listen((request, response) => void answer(request, response))
  const cookieName = `wayleave-${new URL(admin.url).port}`

  function operatorOf({ headers }: IncomingMessage): Operator | undefined {
    const csrf = headers['x-wayleave-console']
    if (isOpen) return csrf === 'open' ? { name: 'console', scopes: ['all'] } : undefined
    const id = new RegExp(`(?:^|; )${cookieName}=([0-9a-f]{64})`).exec(headers.cookie ?? '')?.[1]
    const session = id === undefined ? undefined : sessions.get(id)
    return session?.csrf === csrf ? session : undefined
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, search } = new URL(request.url!, admin.url)
    if (pathname === '/') return void response.writeHead(302, { location: '/console/' }).end()
    if (pathname === '/console/session') return answerSession(request, response)
    if (pathname.startsWith('/console/')) return file(pathname.slice('/console/'.length), request, response)
    asked.push(`${request.method} ${pathname}${search}`)
    const status = broken.get(pathname)
    const json = (code: number, value: object): void => {
      response.writeHead(code, { 'content-type': 'application/json' })
      response.end(JSON.stringify(value))
    }
    if (status !== undefined)
      return json(status, { title: 'Broken', status, code: 'unavailable', detail: 'the store cannot be used now' })
    const as = operatorOf(request)
    if (as === undefined)
      return json(401, { title: 'No session', status: 401, code: 'unauthorized', detail: 'an admin token is required' })
    const command = /^\/admin\/v1\/ipfs\/([^/]+)\/api\/v0\/(.+)$/.exec(pathname)
    if (command !== null) return ipfs(request, response, command[1]!, command[2]!)
    if (pathname === '/metrics') return void response.end(networks.metrics())
    if (pathname === '/status') return json(200, networks.status())
    if (pathname.startsWith('/explain/')) return json(200, { calls: explainCall(remembered.get(pathname.slice(9))) })
    const body = request.method === 'GET' ? undefined : await buffer(request)
    return sendAnswer(
      response,
      await api.handle({
        method: request.method!,
        path: pathname,
        query: search.slice(1),
        headers: request.headers,
        body,
        as,
      }),
    )
  }

  async function answerSession(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const json = (status: number, value: object, headers = {}): void => {
      response.writeHead(status, { 'content-type': 'application/json', ...headers })
      response.end(JSON.stringify(value))
    }
    if (request.method === 'DELETE') {
      sessions.clear()
      return void response.writeHead(204).end()
    }
    if (request.method === 'GET') {
      const operator = operatorOf(request)
      return json(200, operator === undefined ? { open: isOpen, signedIn: false, version: '0.0.0' } : about(operator))
    }
    const { token } = JSON.parse((await buffer(request)).toString()) as { readonly token: string }
    const found = tokens.find(({ tokenHash }) => tokenHash === sha256(token))
    if (wrong >= 10)
      return json(429, { status: 429, code: 'too_many', detail: 'too many wrong tokens' }, { 'retry-after': '42' })
    if (found === undefined) {
      wrong++
      return json(401, {
        title: 'Unauthorized',
        status: 401,
        code: 'unauthorized',
        detail: 'this admin token is unknown',
      })
    }
    const [id, csrf] = [randomBytes(32).toString('hex'), randomBytes(32).toString('hex')]
    sessions.set(id, { name: found.name, scopes: found.scopes, csrf })
    return json(
      200,
      { ...about(found), csrf },
      { 'set-cookie': `${cookieName}=${id}; HttpOnly; SameSite=Strict; Path=/; Max-Age=43200` },
    )
  }

  function file(path: string, request: IncomingMessage, response: ServerResponse): void {
    const found = consoleFiles.find(path) ?? (path.includes('.') ? undefined : consoleFiles.find(''))
    if (found === undefined) return void response.writeHead(404).end()
    const headers = {
      // A page is opened hundreds of times: its scripts and styles are asked for once.
      'cache-control': path.includes('.') ? 'max-age=3600' : 'no-cache',
      etag: found.etag,
      'content-security-policy': `default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self' ${rpc.url}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'`,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    }
    if (request.headers['if-none-match'] === found.etag) return void response.writeHead(304, headers).end()
    response.writeHead(200, { ...headers, 'content-type': found.contentType, 'content-encoding': 'gzip' })
    response.end(found.gzip)
  }

  return {
    url: admin.url,
    get callsPerSecond() {
      return state.callsPerSecond
    },
    set callsPerSecond(value) {
      state.callsPerSecond = value
    },
    broken,
    asked,
    get readers() {
      return calls.readers
    },
    endSessions: () => sessions.clear(),
    async [Symbol.asyncDispose]() {
      for (const { server } of [admin, rpc]) {
        server.close()
        server.closeAllConnections()
      }
      await stores.close()
    },
  }
}

function sendAnswer(
  response: ServerResponse,
  { status, headers, body, events }: Awaited<ReturnType<AdminApi['handle']>>,
): void {
  response.writeHead(status, headers)
  if (events === undefined) return void response.end(body)
  stream(response, events)
}

function stream(response: ServerResponse, events: AdminEvents): void {
  const end = events({
    send(event, data) {
      if (response.writableLength > 1_000_000) return false
      response.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`)
      return true
    },
    end: () => void response.end(),
  })
  response.flushHeaders()
  response.on('close', end)
}
