import type { IncomingMessage, RequestListener } from 'node:http'
import { type Digest, sameDigest } from '@wayleave/auth'
import { type HttpAnswer, nosniff, plainAnswer, sendAnswer, useGet } from '../http/answer.ts'
import { createHttpListener, type HttpListener } from '../http/listener.ts'
import type { ListenerOptions } from '../listener-options.ts'
import { type Probed, readiness } from './health.ts'
import type { Metrics } from './metrics.ts'
import { metricsContentType } from './registry.ts'

export interface AdminOptions {
  readonly metrics: Metrics
  readonly probed: Iterable<Probed>
  /** Asked for by everything but health, as `Authorization: Bearer <token>`. Undefined: nothing is asked for. */
  readonly token: string | undefined
  readonly sha256: Digest
}

/** Creates the listener of operators; it speaks plain HTTP, also beside TLS. */
export function openAdminListener(
  options: Pick<ListenerOptions, 'limits' | 'clock' | 'log'> & AdminOptions & { readonly address: string },
): HttpListener {
  const { address, limits, clock, log } = options
  const server = { requestTimeout: limits.readTimeoutMs }
  return createHttpListener({
    name: 'The admin listener',
    address,
    onRequest: createAdminListener(options),
    server,
    clock,
    log,
  })
}

/** Serves operators: `/healthz`, `/readyz` with the names of endpoints, and `/metrics`. */
export function createAdminListener({ metrics, probed, token, sha256 }: AdminOptions): RequestListener {
  const digest = token === undefined ? undefined : sha256(token)

  function isOperator({ headers }: IncomingMessage): boolean {
    if (digest === undefined) return true
    const given = /^bearer +(.+)$/i.exec(headers.authorization ?? '')?.[1]
    return sameDigest(sha256(given ?? ''), digest) && given !== undefined
  }

  return (request, response) => {
    const send = (answer: HttpAnswer): void => sendAnswer(response, answer, nosniff)
    if (request.method !== 'GET' && request.method !== 'HEAD') return send(useGet())
    const path = request.url!.replace(/(?<=.)\/?(?:\?.*)?$/, '')
    if (path === '/healthz') return send(plainAnswer(200, 'ok\n'))
    if (path === '/readyz') return void readiness(probed, true).then(send)
    if (!isOperator(request)) return send(unauthorized)
    if (path !== '/metrics') return send(plainAnswer(404, 'there are /healthz, /readyz and /metrics\n'))
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

const unauthorized = plainAnswer(401, 'the admin token is required: Authorization: Bearer <admin.token>\n', [
  'WWW-Authenticate',
  'Bearer realm="admin"',
])
