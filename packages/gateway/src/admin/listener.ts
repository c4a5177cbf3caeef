import type { RequestListener } from 'node:http'
import type { AdminScope } from '@wayleave/admin-api'
import {
  type CreateListener,
  cutLateBody,
  type HttpAnswer,
  type HttpListener,
  type HttpListenerOptions,
  nosniff,
  plainAnswer,
  sendAnswer,
  useGet,
} from '@wayleave/http-server'
import type { Cordons } from '@wayleave/network'
import { metricsContentType } from '@wayleave/telemetry'
import type { ReloadReport } from '../config/config-diff.ts'
import { consolePath, type ServeConsole } from '../console/console.ts'
import type { ListenerOptions } from '../listener-options.ts'
import { createHostCheck } from './admin-hosts.ts'
import { answerCordon, isCordonPath } from './cordon.ts'
import type { Health } from '../health/health.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import type { Operators } from '../console/operators.ts'
import type { ExplainCalls } from '../trace/explain-calls.ts'
import { answerExplain, isExplainPath } from './explain.ts'
import { answerReload, reloadPath } from './reload.ts'
import { type OperatorApi, operatorPrefix } from './operator-api.ts'
import { operatorIpfsPath } from './operator-ipfs.ts'

export interface AdminOptions {
  readonly address: string
  readonly metrics: Metrics
  readonly health: Health
  /** Judges everything but `/healthz`, `/readyz` and the files of the console. */
  readonly operators: Pick<Operators, 'judge'>
  /** Names that requests may have in `Host` and `Origin`. */
  readonly hosts: readonly string[]
  /** Default: no upstream can be cordoned. */
  readonly cordons?: Pick<Cordons, 'upstreams' | 'cordon'>
  /** Default: there is none, since it needs a store and a token. */
  readonly operatorApi?: OperatorApi | undefined
  /** Has workers tell what they have counted, before it is printed. Default: there are none. */
  readonly refresh?: (() => Promise<void> | undefined) | undefined
  /** Has the configuration read again; undefined while the gateway starts or ends. Default: it cannot be. */
  readonly reread?: (() => Promise<ReloadReport> | undefined) | undefined
  /** Default: no call is explained. */
  readonly explain?: ExplainCalls | undefined
  /** Default: no page is served. */
  readonly console?: ServeConsole | undefined
}

/** Creates the listener of operators; it speaks plain HTTP, also beside TLS. */
export function openAdminListener(
  options: Pick<ListenerOptions, 'limits' | 'clock' | 'log'> & {
    readonly onRequest: RequestListener
    readonly createListener: CreateListener
  } & Pick<HttpListenerOptions, 'address' | 'socket'>,
): HttpListener {
  const { address, socket, onRequest, limits, clock, log } = options
  return options.createListener({
    name: 'The admin listener',
    address,
    socket,
    onRequest(request, response) {
      // An upload may take as long as it takes; the IPFS service cuts those that stall.
      if (operatorIpfsPath(request.url!) === undefined) cutLateBody(request, response, limits.readTimeoutMs, clock)
      onRequest(request, response)
    },
    server: { requestTimeout: 0 },
    limits: () => ({ headersTimeout: limits.readTimeoutMs }),
    clock,
    log,
  })
}

/** Serves operators: `/healthz`, `/readyz` with the names of endpoints, `/status`, `/metrics`, upstreams to cordon, and the console. */
export function createAdminListener(options: AdminOptions): RequestListener {
  const { address, metrics, health, operators, hosts, cordons, operatorApi, reread, refresh, explain } = options
  const isMeantForUs = createHostCheck(address, hosts)

  return (request, response) => {
    const send = (answer: HttpAnswer): void => sendAnswer(response, answer, nosniff)
    const refusalFor = (scopes: readonly AdminScope[]): HttpAnswer | undefined => {
      const judgement = operators.judge(request, scopes)
      return judgement === 'admitted' ? undefined : judgement === 'forbidden' ? forbidden(scopes) : unauthorized
    }
    const { host = [], origin = [] } = request.headersDistinct
    if (host.length !== 1 || !isMeantForUs(host[0]!, origin)) return send(foreign)
    const [target = '', query] = request.url!.split('?', 2)
    const path = target.replace(/(?<=.)\/$/, '')
    if (target === operatorPrefix || target.startsWith(`${operatorPrefix}/`)) {
      return operatorApi === undefined ? send(noOperatorApi) : operatorApi(request, response)
    }
    if (options.console !== undefined) {
      if (target.startsWith(consolePath)) return options.console(request, response, target.slice(consolePath.length))
      const isFirst = target === '/' && request.headers.accept?.includes('text/html') === true
      if (isFirst || target === '/console') return send(toConsole)
    }
    if (cordons !== undefined && isCordonPath(path)) {
      if (request.method !== 'POST') return send(usePost)
      const refused = refusalFor(cordoning)
      if (refused !== undefined) return send(refused)
      return void answerCordon(path, query, cordons).then(send)
    }
    if (path === reloadPath) {
      const refused = request.method === 'POST' ? refusalFor(reloading) : usePost
      return refused === undefined ? void answerReload(reread).then(send) : send(refused)
    }
    if (request.method !== 'GET' && request.method !== 'HEAD') return send(useGet())
    if (path === '/healthz') return send(plainAnswer(200, 'ok\n'))
    if (path === '/readyz') return void health.readiness(true).then(send)
    const isExplain = explain !== undefined && isExplainPath(path)
    const refused = refusalFor(isExplain ? explaining : reading)
    if (refused !== undefined) return send(refused)
    if (isExplain) return void answerExplain(path, explain).then(send)
    if (path === '/status') return void health.status(new URLSearchParams(query).get('network') ?? undefined).then(send)
    if (path !== '/metrics') return send(nothingElse)
    const refreshed = refresh?.()
    if (refreshed === undefined) print()
    else void refreshed.then(print)

    function print(): void {
      health.measure()
      let body: string
      try {
        body = metrics.print()
      } catch {
        return send(plainAnswer(500, 'the metrics could not be read\n'))
      }
      response.writeHead(200, ['Content-Type', metricsContentType, ...nosniff])
      response.end(body)
    }
  }
}

const noOperatorApi = plainAnswer(
  404,
  'the admin API needs a store that is kept (store or dataDir) and a token (admin.token or admin.tokens)\n',
)
const toConsole = plainAnswer(302, 'the console is at /console/\n', ['Location', consolePath])
const usePost = plainAnswer(405, 'use POST\n', ['Allow', 'POST'])
const nothingElse = plainAnswer(
  404,
  'there are /healthz, /readyz, /status, /metrics, /explain, and POST /reload, /upstreams/cordon and /upstreams/uncordon\n',
)
const foreign = plainAnswer(403, 'this Host or Origin is not served here: admin.hosts lists those that are\n')
const unauthorized = plainAnswer(
  401,
  'an admin token is required (admin.token, or one of admin.tokens): Authorization: Bearer <token>\n',
  ['WWW-Authenticate', 'Bearer realm="admin"'],
)

/** Scopes that open `/status` and `/metrics`, such as a monitoring system's `read`. */
const reading: readonly AdminScope[] = ['read', 'networks']
/** Explanations name projects and keys by their ids. */
const explaining: readonly AdminScope[] = ['read']
const cordoning: readonly AdminScope[] = ['networks']
/** A reload changes accounts, networks and tokens, which only `all` may. */
const reloading: readonly AdminScope[] = []

function forbidden(scopes: readonly AdminScope[]): HttpAnswer {
  return plainAnswer(403, `this admin token needs the scope ${[...scopes, 'all'].join(' or ')}\n`)
}
