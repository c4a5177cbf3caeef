import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

export interface FakeGateway {
  readonly url: string
  readonly requests: IncomingMessage[]
  answer: (response: ServerResponse, request: IncomingMessage) => void
}

export async function startGateway(answer: FakeGateway['answer']): Promise<FakeGateway> {
  const requests: IncomingMessage[] = []
  const server = createServer((request, response) => {
    requests.push(request)
    gateway.answer(response, request)
  })
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const gateway = { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests, answer }
  return gateway
}
