import type { HttpPort, HttpRequest, SocketPort } from '@wayleave/jsonrpc-core'
import { unlessAborted } from '../unless-aborted.ts'
import { unlessCancelled } from '../unless-cancelled.ts'
import { bearerSocket } from './bearer-socket.ts'
import { createTokenSource, type TokenProvider, type TokenSource } from './token-source.ts'

/** The ways in which a client sends its JWTs. */
export interface Bearer extends Pick<TokenSource, 'take'> {
  readonly http: HttpPort
  readonly connect: SocketPort
  readonly fetch: typeof globalThis.fetch
}

/** Makes the ways of one token, or of one provider, over the platform's. `note` is called with each token before it is sent. */
export function createBearer(
  token: string | TokenProvider,
  note: (token: string) => void,
  http: HttpPort,
  connect: SocketPort,
): Bearer {
  const tokens = noted(createTokenSource(token), note)
  return {
    take: tokens.take,
    http: bearerPort(tokens, http),
    connect: bearerSocket(tokens, connect),
    fetch: bearerFetch(tokens),
  }
}

function noted(tokens: TokenSource, note: (token: string) => void): TokenSource {
  return {
    ...tokens,
    take() {
      const token = tokens.take()
      if (typeof token === 'string') note(token)
      else token.then(note, () => {})
      return token
    },
  }
}

/** Makes an {@link HttpPort} that sends a JWT with each POST, and sends one that was refused with 401 once more with another JWT. */
function bearerPort(tokens: TokenSource, http: HttpPort): HttpPort {
  return async (request, context) => {
    const take = async (): Promise<string> => unlessCancelled(Promise.resolve(tokens.take()), context)
    const token = await take()
    const reply = await http(withToken(request, token), context)
    // A 401 was not considered, so even a write may be sent again.
    if (reply.status !== 401 || !tokens.refuse(token)) return reply
    const other = await take()
    if (other === token) return reply
    if (Symbol.asyncIterator in reply.body) await reply.body[Symbol.asyncIterator]().return?.()
    return http(withToken(request, other), context)
  }
}

function withToken(request: HttpRequest, token: string): HttpRequest {
  return { ...request, headers: [...request.headers, 'authorization', `Bearer ${token}`] }
}

/**
 * Makes a `fetch` that sends a JWT likewise, except that it cannot repeat a body that is read as it is sent. A refusal that repeats the
 * token comes without it.
 */
function bearerFetch(tokens: TokenSource): typeof globalThis.fetch {
  return async (input, init = {}) => {
    const send = async (token: string): Promise<Response> => {
      const headers = new Headers(init.headers)
      headers.set('authorization', `Bearer ${token}`)
      return globalThis.fetch(input, { ...init, headers })
    }
    const token = await unlessAborted(tokens.take(), init.signal)
    const response = await send(token)
    if (response.status !== 401 || !tokens.refuse(token) || init.body instanceof ReadableStream) {
      return withoutToken(response, token)
    }
    const other = await unlessAborted(tokens.take(), init.signal)
    if (other === token) return withoutToken(response, token)
    await response.body?.cancel()
    return withoutToken(await send(other), other)
  }
}

/** Longest refusal that is read, in characters. */
const longestRefusal = 65_536

/** Takes the token out of a refusal, which may repeat the headers of its request. */
async function withoutToken(response: Response, token: string): Promise<Response> {
  const { status, statusText, headers } = response
  if (status < 400 || response.body === null) return response
  const decoder = new TextDecoder()
  let text = ''
  const reader = response.body.getReader()
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    text += decoder.decode(read.value, { stream: true })
    if (text.length > longestRefusal) {
      await reader.cancel()
      break
    }
  }
  return new Response(text.replaceAll(token, '…'), { status, statusText, headers })
}
