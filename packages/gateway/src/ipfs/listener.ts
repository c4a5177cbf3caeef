import { type IncomingMessage, type RequestListener, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { RefusalAnswer } from '@wayleave/metering'
import {
  commonHeaders,
  type CreateListener,
  type HttpAnswer,
  type HttpListener,
  type HttpListenerOptions,
  onceAdmitted,
  type PageRights,
  plainAnswer,
  sendEarly,
  sendPreflight,
} from '@wayleave/http-server'
import { errorClass } from '@wayleave/telemetry'
import type { Admitted } from '../admission.ts'
import { deniedBySettings, refusalAnswer, twoKeys } from '../errors.ts'
import { callerLeftStatus, type MeteredRequest, meterRequest } from '../metering/meter-request.ts'
import type { MeteredPlace } from '../metering/metering.ts'
import type { Principal } from '../principal.ts'
import type { CallerRefusal, Refusal } from '../refusal.ts'
import type { ListenerOptions } from '../listener-options.ts'
import { createIpfsService, type IpfsService, type IpfsServiceOptions } from './service.ts'
import { readHead } from '../request-head.ts'

/** The IPFS API with its listener, which does not listen yet. */
export interface OpenIpfsApi {
  readonly listener: HttpListener
  readonly service: IpfsService
}

/** Longest heads of a request together, in bytes. */
const longestHead = 16_384
/** Most requests of one connection, which is then made anew: those that come without waiting for answers all begin at once. */
const mostRequests = 1_000

/** Opens the IPFS API. @throws ConfigError where the backend cannot be opened */
export async function openIpfsApi(
  options: ListenerOptions &
    Omit<IpfsServiceOptions, 'clock' | 'log' | 'metrics'> &
    Pick<HttpListenerOptions, 'address' | 'socket'> & { readonly createListener: CreateListener },
): Promise<OpenIpfsApi> {
  const { address, tls, limits, metrics, clock, log } = options
  const { readTimeoutMs } = limits
  const service = await createIpfsService(options)
  const listener = options.createListener({
    name: 'The IPFS API',
    address,
    socket: options.socket,
    onRequest: createIpfsApiListener({ ...options, service }),
    server: {
      // An upload may take as long as it takes; the service cuts those that stall.
      requestTimeout: 0,
      connectionsCheckingInterval: Math.min(5_000, readTimeoutMs / 4),
      keepAliveTimeout: 65_000,
      maxHeaderSize: longestHead,
    },
    tls,
    limits: () => ({ maxConnections: limits.maxConnections, headersTimeout: limits.readTimeoutMs }),
    onDrop: () => metrics.droppedConnections().add(),
    clock,
    log,
  })
  listener.server.maxRequestsPerSocket = mostRequests
  // Each request of a connection listens for its end; Node would warn of them.
  const expectListeners = (socket: Socket): void => void socket.setMaxListeners(4 * mostRequests)
  listener.server.on('connection', expectListeners)
  listener.server.on('secureConnection', expectListeners)
  return { listener, service }
}

const exposed =
  'X-Stream-Output, X-Chunked-Output, X-Content-Length, X-Trace-Id, Retry-After, RateLimit-Policy, RateLimit'
const pageRights: PageRights = {
  methods: 'POST, OPTIONS',
  headers: 'Authorization, X-Api-Key, Content-Type, User-Agent, X-Stream-Output, X-Chunked-Output, X-Content-Length',
}

/** Serves the IPFS API over HTTP (Spec §4.12) to callers with a key and its secret (Spec §5). */
function createIpfsApiListener(options: ListenerOptions & { readonly service: IpfsService }): RequestListener {
  const { admission, service, metering, clock, newTraceId, log, metrics } = options
  return (request, response) => {
    const head = readHead(request.rawHeaders)
    const { origin } = head
    const traceId = newTraceId()
    const headers = commonHeaders(origin, traceId, exposed)
    const path = (request.url ?? '/').split('?', 1)[0]!
    const command = service.commandOf(path)
    response.on('finish', () => {
      metrics.ipfsAnswers(command, String(response.statusCode)).add()
      // Nothing else ends the body of a stranger who never does.
      if (!request.complete) request.socket.destroy()
    })
    const refuse = (answer: HttpAnswer, sent = headers): void => {
      metrics.refusals(String(answer.status)).add()
      sendEarly(request, response, answer, sent, clock)
    }
    /** A page from elsewhere is not given leave to read its refusal. */
    const withoutForeigner = ({ refused }: Refusal): string[] =>
      refused === 'foreign' ? commonHeaders(undefined, traceId, exposed) : headers
    const wrong = admission.refuseHead(head)
    if (wrong !== undefined) return refuse(headRefusal(wrong), withoutForeigner(wrong))
    if (request.method === 'OPTIONS') {
      response.setHeader('Allow', 'OPTIONS, POST')
      return sendPreflight(response, origin, traceId, pageRights)
    }
    if (request.method !== 'POST') return refuse(notPost)
    const admitted = admission.admit({ kind: 'ipfs' }, head, { socket: request.socket, traceId })
    if (!(admitted instanceof Promise)) return serve(admitted)
    onceAdmitted(request, admitted, serve, (err) => fail(err, 'looked up'))

    function fail(err: unknown, what: string): void {
      log.repeats.error(
        ['ipfs-caller', errorClass(err)],
        { traceId, err },
        `a caller of the IPFS API could not be ${what}`,
      )
      refuse(plainAnswer(500, 'internal error\n'))
    }

    function serve(caller: Admitted | CallerRefusal): void {
      if ('refused' in caller) return refuse(ipfsRefusal(caller))
      const { principal } = caller
      const metered = meterRequest(metering.callerOf(principal, ipfsPlace), command, metering.prices)
      if (!(metered instanceof Promise)) return serveMetered(principal, metered)
      onceAdmitted(
        request,
        metered,
        (late) => serveMetered(principal, late),
        (err) => fail(err, 'metered'),
        (late) => late.settle(callerLeftStatus),
      )
    }

    function serveMetered(principal: Principal, metered: MeteredRequest): void {
      headers.push(...metered.headers)
      if (metered.refused !== undefined) return refuse(limitRefusal(metered.refused))
      settleAtEnd(request, response, metered)
      service.serve(request, response, principal.project, recordOf(headers), () => refuse(busy))
    }
  }
}

/** The commands that it names are folded already. */
const ipfsPlace: MeteredPlace = { network: 'ipfs', kind: 'ipfs', methods: { has: () => true } }

/** Settles a call when its answer was sent, or its caller has left. */
function settleAtEnd({ socket }: IncomingMessage, response: ServerResponse, metered: MeteredRequest): void {
  const settle = (): void => {
    socket.off('close', settle)
    metered.settle(response.writableFinished ? response.statusCode : callerLeftStatus)
  }
  response.on('close', settle)
  // An answer that waits behind another one gets no `close` when its connection has gone.
  socket.on('close', settle)
}

function limitRefusal({ error, retryAfterSeconds }: RefusalAnswer): HttpAnswer {
  const headers = retryAfterSeconds === undefined ? [] : ['Retry-After', String(retryAfterSeconds)]
  return plainAnswer(429, `${error.message}\n`, headers)
}

/** Worded as Kubo does. */
const notPost: HttpAnswer = plainAnswer(405, '405 - Method Not Allowed\n', ['Allow', 'OPTIONS, POST'])

/** Words a refusal of a head as Kubo does: `403 - Forbidden` for a page from elsewhere. */
function headRefusal(refusal: Refusal): HttpAnswer {
  const { status } = refusalAnswer(refusal)
  return plainAnswer(status, `${status} - ${STATUS_CODES[status]}\n`)
}

const busy: HttpAnswer = plainAnswer(
  503,
  'too many calls of the IPFS API run for this project (ipfs.maxCalls): try again later\n',
  ['Retry-After', '5'],
)

/** The texts that clients of this kind of service match on. */
function ipfsRefusal(refusal: CallerRefusal): HttpAnswer {
  const basic = ['WWW-Authenticate', 'Basic realm="IPFS"']
  switch (refusal.refused) {
    case 'no_key':
      return plainAnswer(401, 'project id required\n', basic)
    case 'two_keys':
      return plainAnswer(400, `${twoKeys}\n`)
    case 'denied':
      return plainAnswer(403, `${deniedBySettings.message}\n`)
    case 'wrong_token':
    case 'token_required':
      return plainAnswer(401, 'invalid JWT\n', ['WWW-Authenticate', 'Bearer realm="IPFS"'])
    case 'unknown_key':
    case 'revoked':
    case 'wrong_secret':
    case 'secret_required':
    // No network is wanted here, so none is denied.
    case 'denied_network':
      return plainAnswer(401, 'basic auth failure: invalid project id or project secret\n', basic)
  }
}

function recordOf(flat: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(flat.flatMap((name, i) => (i % 2 === 0 ? [[name, flat[i + 1]!]] : [])))
}
