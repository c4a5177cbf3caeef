import type { RpcContext } from './context.ts'
import { RpcError } from './error.ts'
import type { HttpPort } from './http-port.ts'
import { portFailure } from './port-failure.ts'

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
    } catch (thrown) {
      throw context.cancelled ?? (isFetchable(url) ? portFailure(thrown, 'before a response came') : urlRefused())
    }
    return { status: response.status, headers: response.headers, body: bodyOf(response, context) }
  }
}

function pairs(flat: readonly string[]): [string, string][] {
  const list: [string, string][] = []
  for (let i = 0; i + 1 < flat.length; i += 2) list.push([flat[i]!, flat[i + 1]!])
  return list
}

function isFetchable(url: string): boolean {
  // In browsers a URL may be relative.
  const base = (globalThis.location as Location | undefined)?.href
  if (!URL.canParse(url, base)) return false
  const { protocol, username, password } = new URL(url, base)
  return /^https?:$/.test(protocol) && username === '' && password === ''
}

function urlRefused(): RpcError {
  const message = 'an http or https URL without user and password was expected; give them as an authorization header'
  return new RpcError('connect', message, { delivery: 'not_sent' })
}

/** No generator: its `return` would wait for a read that may never end. */
function bodyOf(response: Response, context: RpcContext): readonly Uint8Array[] | AsyncIterable<Uint8Array> {
  if (response.body === null) return []
  const reader = response.body.getReader()
  const iterator: AsyncIterator<Uint8Array> = {
    async next() {
      try {
        return (await reader.read()) as IteratorResult<Uint8Array>
      } catch (thrown) {
        throw context.cancelled ?? portFailure(thrown, 'while the response was read')
      }
    },
    async return() {
      // Ends the exchange; a read that waits is over, too.
      reader.cancel().catch(() => {})
      return { done: true, value: undefined }
    },
  }
  return { [Symbol.asyncIterator]: () => iterator }
}
