import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AdminErrorCode, AdminResponse, Operator } from '@wayleave/admin-api'
import type { Clock } from '@wayleave/jsonrpc-core'
import { lingerOn, nosniff } from '@wayleave/http-server'
import type { Log } from '@wayleave/telemetry'
import type { IpfsService } from '../ipfs/service.ts'
import type { Metrics } from '../telemetry/metrics.ts'

/** A path of the IPFS API of a project. */
export interface OperatorIpfsPath {
  readonly project: string
  /** The path and the query of the API itself: `/api/v0/add?pin=true`. */
  readonly target: string
}

export interface OperatorIpfsOptions {
  /** Undefined where there is none. */
  readonly service: () => IpfsService | undefined
  /** Looks for a project; the answer that refuses where it is not there, or cannot be looked for. */
  readonly find: (project: string, operator: Operator) => Promise<AdminResponse | undefined>
  /** Prints a refusal. */
  readonly refuse: (code: AdminErrorCode, detail: string) => AdminResponse
  readonly newTraceId: () => string
  readonly metrics: Pick<Metrics, 'ipfsAnswers'>
  readonly clock: Clock
  readonly log: Pick<Log, 'info'>
}

/** Serves the IPFS API of a project to an operator; undefined: nobody who is known. */
export type OperatorIpfs = (
  request: IncomingMessage,
  response: ServerResponse,
  path: OperatorIpfsPath,
  operator: Operator | undefined,
) => Promise<void>

/** Reads a target below the API of operators; undefined where it is none of the IPFS API. */
export function operatorIpfsPath(target: string): OperatorIpfsPath | undefined {
  const [, project, rest] = /^\/admin\/v1\/ipfs\/([\w.:-]{1,128})(\/api\/v0\/.*)$/s.exec(target) ?? []
  return project === undefined || rest === undefined ? undefined : { project, target: rest }
}

/** Content is anybody's, and stands at the origin of the console: no browser may run it. */
const inert = ['Content-Security-Policy', "sandbox; default-src 'none'", 'Cache-Control', 'no-store'] as const

/** Makes the server. An operator's calls have the quotas of the project, and cost it no credits, as none of its keys makes them. */
export function createOperatorIpfs(options: OperatorIpfsOptions): OperatorIpfs {
  const { service, find, refuse, newTraceId, metrics, clock, log } = options

  return async (request, response, { project, target }, operator) => {
    const traceId = newTraceId()
    const refused = refusalOf(request, operator) ?? (await find(project, operator!))
    if (refused !== undefined) return send(refused)
    const ipfs = service()
    if (ipfs === undefined) return send(refuse('unavailable', 'no IPFS is served here: `ipfs` of the configuration'))
    const command = ipfs.commandOf(target.split('?', 1)[0]!)
    response.on('finish', () => metrics.ipfsAnswers(command, String(response.statusCode)).add())
    log.info({ operator: operator!.name, project, command, traceId }, 'an operator calls the IPFS API')
    const headers = { 'X-Trace-Id': traceId, [inert[0]]: inert[1], [inert[2]]: inert[3] }
    request.url = target
    ipfs.serve(request, response, { id: project }, headers, () =>
      send(
        refuse('unavailable', 'too many calls of the IPFS API run for this project (ipfs.maxCalls): try again later'),
      ),
    )

    /** A caller who still sends would lose an answer that ended the connection. */
    function send({ status, headers: named, body }: AdminResponse): void {
      response.writeHead(status, [...Object.entries(named).flat(), ...nosniff, 'X-Trace-Id', traceId])
      lingerOn(request, response, body, clock)
      response.once('finish', () => request.complete || request.socket.destroy())
    }
  }

  function refusalOf({ method }: IncomingMessage, operator: Operator | undefined): AdminResponse | undefined {
    if (operator === undefined)
      return refuse('unauthorized', 'an admin token is required: Authorization: Bearer <token>')
    if (!operator.scopes.some((scope) => scope === 'all' || scope === 'ipfs')) {
      return refuse('forbidden', `the admin token "${operator.name}" needs the scope ipfs or all`)
    }
    return method === 'POST' ? undefined : refuse('method_not_allowed', 'use POST')
  }
}
