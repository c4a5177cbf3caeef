import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AdminToken, NetworkPort } from '@wayleave/admin-api'
import type { Digest } from '@wayleave/auth'
import type { Clock } from '@wayleave/jsonrpc-core'
import type { NamedProject } from '../config/accounts.ts'
import { nosniff } from '../http/answer.ts'
import { readBody } from '../http/body.ts'
import type { OpenStore } from '../store.ts'
import { configuredAccounts } from './configured-accounts.ts'
import type { Cordons } from './cordons.ts'
import { errorClass, type Log } from './log.ts'
import type { Probed } from './probe.ts'

/** Answers a request whose path begins with {@link operatorPrefix}. */
export type OperatorApi = (request: IncomingMessage, response: ServerResponse) => void

/** The path below which the API of operators lies. */
export const operatorPrefix = '/admin/v1'

export interface OperatorApiOptions {
  readonly tokens: readonly AdminToken[]
  readonly projects: readonly NamedProject[]
  readonly store: OpenStore['operated']
  readonly networks: readonly Probed[]
  readonly cordons: Pick<Cordons, 'upstreams' | 'cordon'>
  readonly sha256: Digest
  readonly clock: Clock
  readonly log: Log
}

/** Opens the API of operators; undefined where there is no store that outlasts the process, or no token to ask it with. */
export async function openOperatorApi(options: OperatorApiOptions): Promise<OperatorApi | undefined> {
  const { tokens, projects, store, networks, cordons, sha256, clock, log } = options
  if (store === undefined || tokens.length === 0) return undefined
  const { createAdminApi, maxAdminBody } = await import('@wayleave/admin-api')
  const api = createAdminApi({
    ...store,
    tokens,
    networks: networkPort(networks, cordons),
    configured: configuredAccounts(projects, sha256),
    clock,
    sha256,
    onFailure: ({ error, route, id }) =>
      log.repeats.error(
        ['admin', route, errorClass(error)],
        { err: error, route, id },
        'a request of an operator failed',
      ),
  })

  return (request, response) => {
    const [path = '', query] = request.url!.split('?', 2)
    const answer = async (body: Uint8Array | undefined): Promise<void> => {
      const asked = { method: request.method!, path, query, headers: request.headers, body }
      const { status, headers, body: text } = await api.handle(asked)
      response.writeHead(status, [...Object.entries(headers).flat(), ...nosniff])
      response.end(text)
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
