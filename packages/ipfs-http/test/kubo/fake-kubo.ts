import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import type { IpfsBackend } from '../../src/backend.ts'
import { createKuboBackend } from '../../src/kubo/index.ts'

export interface FakeKubo {
  readonly backend: IpfsBackend
  readonly url: string
  /** Command and query of each request that came. */
  readonly asked: string[]
  /** How many answers ended before they were whole. */
  readonly cut: () => number
}

/** The backend over a server that answers as it is told, for the length of a test. */
export async function fakeKubo(
  answer: (request: IncomingMessage, response: ServerResponse) => unknown,
  credentials = '',
): Promise<FakeKubo> {
  const asked: string[] = []
  let cut = 0
  const server = createServer((request, response) => {
    asked.push(request.url!.replace('/api/v0/', ''))
    response.on('close', () => {
      if (!response.writableFinished) cut++
    })
    void answer(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://${credentials}127.0.0.1:${(server.address() as AddressInfo).port}`
  const backend = createKuboBackend({ url })
  onTestFinished(async () => {
    await backend.close()
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  return { backend, url, asked, cut: () => cut }
}

/** What Kubo says where a command failed. */
export function refuse(response: ServerResponse, message: string, status = 500): void {
  response
    .writeHead(status, { 'Content-Type': 'application/json' })
    .end(JSON.stringify({ Message: message, Code: 0, Type: 'error' }))
}
