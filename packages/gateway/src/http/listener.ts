import type { RequestListener, Server, ServerOptions } from 'node:http'
import type { Clock } from '@wayleave/jsonrpc-core'
import type { TlsConfig } from '../config/config.ts'
import type { TlsMaterial } from '../config/tls-files.ts'
import type { Log } from '../ops/log.ts'
import { createCloser, createServer, listen } from './server.ts'
import { reloadTls } from './tls-reload.ts'

export interface HttpListenerOptions {
  /** Names the listener to a person: `The IPFS API`. */
  readonly name: string
  /** `host:port`; port 0 is any free one. */
  readonly address: string
  readonly onRequest: RequestListener
  readonly server: ServerOptions
  /** Default: plain HTTP. */
  readonly tls?: OpenTls | undefined
  readonly maxConnections?: number
  /** Called with each connection that was dropped because there were too many. */
  readonly onDrop?: () => void
  readonly clock: Clock
  readonly log: Log
}

/** The configuration of TLS with what its files held. */
export interface OpenTls {
  readonly config: TlsConfig
  readonly material: TlsMaterial
}

/** One of the gateway's listeners. */
export interface HttpListener {
  readonly server: Server
  /** Resolves with the bound address. @throws ListenError */
  listen(): Promise<string>
  /** Takes no more connections, ends idle ones and waits for those in use. */
  close(): Promise<void>
  /** Cuts every connection. */
  terminate(): void
}

/** Creates a listener, which does not listen yet. */
export function createHttpListener(options: HttpListenerOptions): HttpListener {
  const { name, address, onRequest, tls, maxConnections, onDrop, clock, log } = options
  const server = createServer(options.server, tls?.material, onRequest)
  if (maxConnections !== undefined) server.maxConnections = maxConnections
  if (onDrop !== undefined) server.on('drop', onDrop)
  const close = createCloser(server)
  let stopReloading: (() => void) | undefined
  return {
    server,
    async listen() {
      const bound = await listen(server, address, name, (err) =>
        log.repeats.error(['accept', name], { err }, 'a connection could not be accepted'),
      )
      stopReloading = tls && reloadTls(server, tls.config, tls.material, clock, log)
      return bound
    },
    close() {
      stopReloading?.()
      return close()
    },
    terminate: () => server.closeAllConnections(),
  }
}
