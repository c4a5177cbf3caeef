import type { RequestListener } from 'node:http'
import type { AuthFailure, AuthResult } from '@wayleave/auth'
import type { HttpAnswer } from '../errors.ts'
import { authenticateIpfs } from '../ipfs/authenticate-ipfs.ts'
import type { IpfsService } from '../ipfs/ipfs-service.ts'
import { isLocal } from '../routes/local.ts'
import { foreigner, type Serving, twoHosts } from '../serving.ts'
import { commonHeaders, type PageRights, sendEarly, sendPreflight } from './http-answer.ts'
import { readHead } from './request-head.ts'

/** What the listener of the IPFS API shares with that of JSON-RPC. */
type IpfsServing = Pick<Serving, 'authenticate' | 'onlyLocal' | 'clock' | 'newTraceId' | 'refused' | 'log'> & {
  readonly ipfs: IpfsService
  /** Hears of each answer, by the command of the path and HTTP status. */
  readonly ipfsAnswered: (command: string, status: number) => void
}

const exposed = 'X-Stream-Output, X-Chunked-Output, X-Content-Length, X-Trace-Id'
const pageRights: PageRights = {
  methods: 'POST, OPTIONS',
  headers: 'Authorization, Content-Type, User-Agent, X-Stream-Output, X-Chunked-Output, X-Content-Length',
}

const commands =
  /^\/api\/v0\/(add|cat|get|version|id|pin\/(?:add|rm|ls|update)|block\/(?:get|put|stat)|dag\/(?:get|put|resolve|import|export))$/

/** Serves the IPFS API over HTTP (Spec §4.12) to who has a key and its secret (Spec §5). */
export function createIpfsApiListener(serving: IpfsServing): RequestListener {
  return (request, response) => {
    const head = readHead(request.rawHeaders)
    const { origin } = head
    const traceId = serving.newTraceId()
    const headers = commonHeaders(origin, traceId, exposed)
    const path = (request.url ?? '/').split('?', 1)[0]!
    const command = commands.exec(path)?.[1] ?? 'other'
    response.on('finish', () => {
      serving.ipfsAnswered(command, response.statusCode)
      // Nothing else ends a body that never does, of somebody who is nobody here.
      if (!request.complete) request.socket.destroy()
    })
    const refuse = (answer: HttpAnswer): void => {
      serving.refused(answer.status)
      sendEarly(request, response, answer, headers, serving.clock)
    }
    if (head.hasTwoHosts) return refuse(twoHosts)
    if (serving.onlyLocal && !isLocal(head.host, origin)) return refuse(foreigner)
    if (request.method === 'OPTIONS') {
      response.setHeader('Allow', 'OPTIONS, POST')
      return sendPreflight(response, origin, traceId, pageRights)
    }
    if (request.method !== 'POST') return refuse(notPost)
    const result = authenticateIpfs(serving.authenticate, head.authorization)
    if (!(result instanceof Promise)) return serve(result)
    result.then(serve, (err: unknown) => {
      serving.log.error({ traceId, err }, 'a caller of the IPFS API could not be looked up')
      refuse(plain(500, 'internal error\n'))
    })

    function serve({ failure, project }: AuthResult): void {
      if (failure !== undefined) return refuse(unauthorized(failure))
      serving.ipfs.serve(request, response, project, recordOf(headers))
    }
  }
}

/** As Kubo words it. */
const notPost: HttpAnswer = plain(405, '405 - Method Not Allowed\n', ['Allow', 'OPTIONS, POST'])

/** The texts that clients of this kind of service match on. */
function unauthorized(failure: AuthFailure): HttpAnswer {
  const text =
    failure === 'no_key' ? 'project id required\n' : 'basic auth failure: invalid project id or project secret\n'
  return plain(401, text, ['WWW-Authenticate', 'Basic realm="IPFS"'])
}

function plain(status: number, body: string, headers: readonly string[] = []): HttpAnswer {
  const nosniff = ['X-Content-Type-Options', 'nosniff']
  return { status, contentType: 'text/plain; charset=utf-8', body, headers: [...nosniff, ...headers] }
}

function recordOf(flat: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(flat.flatMap((name, i) => (i % 2 === 0 ? [[name, flat[i + 1]!]] : [])))
}
