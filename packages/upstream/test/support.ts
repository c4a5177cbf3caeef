import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { rawJsonFromValue, type RpcHandler, type RpcRequest, type RpcResponse } from '@wayleave/jsonrpc-core'

/** A real HTTP server that knows the connections it was given. */
export interface TestServer {
  readonly url: string
  readonly server: Server
  /** Connections accepted so far. */
  readonly accepted: number
  /** Connections open now. */
  readonly open: ReadonlySet<Socket>
  [Symbol.asyncDispose](): Promise<void>
}

export async function startServer(listener: RequestListener): Promise<TestServer> {
  const server = createServer(listener)
  const open = new Set<Socket>()
  let accepted = 0
  server.on('connection', (socket: Socket) => {
    accepted++
    open.add(socket)
    socket.on('close', () => open.delete(socket))
    socket.on('error', () => {})
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    server,
    get accepted() {
      return accepted
    },
    open,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

export async function textOf(body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of body) text += decoder.decode(chunk, { stream: true })
  return text + decoder.decode()
}

export const bodyOf = (request: IncomingMessage): Promise<string> => textOf(request as AsyncIterable<Uint8Array>)

export const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** Waits until `holds`; fails after fifteen seconds, which only say that it never will. */
export async function until(holds: () => boolean): Promise<void> {
  for (let i = 0; i < 3_000; i++) {
    if (holds()) return
    await sleep(5)
  }
  throw new Error(`it never came true: ${String(holds)}`)
}

export const call = (method: string, params: unknown = []): RpcRequest => ({
  method,
  params: rawJsonFromValue(params),
  notification: false,
})

export const answering =
  (value: unknown): RpcHandler =>
  async () => ({ result: rawJsonFromValue(value) })

export function resultOf(response: RpcResponse): unknown {
  if (response.result === undefined || 'streaming' in response.result) throw new Error('a whole result was expected')
  return response.result.value()
}

export async function rejectionOf(promise: Promise<unknown>): Promise<Error> {
  const outcome: unknown = await promise.then(
    () => new Error('it resolved'),
    (why: unknown) => why,
  )
  return outcome as Error
}
