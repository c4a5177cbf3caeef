import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createLog } from '@wayleave/gateway'
import { expect, it, onTestFinished } from 'vitest'
import { createMetrics } from '../../src/telemetry/metrics.ts'
import { fail } from '../../src/rpc/call.ts'

it('a request that fails by a bug is answered with the trace id of its log line, and nothing of the bug', async () => {
  const lines: string[] = []
  const log = createLog({ level: 'error', destination: { write: (line) => void lines.push(line) } })
  const metrics = createMetrics()
  const server = createServer((request, response) =>
    fail(
      { options: { log, metrics }, request, response, traceId: 'the-id', headers: [] } as never,
      new TypeError('a detail'),
    ),
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const answer = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  expect([answer.status, await answer.json()]).toEqual([
    500,
    { jsonrpc: '2.0', id: null, error: { code: -32603, message: 'internal error', data: { traceId: 'the-id' } } },
  ])
  expect(metrics.print()).toContain('wayleave_refusals_total{status="500"} 1')
  expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([
    { traceId: 'the-id', err: { message: 'a detail' } },
  ])
})
