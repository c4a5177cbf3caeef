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

/** Serves JSON-RPC by POST where requests are `Request`s: Hono, Workers, Bun, Deno, Next. A caller who leaves cancels the calls. */
export function toFetchHandler<C extends CallContext = CallContext>(
  server: RpcServer<C>,
  options: HttpHostOptions<Request, C> = {},
): (request: Request) => Promise<Response> {
  const { maxBodyBytes = usualBodyBytes } = options
  return async (request) => {
    if (request.method !== 'POST') return refuse(notPost, { allow: 'POST' })
    const context = contextOf(request, options)
    const { signal } = request
    const leave = (): void => context.cancel(new RpcError('aborted', 'the caller closed the connection'))
    signal.addEventListener('abort', leave)
    try {
      const body = await readBody(request, maxBodyBytes, context)
      if ('status' in body) return refuse(body)
      return answer(await server(body, context))
    } finally {
      signal.removeEventListener('abort', leave)
      context.release()
    }
  }
}

function refuse({ status, body }: HttpRefusal, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(body, { status, headers: { ...json, ...headers } })
}

function answer(reply: RpcReply): Response {
  const { kind, body } = reply
  const status = statusOf(reply)
  if (kind === 'empty') return new Response(null, { status })
  const whole = typeof body === 'string' ? body : joined(body as readonly Uint8Array[])
  return new Response(whole, { status, headers: json })
}

/** Reads a body up to `cap` bytes, as long as the call is wanted. */
async function readBody(request: Request, cap: number, context: CallContext): Promise<Uint8Array | HttpRefusal> {
  if (Number(request.headers.get('content-length')) > cap) return longBody(cap)
  const reader = request.body?.getReader()
  if (reader === undefined) return new Uint8Array()
  const forget = context.onCancel(() => void reader.cancel().catch(() => {}))
  const chunks: Uint8Array[] = []
  let length = 0
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      length += part.value.byteLength
      if (length > cap) {
        void reader.cancel().catch(() => {})
        return longBody(cap)
      }
      chunks.push(part.value)
    }
  } catch {
    return brokenBody
  } finally {
    forget()
  }
  if (context.cancelled !== undefined) return context.cancelled.code === 'timeout' ? lateBody : brokenBody
  return chunks.length === 1 ? chunks[0]! : joined(chunks)
}
