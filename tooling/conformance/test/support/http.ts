import { once } from 'node:events'
import { type Agent, type ClientRequest, type IncomingMessage, request as openRequest } from 'node:http'

export interface HttpReply {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly body: Buffer
  readonly text: string
}

export interface PostOptions {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly agent?: Agent
}

/** Begins a POST on a connection of its own, unless an agent is given. */
export function openPost(
  url: string,
  body: unknown,
  { method = 'POST', headers = {}, agent }: PostOptions = {},
): ClientRequest {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const request = openRequest(url, {
    method,
    headers: { 'content-type': 'application/json', ...headers },
    agent: agent ?? false,
  })
  // Who waits for the response hears of an error; after it, one only says that the rest of the body is not read.
  request.on('error', () => {})
  request.end(method === 'POST' ? text : undefined)
  return request
}

/** One POST, read to its end. Rejects where the connection breaks before. */
export async function post(url: string, body: unknown, options: PostOptions = {}): Promise<HttpReply> {
  const request = openPost(url, body, options)
  const [response] = (await once(request, 'response').catch((cause: unknown) => {
    throw new Error(`${request.method} ${request.path} got no answer`, { cause })
  })) as [IncomingMessage]
  const chunks: Buffer[] = []
  for await (const chunk of response as AsyncIterable<Buffer>) chunks.push(chunk)
  const whole = Buffer.concat(chunks)
  return { status: response.statusCode!, headers: response.headers, body: whole, text: whole.toString() }
}

export interface RpcAnswer {
  readonly jsonrpc: string
  readonly id: unknown
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown }
}

export function call(method: string, params: readonly unknown[] = [], id: number | string = 1): object {
  return { jsonrpc: '2.0', id, method, params }
}

/** The JSON-RPC answer to one call; throws an error answer. */
export async function ask(url: string, method: string, params: readonly unknown[] = []): Promise<unknown> {
  const { text } = await post(url, call(method, params))
  const { result, error } = JSON.parse(text) as RpcAnswer
  if (error !== undefined) throw new Error(`${method}: ${error.code} ${error.message}`)
  return result
}
