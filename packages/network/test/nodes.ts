import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createContext, createRpcServer, rawJsonFromValue, type RpcHandler } from '@wayleave/jsonrpc-core'

/** A node: a real HTTP server that answers by a handler. */
export interface TestNode {
  readonly url: string
  /** Methods of the calls that arrived. */
  readonly calls: string[]
  /** Headers of the requests that arrived. */
  readonly headers: Record<string, unknown>[]
  /** Requests whose connection ended before their answer. */
  readonly cut: number
  close(): Promise<void>
}

/** Starts a node that answers with the method's name and its params, or as `handler` says. */
export async function startNode(handler: RpcHandler = echo): Promise<TestNode> {
  return startNodeWith(async (incoming, response, calls) => {
    const server = createRpcServer((rpcRequest, context) => {
      calls.push(rpcRequest.method)
      return handler(rpcRequest, context)
    })
    const { body } = await server(await readAll(incoming), createContext({ timeoutMs: 60_000 }))
    response.setHeader('content-type', 'application/json')
    if (typeof body === 'string') response.end(body)
    else {
      for await (const chunk of body) response.write(chunk)
      response.end()
    }
  })
}

export async function startNodeWith(
  listener: (request: IncomingMessage, response: ServerResponse, calls: string[]) => unknown,
): Promise<TestNode> {
  const calls: string[] = []
  const headers: Record<string, unknown>[] = []
  let cut = 0
  const server = createServer((request, response) => {
    headers.push(request.headers)
    response.on('close', () => {
      if (!response.writableFinished) cut++
    })
    void listener(request, response, calls)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    headers,
    get cut() {
      return cut
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

const echo: RpcHandler = async ({ method, params }) => ({
  result: rawJsonFromValue({ method, params: params?.value() }),
})

export async function readAll(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}
