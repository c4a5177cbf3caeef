import type { RequestListener } from 'node:http'
import type { Metrics } from '../metrics.ts'
import { sendAnswer } from './http-answer.ts'

const plain = { contentType: 'text/plain; charset=utf-8', headers: [] } as const

/** Serves `/healthz` and `/metrics` for operators. */
export function createAdminListener(metrics: Metrics): RequestListener {
  return (request, response) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      return sendAnswer(response, { ...plain, status: 405, body: 'use GET\n', headers: ['Allow', 'GET, HEAD'] }, [])
    }
    if (request.url === '/healthz') return sendAnswer(response, { ...plain, status: 200, body: 'ok\n' }, [])
    if (request.url !== '/metrics')
      return sendAnswer(response, { ...plain, status: 404, body: 'there are /healthz and /metrics\n' }, [])
    metrics.print().then(
      (body) => {
        response.writeHead(200, { 'Content-Type': metrics.contentType })
        response.end(body)
      },
      () => sendAnswer(response, { ...plain, status: 500, body: 'the metrics could not be read\n' }, []),
    )
  }
}
