import { RpcError } from './error.ts'

/** Failures of name look-up, connection and TLS handshake: they come before a byte of the request is sent. */
const beforeSending =
  /^(?:E(?:CONNREFUSED|NOTFOUND|AI_|HOSTUNREACH|NETUNREACH)|UND_ERR_CONNECT_|CERT_|ERR_TLS_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_)/

/**
 * What a platform or a port threw, as an {@link RpcError}: itself if it is one. Of anything else only the system's code or
 * the error's name is kept, because messages may hold the URL. `doing` completes "the connection broke …".
 */
export function portFailure(thrown: unknown, doing: string): RpcError {
  if (thrown instanceof RpcError) return thrown
  const { code, cause: inner, name, syscall } = (thrown ?? {}) as Thrown
  const words = [inner?.code, code, name, 'Error']
  const what = words.find((word) => typeof word === 'string' && /^[A-Za-z]\w{0,63}$/.test(word)) as string
  const cause = new Error(what)
  // A connection that was open loses its route by the same codes, reading or writing.
  return beforeSending.test(what) && !/^(?:read|write)/.test(`${inner?.syscall ?? syscall}`)
    ? new RpcError('connect', `no connection could be made (${what})`, { cause, delivery: 'not_sent' })
    : new RpcError('disconnected', `the connection broke ${doing} (${what})`, { cause })
}

/** What a system's error may say, or what `fetch` wraps it in. */
interface Thrown {
  readonly code?: unknown
  readonly syscall?: unknown
  readonly name?: unknown
  readonly cause?: { readonly code?: unknown; readonly syscall?: unknown } | null
}
