import type { CallContext } from './context.ts'
import { RpcError } from './error.ts'
import {
  brokenBody,
  contextOf,
  type HttpHostOptions,
  type HttpRefusal,
  joined,
  json,
  lateBody,
  longBody,
  notPost,
  statusOf,
  usualBodyBytes,
} from './http-host.ts'
import type { RpcReply, RpcServer } from './server.ts'

/** The members that a listener needs of an `IncomingMessage`. */
export interface NodeRequest {
  readonly method?: string | undefined
  readonly headers: { readonly 'content-length'?: string | undefined }
  readonly readableEnded: boolean
  on(event: 'data', listener: (chunk: Uint8Array) => void): unknown
  on(event: 'end', listener: () => void): unknown
}

/** The members that a listener needs of a `ServerResponse`. */
export interface NodeResponse {
  readonly destroyed: boolean
  writeHead(status: number, headers: Readonly<Record<string, string>>): unknown
  end(body?: string | Uint8Array): unknown
  on(event: 'close', listener: () => void): unknown
}

/**
 * Serves JSON-RPC by POST where requests are those of `node:http`: `createServer`, Express, Fastify. A caller who leaves cancels the calls.
 * The body must not have been read before.
 */
export function toNodeListener<C extends CallContext = CallContext>(
  server: RpcServer<C>,
  options: HttpHostOptions<NodeRequest, C> = {},
): (request: NodeRequest, response: NodeResponse) => void {
  const { maxBodyBytes = usualBodyBytes } = options
  return (request, response) => {
    if (request.method !== 'POST') return refuse(response, notPost, { allow: 'POST' })
    if (request.readableEnded) return refuse(response, readBefore)
    if (Number(request.headers['content-length']) > maxBodyBytes) return refuseLong()
    const context = contextOf(request, options)
    let chunks: Uint8Array[] | undefined = []
    let length = 0
    const forget = context.onCancel(({ code }) => stop(code === 'timeout' ? lateBody : brokenBody))
    response.on('close', () => {
      context.cancel(new RpcError('aborted', 'the caller closed the connection'))
      context.release()
    })
    request.on('data', (chunk) => {
      length += chunk.byteLength
      if (length > maxBodyBytes) stop(longBody(maxBodyBytes))
      else chunks?.push(chunk)
    })
    request.on('end', () => {
      if (chunks === undefined) return
      const body = chunks.length === 1 ? chunks[0]! : joined(chunks)
      chunks = undefined
      forget()
      void server(body, context).then((reply) => send(response, reply))
    })

    /** Answers before the body has come. What still comes of it is dropped, and the connection ends behind the answer. */
    function stop(refusal: HttpRefusal): void {
      if (chunks === undefined) return
      chunks = undefined
      refuse(response, refusal, { connection: 'close' })
    }

    function refuseLong(): void {
      request.on('data', () => {})
      refuse(response, longBody(maxBodyBytes), { connection: 'close' })
    }
  }
}

const readBefore: HttpRefusal = {
  status: 500,
  body: 'the body was read before: serve this path in front of all parsers of bodies\n',
}

function refuse(
  response: NodeResponse,
  { status, body }: HttpRefusal,
  headers: Readonly<Record<string, string>> = {},
): void {
  if (response.destroyed) return
  response.writeHead(status, { ...json, ...headers })
  response.end(body)
}

function send(response: NodeResponse, reply: RpcReply): void {
  if (response.destroyed) return
  const { kind, body } = reply
  const status = statusOf(reply)
  if (kind === 'empty') {
    response.writeHead(status, { 'content-length': '0' })
    response.end()
    return
  }
  const whole = typeof body === 'string' ? body : joined(body as readonly Uint8Array[])
  const length = typeof whole === 'string' ? undefined : { 'content-length': String(whole.byteLength) }
  response.writeHead(status, { ...json, ...length })
  response.end(whole)
}
