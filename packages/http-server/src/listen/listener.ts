import type { RequestListener, Server, ServerOptions } from 'node:http'
import type { Server as TlsServer } from 'node:https'
import type { Clock } from '@wayleave/jsonrpc-core'
import type { Log } from '@wayleave/telemetry'
import type { OpenTls } from './open-tls.ts'
import { createCloser, createServer, listen, type ListenHow } from './server.ts'
import { reloadTls } from './tls-reload.ts'
import { createTurnWrites } from './turn-writes.ts'

export interface HttpListenerOptions extends ListenHow {
  /** Names the listener to a person: `The IPFS API`. */
  readonly name: string
  /** `host:port`; port 0 is any free one. */
  readonly address: string
  /** How long idle connections may still bring a call once the listener closes, in ms. Default 0. */
  readonly lingerMs?: number
  readonly onRequest: RequestListener
  readonly server: ServerOptions
  /** Default: plain HTTP. */
  readonly tls?: OpenTls | undefined
  /** Limits that the server keeps itself, read when it is created and by `adapt`. Default: none. */
  readonly limits?: () => ServerLimits
  /** Runs a function in the next turn of the event loop: connections write at the end of theirs. Default: they write at once. */
  readonly nextTurn?: (run: () => void) => void
  /** Called with each connection that was dropped because there were too many. */
  readonly onDrop?: () => void
  /** Called with the certificate of new connections, a PEM text, at first and whenever it is another one. */
  readonly onCertificate?: (cert: string) => void
  readonly clock: Clock
  readonly log: Log
}

/** Limits that a server keeps itself; times in ms. */
export interface ServerLimits {
  readonly maxConnections?: number
  readonly requestTimeout?: number
  readonly headersTimeout?: number
  /** The longest time without a byte either way. */
  readonly timeout?: number
}

/** One of the gateway's listeners. */
export interface HttpListener {
  readonly server: Server
  /** Resolves with the bound address. @throws ListenError */
  listen(): Promise<string>
  /** Gives its server the limits of the moment, for new connections, and another certificate, where it speaks TLS. */
  adapt(renewed?: OpenTls): void
  /** Has each answer from now on end its connection, so that callers go elsewhere; goes on taking connections. */
  release(): void
  /** Takes no more connections, ends idle ones and waits for those in use. */
  close(): Promise<void>
  /** Cuts every connection. */
  terminate(): void
}

/** Creates a listener: {@link createHttpListener}, or a way to serve its requests on the server of another program. */
export type CreateListener = (options: HttpListenerOptions) => HttpListener

/** Creates a listener, which does not listen yet. */
export function createHttpListener(options: HttpListenerOptions): HttpListener {
  const { name, address, onRequest, tls, onDrop, clock, log } = options
  const server = createServer(options.server, tls?.material, onRequest)
  const limit = (): void => void Object.assign(server, options.limits?.())
  limit()
  if (onDrop !== undefined) server.on('drop', onDrop)
  if (options.nextTurn !== undefined)
    server.on(tls === undefined ? 'connection' : 'secureConnection', createTurnWrites(options.nextTurn))
  const close = createCloser(server, { clock, lingerMs: options.lingerMs ?? 0 })
  let stopReloading: (() => void) | undefined
  const follow = (opened: OpenTls): void => {
    options.onCertificate?.(opened.material.cert)
    stopReloading = reloadTls(server, opened, { clock, log, onRenewed: options.onCertificate })
  }
  return {
    server,
    adapt(renewed) {
      limit()
      if (tls === undefined || renewed === undefined) return
      stopReloading?.()
      ;(server as TlsServer).setSecureContext(renewed.material)
      follow(renewed)
    },
    async listen() {
      const onError = (err: Error): void =>
        log.repeats.error(['accept', name], { err }, 'a connection could not be accepted')
      const bound = await listen(server, address, name, onError, options)
      if (tls !== undefined) follow(tls)
      return bound
    },
    release() {
      server.prependListener('request', (_request, response) => {
        response.shouldKeepAlive = false
      })
    },
    close() {
      stopReloading?.()
      return close()
    },
    terminate: () => server.closeAllConnections(),
  }
}
