import type { RpcContext } from './context.ts'
import { RpcError } from './error.ts'
import type { HttpPort } from './http-port.ts'
import { portFailure } from './port-failure.ts'

/** Makes an {@link HttpPort} over `fetch`. */
export function createFetchPort(fetch: typeof globalThis.fetch = globalThis.fetch): HttpPort {
  return async ({ url, headers, body }, context) => {
    const pairs = headers.flatMap((value, i): [string, string][] => (i % 2 ? [[headers[i - 1]!, value]] : []))
    let response: Response
    try {
      // A redirect would turn the POST into a GET, or carry credentials elsewhere.
      response = await fetch(url, { method: 'POST', headers: pairs, body, signal: context.signal, redirect: 'manual' })
    } catch (thrown) {
      throw context.cancelled ?? (isFetchable(url) ? portFailure(thrown, 'before a response came') : urlRefused())
    }
    return { status: response.status, headers: response.headers, body: bodyOf(response, context) }
  }
}

function isFetchable(url: string): boolean {
  try {
    // In browsers a URL may be relative.
    const { protocol, username, password } = new URL(url, globalThis.location?.href)
    return protocol.startsWith('http') && username + password === ''
  } catch {
    return false
  }
}

function urlRefused(): RpcError {
  return new RpcError('connect', 'an http or https URL without user and password was expected', {
    delivery: 'not_sent',
  })
}

/** Reads a body. A generator would not do: its `return` would wait for a read that may never end. */
function bodyOf(response: Response, context: RpcContext): readonly Uint8Array[] | AsyncIterable<Uint8Array> {
  const reader = response.body?.getReader()
  if (reader === undefined) return []
  const iterator: AsyncIterableIterator<Uint8Array> = {
    async next() {
      try {
        return (await reader.read()) as IteratorResult<Uint8Array>
      } catch (thrown) {
        throw context.cancelled ?? portFailure(thrown, 'while the response was read')
      }
    },
    async return() {
      // Ends the exchange, and with it a read that waits.
      reader.cancel().catch(() => {})
      return { done: true, value: undefined }
    },
    [Symbol.asyncIterator]: () => iterator,
  }
  return iterator
}
