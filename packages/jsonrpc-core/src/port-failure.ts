import { RpcError } from './error.ts'

/** Failures of name look-up, connection and TLS handshake, which come before a byte of the request is sent. */
const beforeSending =
  /^(?:E(?:CONNREFUSED|NOTFOUND|AI_|HOSTUNREACH|NETUNREACH)|UND_ERR_CONNECT_|CERT_|ERR_TLS_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_)/

/**
 * Turns an error of a platform or a port into an {@link RpcError}; one stays as it is. Any other keeps only the system's code
 * or the error's name, because messages may hold the URL. `doing` completes "the connection broke …".
 */
export function portFailure(thrown: unknown, doing: string): RpcError {
  if (thrown instanceof RpcError) return thrown
  const { code, cause: inner, name, syscall } = (thrown ?? {}) as Thrown
  const words = [inner?.code, code, name, 'Error']
  const what = words.find((word) => typeof word === 'string' && /^[A-Za-z]\w{0,63}$/.test(word)) as string
  const cause = new Error(what)
  // An open connection that loses its route while reading or writing fails with the same codes.
  return beforeSending.test(what) && !/^(?:read|write)/.test(`${inner?.syscall ?? syscall}`)
    ? new RpcError('connect', `no connection could be made (${what})`, { cause, delivery: 'not_sent' })
    : new RpcError('disconnected', `the connection broke ${doing} (${what})`, { cause })
}

/** The members of a system's error, or of the error in which `fetch` wraps it. */
interface Thrown {
  readonly code?: unknown
  readonly syscall?: unknown
  readonly name?: unknown
  readonly cause?: { readonly code?: unknown; readonly syscall?: unknown } | null
}
