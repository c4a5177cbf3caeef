import type { Digest } from '@wayleave/auth'
import type { Route } from './route.ts'

/** The last request of a connection, as far as the next one is mostly the same: its path and host, and the digest of its key. */
export interface LastRequest {
  /** Reads the route of a request. */
  route(url: string, host: string): Route
  /** Makes the digest of a key. */
  readonly digestOf: Digest
}

/**
 * Remembers the last request of each connection, for as long as the connection is open: most connections name one network and one key in all
 * of their requests. Nothing is remembered of what the key may do.
 */
export function rememberLast(
  read: (url: string, host: string) => Route,
  sha256: Digest,
): (connection: object) => LastRequest {
  const requests = new WeakMap<object, LastRequest>()
  return (connection) => {
    let last = requests.get(connection)
    if (last === undefined) requests.set(connection, (last = createLastRequest(read, sha256)))
    return last
  }
}

/** Longest path and host that an idle connection may hold, in characters together. */
const longestNamed = 512

function createLastRequest(read: (url: string, host: string) => Route, sha256: Digest): LastRequest {
  let named: { readonly url: string; readonly host: string; readonly route: Route } | undefined
  let hashed: { readonly text: string; readonly digest: string } | undefined
  return {
    route(url, host) {
      if (named?.url === url && named.host === host) return named.route
      const route = read(url, host)
      if (url.length + host.length <= longestNamed) named = { url, host, route }
      return route
    },
    digestOf(text) {
      // A copy: the text is cut out of a path that may be long.
      if (hashed?.text !== text) hashed = { text: Buffer.from(text).toString(), digest: sha256(text) }
      return hashed.digest
    },
  }
}
