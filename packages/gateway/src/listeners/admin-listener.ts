import type { RequestListener } from 'node:http'
import type { HttpAnswer } from '../errors.ts'
import type { Metrics } from '../metrics.ts'
import type { Probed } from '../serving.ts'
import { sendAnswer } from './http-answer.ts'
import { readiness } from './readiness.ts'

const plain = { contentType: 'text/plain; charset=utf-8', headers: [] } as const

/** Serves `/healthz`, `/readyz` (with the names of endpoints) and `/metrics` for operators. */
export function createAdminListener(metrics: Metrics, probed: Iterable<Probed>): RequestListener {
  return (request, response) => {
    const send = (answer: HttpAnswer): void => sendAnswer(response, answer, [])
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      return send({ ...plain, status: 405, body: 'use GET\n', headers: ['Allow', 'GET, HEAD'] })
    }
    if (request.url === '/healthz') return send({ ...plain, status: 200, body: 'ok\n' })
    if (request.url === '/readyz') return void readiness(probed, true).then(send)
    if (request.url !== '/metrics') {
      return send({ ...plain, status: 404, body: 'there are /healthz, /readyz and /metrics\n' })
    }
    metrics.print().then(
      (body) => {
        response.writeHead(200, { 'Content-Type': metrics.contentType })
        response.end(body)
      },
      () => send({ ...plain, status: 500, body: 'the metrics could not be read\n' }),
    )
  }
}
