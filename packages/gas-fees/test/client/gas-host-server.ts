import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { GasApi } from '@wayleave/gas-fees'
import { onTestFinished } from 'vitest'

/** A real HTTP server. */
export interface Host {
  readonly url: string
  /** `method path` of each request, with the authorization where one came. */
  readonly requests: string[]
  /** Ends every connection, as a restart does. */
  cut(): void
}

export async function startHost(
  answer: (request: IncomingMessage, response: ServerResponse) => void | Promise<void>,
): Promise<Host> {
  const requests: string[] = []
  const server = createServer((request, response) => {
    const { authorization } = request.headers
    requests.push(`${request.method} ${request.url}${authorization === undefined ? '' : ` ${authorization}`}`)
    void answer(request, response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(async () => {
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  })
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, requests, cut: () => server.closeAllConnections() }
}

/** Serves the gas API below any `/v3/<key>`, as a gateway does. */
export function serve(api: GasApi): (request: IncomingMessage, response: ServerResponse) => Promise<void> {
  return async ({ method = '', url = '', headers }, response) => {
    const path = url.replace(/^\/v3\/[^/]+/, '')
    const answer = await api({ method, path, headers })
    response.writeHead(answer.status, { ...answer.headers })
    if (typeof answer.body === 'string') return void response.end(answer.body)
    const events = answer.body[Symbol.asyncIterator]()
    response.once('close', () => void events.return?.())
    for (;;) {
      const { done, value } = await events.next()
      if (done === true) return void response.end()
      response.write(value)
    }
  }
}
