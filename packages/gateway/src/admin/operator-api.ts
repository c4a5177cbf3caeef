import type { IncomingMessage, ServerResponse } from 'node:http'
import { isDeepStrictEqual } from 'node:util'
import type {
  AdminErrorCode,
  AdminResponse,
  AdminToken,
  GatewayPorts,
  NetworkPort,
  Operator,
} from '@wayleave/admin-api'
import type { Digest } from '@wayleave/auth'
import type { Clock } from '@wayleave/jsonrpc-core'
import { nosniff, readBody } from '@wayleave/http-server'
import type { Cordons } from '@wayleave/network'
import { errorClass, type Log } from '@wayleave/telemetry'
import type { NamedProject } from '../config/accounts.ts'
import type { Config } from '../config/config.ts'
import type { OpenStore } from '../store.ts'
import { configuredAccounts } from './configured-accounts.ts'
import { serveEvents } from './event-stream.ts'
import { createOperatorIpfs, operatorIpfsPath, type OperatorIpfsOptions } from './operator-ipfs.ts'
import type { Operators } from '../console/operators.ts'
import type { Probed } from '../health/probe.ts'

/** Answers a request whose path begins with {@link operatorPrefix}. */
export type OperatorApi = (request: IncomingMessage, response: ServerResponse) => void

/** The path below which the API of operators lies. */
export const operatorPrefix = '/admin/v1'

export interface OperatorApiOptions extends Pick<OperatorIpfsOptions, 'newTraceId' | 'metrics'> {
  readonly tokens: readonly AdminToken[]
  /** Whether anybody could ask it. */
  readonly hasOperators: boolean
  readonly operators: Pick<Operators, 'of'>
  /** What the gateway tells of itself, beside its networks. */
  readonly ports: Omit<GatewayPorts, 'networks'>
  /** The IPFS API; undefined where there is none. */
  readonly ipfs: OperatorIpfsOptions['service']
  readonly projects: readonly NamedProject[]
  readonly plans: Config['plans']
  readonly store: OpenStore['operated']
  readonly networks: readonly Probed[]
  readonly cordons: Pick<Cordons, 'upstreams' | 'cordon'>
  readonly sha256: Digest
  readonly clock: Clock
  readonly log: Log
}

/** Opens the API of operators; undefined where there is no store that outlasts the process, or nobody who may ask it. */
export async function openOperatorApi(options: OperatorApiOptions): Promise<OperatorApi | undefined> {
  const { hasOperators, operators, tokens, ports, projects, plans, store, networks, cordons, sha256, clock, log } =
    options
  if (store === undefined || !hasOperators) return undefined
  const { AdminError, createAdminApi, maxAdminBody, problemAnswer } = await import('@wayleave/admin-api')
  const api = createAdminApi({
    accounts: store.accounts,
    usage: store.usage,
    ...ports,
    // Operators are judged here, by their tokens and their sessions; the API says what is wrong with the token of anybody else.
    tokens,
    networks: networkPort(networks, cordons),
    configured: configuredAccounts(projects, sha256, plans),
    clock,
    sha256,
    onFailure: ({ error, route, id }) =>
      log.repeats.error(
        ['admin', route, errorClass(error)],
        { err: error, route, id },
        'a request of an operator failed',
      ),
  })

  /** Finds a project as its own route does; the answer where that fails. */
  async function findProject(project: string, { name }: Operator): Promise<AdminResponse | undefined> {
    const path = `${operatorPrefix}/projects/${project}`
    const answer = await api.handle({ method: 'GET', path, headers: {}, as: { name, scopes: ['read'] } })
    return answer.status === 200 ? undefined : answer
  }

  const serveIpfs = createOperatorIpfs({
    ...options,
    service: options.ipfs,
    find: findProject,
    refuse: (code: AdminErrorCode, detail: string) => problemAnswer(new AdminError(code, detail)),
  })

  return (request, response) => {
    const ofIpfs = operatorIpfsPath(request.url!)
    if (ofIpfs !== undefined) return void serveIpfs(request, response, ofIpfs, operators.of(request))
    const [path = '', query] = request.url!.split('?', 2)
    const answer = async (body: Uint8Array | undefined): Promise<void> => {
      const as = operators.of(request)
      const asked = { method: request.method!, path, query, headers: request.headers, body, as }
      const { status, headers, body: text, events } = await api.handle(asked)
      response.writeHead(status, [...Object.entries(headers).flat(), ...nosniff])
      if (events === undefined) return void response.end(text)
      // A session may end, and a reload may take rights away.
      const mayStay = (): boolean => isDeepStrictEqual(operators.of(request)?.scopes, as?.scopes)
      serveEvents(request, response, { events, mayStay, clock })
    }
    readBody(
      request,
      request.headers['content-length'],
      maxAdminBody,
      () => true,
      (body) => {
        // One byte more than may be read is refused in the API's own words.
        void answer(typeof body === 'string' ? new Uint8Array(maxAdminBody + 1) : body)
        if (typeof body === 'string') response.once('finish', () => request.destroy())
      },
    )
  }
}

function networkPort(networks: readonly Probed[], cordons: OperatorApiOptions['cordons']): NetworkPort {
  return {
    list: () =>
      Promise.all(
        networks.map(async ({ name, probe }) => {
          const states = await probe().all
          const upstreams = states.map(({ endpoint, reason, details = {} }) => ({
            name: endpoint,
            isUp: reason === undefined,
            reason,
            cordoned: details['out'] === 'cordoned' ? reason : undefined,
            head: numberOf(details['head']),
            lag: numberOf(details['lag']),
          }))
          return { name, upstreams }
        }),
      ),
    async cordon(network, upstream, reason) {
      if (cordons.upstreams[network]?.includes(upstream) !== true) return false
      await cordons.cordon(network, upstream, reason)
      return true
    },
  }
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined
}
