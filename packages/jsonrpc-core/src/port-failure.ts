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
  const what = nameOf(thrown)
  const cause = new Error(what)
  return beforeSending.test(what)
    ? new RpcError('connect', `no connection could be made (${what})`, { cause, delivery: 'not_sent' })
    : new RpcError('disconnected', `the connection broke ${doing} (${what})`, { cause })
}

function nameOf(thrown: unknown): string {
  const { code, cause, name } = (thrown ?? {}) as { code?: unknown; cause?: { code?: unknown } | null; name?: unknown }
  const found = [cause?.code, code, name].find((word) => typeof word === 'string' && /^[A-Za-z]\w{0,63}$/.test(word))
  return (found as string | undefined) ?? 'Error'
}
