import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

/** A call as it comes to a node. */
export interface Call {
  readonly id: number
  readonly method: string
  readonly params?: readonly unknown[]
}

/** Calls of a node, by method. */
export type CallCounts = Record<string, number>

/** Serves JSON-RPC on a free port, and counts the calls. Resolves with the URL. `resultOf`: the answer; undefined where there is no such method. */
export async function serveCalls(resultOf: (call: Call) => unknown, counts: CallCounts): Promise<string> {
  function answer(call: Call): object {
    const { id, method } = call
    counts[method] = (counts[method] ?? 0) + 1
    const result = resultOf(call)
    if (result !== undefined) return { jsonrpc: '2.0', id, result }
    return { jsonrpc: '2.0', id, error: { code: -32601, message: `the method ${method} does not exist` } }
  }

  const server = createServer({ keepAliveTimeout: 120_000 }, (request, response) => {
    request.on('error', () => {})
    response.on('error', () => {})
    void text(request).then((body) => {
      const received = JSON.parse(body) as Call | readonly Call[]
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify(Array.isArray(received) ? received.map(answer) : answer(received as Call)))
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
