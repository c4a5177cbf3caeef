import { createServer as createPlainServer, type RequestListener, type Server, type ServerOptions } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { TlsMaterial } from '../config/tls-files.ts'

/** A TLS handshake takes no longer than this, in ms. */
const slowestHandshakeMs = 10_000

/** The server of the JSON-RPC listener; with TLS it takes nothing else. */
export function createServer(options: ServerOptions, tls: TlsMaterial | undefined, listener: RequestListener): Server {
  if (tls === undefined) return createPlainServer(options, listener)
  return createTlsServer({ ...options, ...tls, handshakeTimeout: slowestHandshakeMs }, listener)
}
