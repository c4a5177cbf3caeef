import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import type { Socket } from 'node:net'
import { WebSocket } from 'ws'
import type { Door } from './deployment.ts'

/** An HTTP answer as it came. */
export interface Answer {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly text: string
}

export interface AskOptions {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | undefined
}

/** Asks over connections that one process holds. */
export interface HttpCaller extends Disposable {
  ask(path: string, options?: AskOptions): Promise<Answer>
}

/** Tries of a new connection until it is one of the wanted process: each has one chance in two. */
const mostTries = 60

/** Makes a caller whose every request is served by the process of `door`. */
export function httpCaller(door: Door): HttpCaller {
  let agent = new Agent({ keepAlive: true, maxSockets: 1 })

  async function send(
    path: string,
    { method = 'POST', headers = {}, body }: AskOptions,
  ): Promise<Answer & { port: number }> {
    const asked = request(`${door.rpc}${path}`, {
      method,
      agent,
      headers: { 'content-type': 'application/json', ...headers },
    })
    asked.end(body)
    const [response] = (await once(asked, 'response')) as [IncomingMessage]
    const port = asked.socket!.localPort!
    let text = ''
    for await (const chunk of response.setEncoding('utf8') as AsyncIterable<string>) text += chunk
    return { status: response.statusCode!, headers: response.headers, text, port }
  }

  /** Whether a connection is kept; a new one may be of another process. */
  const isConnected = (): boolean => Object.values(agent.freeSockets).some((sockets) => (sockets ?? []).length > 0)

  async function connect(): Promise<void> {
    for (let i = 0; i < mostTries; i++) {
      if (isConnected()) return
      const { port } = await send('/healthz', { method: 'GET' })
      if (await door.holds(port)) continue
      agent.destroy()
      agent = new Agent({ keepAlive: true, maxSockets: 1 })
    }
    throw new Error('no connection came to the wanted process')
  }

  return {
    async ask(path, options = {}) {
      await connect()
      return send(path, options)
    },
    [Symbol.dispose]: () => agent.destroy(),
  }
}

/** A WebSocket that one process holds, with its messages in the order in which they came. */
export interface SocketCaller extends Disposable {
  readonly messages: readonly string[]
  /** Sends a text and resolves with the answer of its id, which the text must have. */
  ask(method: string, params?: unknown): Promise<string>
  /** Resolves when so many notifications of a subscription have come; false after three seconds without them. */
  pushed(subscription: string, count: number): Promise<boolean>
  /** The notifications of a subscription so far. */
  pushes(subscription: string): readonly string[]
}

/** Opens a WebSocket to the process of `door`. */
export async function socketCaller(
  door: Door,
  path: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<SocketCaller> {
  for (let i = 0; i < mostTries; i++) {
    const socket = new WebSocket(`${door.ws}${path}`, { headers })
    let port = 0
    socket.on('upgrade', (response) => void (port = (response.socket as Socket).localPort!))
    await once(socket, 'open')
    if (await door.holds(port)) return callerOver(socket)
    socket.terminate()
  }
  throw new Error('no WebSocket came to the wanted process')
}

function callerOver(socket: WebSocket): SocketCaller {
  const messages: string[] = []
  const waiting = new Set<() => void>()
  let last = 0
  socket.on('error', () => {})
  socket.on('message', (data: Buffer) => {
    messages.push(data.toString())
    for (const look of waiting) look()
  })

  /** Resolves with the first value that `find` has, or with undefined after `ms`. */
  function wait<T>(find: () => T | undefined, ms: number): Promise<T | undefined> {
    return new Promise((resolve) => {
      const end = (found: T | undefined): void => {
        clearTimeout(timer)
        waiting.delete(look)
        resolve(found)
      }
      const look = (): void => {
        const found = find()
        if (found !== undefined) end(found)
      }
      const timer = setTimeout(() => end(undefined), ms)
      waiting.add(look)
      look()
    })
  }

  const pushes = (subscription: string): readonly string[] =>
    messages.filter((text) => new RegExp(`"subscription(_id)?":"?${subscription}"?[,}]`).test(text))
  return {
    messages,
    async ask(method, params = []) {
      const id = ++last
      socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }))
      const answer = await wait(() => messages.find((text) => (JSON.parse(text) as { id?: unknown }).id === id), 20_000)
      if (answer === undefined) throw new Error(`${method} got no answer`)
      return answer
    },
    pushes,
    pushed: async (subscription, count) =>
      (await wait(() => (pushes(subscription).length >= count ? true : undefined), 3_000)) === true,
    [Symbol.dispose]: () => socket.terminate(),
  }
}
