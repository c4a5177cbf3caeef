import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { type ClientOptions, WebSocket } from 'ws'
import { call, type RpcAnswer } from './http.ts'

interface Push {
  readonly method: string
  readonly params: { readonly subscription: string; readonly result: unknown }
}

/** A WebSocket that keeps its messages in the order in which they came. */
export interface TestSocket extends AsyncDisposable {
  readonly socket: WebSocket
  readonly messages: (RpcAnswer & Partial<Push>)[]
  /** The trace id of its upgrade; a node's has none. */
  readonly traceId: string | undefined
  /** Resolves with code and reason. */
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>
  /** Sends one call and waits for its answer. */
  ask(method: string, params?: readonly unknown[]): Promise<RpcAnswer>
  pushes(subscription?: unknown): unknown[]
}

export async function openSocket(url: string, options: ClientOptions = {}): Promise<TestSocket> {
  const socket = new WebSocket(url, options)
  const messages: TestSocket['messages'] = []
  const waiting = new Map<unknown, { resolve: (answer: RpcAnswer) => void; reject: (why: Error) => void }>()
  let lastId = 0
  let traceId: string | undefined
  socket.on('upgrade', ({ headers }) => void (traceId = headers['x-trace-id']?.toString()))
  socket.on('message', (data: Buffer) => {
    const message = JSON.parse(data.toString()) as RpcAnswer & Partial<Push>
    messages.push(message)
    waiting.get(message.id)?.resolve(message)
    waiting.delete(message.id)
  })
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    socket.on('close', (code, reason) => {
      for (const { reject } of waiting.values()) reject(new Error(`the socket closed with ${code}`))
      resolve({ code, reason: reason.toString() })
    })
  })
  await once(socket, 'open')
  socket.on('error', () => {})
  return {
    socket,
    messages,
    traceId,
    closed,
    ask(method, params = []) {
      const id = ++lastId
      socket.send(JSON.stringify(call(method, params, id)))
      return new Promise((resolve, reject) => void waiting.set(id, { resolve, reject }))
    },
    pushes: (subscription) =>
      messages.flatMap(({ params }) =>
        params !== undefined && (subscription === undefined || params.subscription === subscription)
          ? [params.result]
          : [],
      ),
    async [Symbol.asyncDispose]() {
      socket.terminate()
      await closed
    },
  }
}

/** How a WebSocket is refused: the HTTP answer to its upgrade. */
export async function refusedSocket(
  url: string,
  options: ClientOptions = {},
): Promise<{ status: number; head: string; text: string }> {
  const socket = new WebSocket(url, options)
  socket.on('error', () => {})
  const [, response] = (await once(socket, 'unexpected-response').catch((cause: unknown) => {
    throw new Error(`no HTTP answer refused ${new URL(url).pathname}`, { cause })
  })) as [unknown, IncomingMessage]
  let text = ''
  for await (const chunk of response.setEncoding('utf8') as AsyncIterable<string>) text += chunk
  return { status: response.statusCode!, head: response.rawHeaders.join('\n'), text }
}
