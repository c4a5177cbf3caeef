import type { RpcContext } from './context.ts'
import { RpcError } from './error.ts'
import type { HttpPort } from './http-port.ts'

/** An {@link HttpPort} over `fetch`. */
export function createFetchPort(fetch: typeof globalThis.fetch = globalThis.fetch): HttpPort {
  return async ({ url, headers, body }, context) => {
    let response: Response
    try {
      response = await fetch(url, {
        method: 'POST',
        headers: pairs(headers),
        body,
        signal: context.signal,
        // A redirect would turn the POST into a GET, or carry credentials elsewhere.
        redirect: 'manual',
      })
    } catch (cause) {
      throw context.cancelled ?? connectionError(cause)
    }
    return { status: response.status, headers: response.headers, body: readBody(response, context) }
  }
}

function pairs(flat: readonly string[]): [string, string][] {
  const list: [string, string][] = []
  for (let i = 0; i + 1 < flat.length; i += 2) list.push([flat[i]!, flat[i + 1]!])
  return list
}

async function* readBody(response: Response, context: RpcContext): AsyncGenerator<Uint8Array> {
  const reader = response.body?.getReader()
  if (reader === undefined) return
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      yield value
    }
  } catch (cause) {
    throw context.cancelled ?? new RpcError('disconnected', 'the connection broke while the response was read', { cause: withoutUrl(cause) })
  } finally {
    // Ends the exchange when the reader leaves early; nothing to do when it is over.
    reader.cancel().catch(() => {})
  }
}

/** Errors of the operating system that come before a byte is sent. */
const beforeSending = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'UND_ERR_CONNECT_TIMEOUT'])

function connectionError(thrown: unknown): RpcError {
  const cause = withoutUrl(thrown)
  const sent = cause === undefined || !beforeSending.has(cause.message)
  return sent
    ? new RpcError('disconnected', 'the connection broke before a response came', { cause })
    : new RpcError('connect', `no connection could be made (${cause.message})`, { cause, delivery: 'not_sent' })
}

/** The system's code for what went wrong; its own message may hold the URL. */
function withoutUrl(thrown: unknown): Error | undefined {
  const nested = (thrown as { cause?: { code?: unknown } } | undefined)?.cause?.code
  const code = nested ?? (thrown as { code?: unknown } | undefined)?.code
  return typeof code === 'string' ? new Error(code) : undefined
}
