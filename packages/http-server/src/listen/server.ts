import {
  createServer as createPlainServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerOptions,
  type ServerResponse,
} from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { type AddressInfo, Server as NetServer, type Socket } from 'node:net'
import { Server as TlsServer } from 'node:tls'
import type { Clock } from '@wayleave/jsonrpc-core'
import type { TlsMaterial } from './open-tls.ts'

/** Longest TLS handshake, in ms. */
const slowestHandshakeMs = 10_000

/** Creates a server of HTTP, or with `tls` one of nothing but HTTPS. It does not listen yet. */
export function createServer(options: ServerOptions, tls: TlsMaterial | undefined, listener: RequestListener): Server {
  if (tls === undefined) return createPlainServer(options, listener)
  return createTlsServer({ ...options, ...tls, handshakeTimeout: slowestHandshakeMs }, listener)
}

/** Thrown for an address that cannot be listened on: one sentence that says why, and what to do. */
export class ListenError extends Error {
  override readonly name: string = 'ListenError'
  /** Whether another start may have the address, as it is configured. */
  readonly isTemporary: boolean

  constructor(message: string, isTemporary = true) {
    super(message)
    this.isTemporary = isTemporary
  }
}

/** Splits `host:port`; IPv6 hosts stand in brackets. */
export function splitAddress(address: string): { readonly host: string; readonly port: number } {
  const colon = address.lastIndexOf(':')
  return { host: address.slice(0, colon).replace(/^\[|\]$/g, ''), port: Number(address.slice(colon + 1)) }
}

/** How an address is had. */
export interface ListenHow {
  /** Whether other processes listen there, too, and each gets a part of the connections. Default false. */
  readonly isShared?: boolean | undefined
  /** The file descriptor of a socket that listens there already. Default: one is made. */
  readonly socket?: number | undefined
}

/** Connections that may wait at a socket from elsewhere, as many as the system allows: for some seconds nobody takes them. */
const longestBacklog = 65_535

/**
 * Listens, and resolves with the address as `host:port`. `what` names the listener to a person; `onError` is called with each
 * connection that cannot be accepted later, which must not end the process. @throws ListenError
 */
export function listen(
  server: Server,
  address: string,
  what: string,
  onError: (error: Error) => void,
  { isShared = false, socket }: ListenHow = {},
): Promise<string> {
  const { host, port } = splitAddress(address)
  const where = socket === undefined ? { host, port, reusePort: isShared } : { fd: socket, backlog: longestBacklog }
  return new Promise((resolve, reject) => {
    const refuse = (thrown: NodeJS.ErrnoException): void =>
      reject(new ListenError(socket === undefined ? explain(thrown, address, what) : explainSocket(thrown, what)))
    server.once('error', refuse)
    server.listen({ ...where, exclusive: true }, () => {
      server.off('error', refuse)
      server.on('error', onError)
      const bound = server.address() as AddressInfo | string
      if (typeof bound !== 'string' && (socket === undefined || isAt(bound, host, port))) return resolve(print(bound))
      const got = typeof bound === 'string' ? bound : print(bound)
      server.close()
      const why = `${what} is configured for ${address}, but was given a socket at ${got}: make them one.`
      reject(new ListenError(why, false))
    })
  })
}

function print({ family, address, port }: AddressInfo): string {
  return `${family === 'IPv6' ? `[${address}]` : address}:${port}`
}

/** Tells whether a socket is where it is expected, as what may be open to others is judged by that. No name but `localhost` is known. */
function isAt(bound: AddressInfo, host: string, port: number): boolean {
  const isHost = host === 'localhost' ? /^(?:127\.|::1$)/.test(bound.address) : bound.address === host
  return isHost && (port === 0 || bound.port === port)
}

function explainSocket({ code, message }: NodeJS.ErrnoException, what: string): string {
  return `${what} cannot listen on the socket that it was given: ${code ?? message}.`
}

function explain({ code, message }: NodeJS.ErrnoException, address: string, what: string): string {
  if (code === 'EADDRINUSE')
    return `${what} cannot listen on ${address}: the port is in use; stop its owner or choose another port (0 takes any free one).`
  if (code === 'EACCES')
    return `${what} cannot listen on ${address}: ports below 1024 need more rights; choose another one.`
  if (code === 'EADDRNOTAVAIL') return `${what} cannot listen on ${address}: this machine has no such address.`
  return `${what} cannot listen on ${address}: ${code ?? message}.`
}

export interface CloserOptions {
  readonly clock: Clock
  /**
   * How long an idle connection may still bring a call once the server closes, in ms: it may be on its way. After half of it, answers tell
   * their callers to leave (`Connection: close`); not before, so that those of one process do not come to another that is about to close.
   * Default 0: idle connections are closed at once, and nobody is told.
   */
  readonly lingerMs?: number
}

/**
 * Makes the function that closes a server: it takes no more connections, ends idle ones and waits for those in use.
 */
export function createCloser(server: Server, { clock, lingerMs = 0 }: CloserOptions): () => Promise<void> {
  const { unused, open } = server instanceof TlsServer ? watchTls(server) : watchPlain(server)
  /** The last request of each connection. */
  const last = new WeakMap<Socket, ServerResponse>()
  if (lingerMs > 0) server.on('request', ({ socket }: IncomingMessage, response) => last.set(socket, response))

  function refuseFurther(): void {
    server.prependListener('request', (_request, response) => (response.shouldKeepAlive = false))
    for (const socket of open()) {
      const response = last.get(socket)
      if (response !== undefined && !response.headersSent) response.shouldKeepAlive = false
    }
  }

  function closeIdle(): void {
    server.closeIdleConnections()
    // A connection that answers its last call now is not kept.
    server.keepAliveTimeout = 1
    server.keepAliveTimeoutBuffer = 0
    // Node takes a connection that never sent a byte for a busy one.
    for (const socket of unused()) socket.destroy()
  }

  return () => {
    if (!server.listening) return Promise.resolve()
    return new Promise((resolve) => {
      const timers = lingerMs === 0 ? [] : [clock.after(lingerMs / 2, refuseFurther), clock.after(lingerMs, closeIdle)]
      // That of HTTP closes idle connections at once.
      NetServer.prototype.close.call(server, () => {
        for (const stop of timers) stop()
        resolve()
      })
      if (lingerMs === 0) closeIdle()
    })
  }
}

/** The connections of a server. */
interface Watched {
  /** Those that brought no request yet. */
  unused(): readonly Socket[]
  open(): Iterable<Socket>
}

function watchPlain(server: Server): Watched {
  const open = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    // A connection comes a second time when its offer to upgrade was not taken.
    if (open.has(socket)) return
    open.add(socket)
    socket.on('close', () => open.delete(socket))
  })
  return { unused: () => [...open].filter(({ bytesRead }) => bytesRead === 0), open: () => open }
}

/** Over TLS a connection is two objects, joined by the caller's address, and its first bytes are a handshake. */
function watchTls(server: TlsServer): Watched {
  const handshaking = new Map<string, Socket>()
  const unasked = new Set<Socket>()
  const open = new Set<Socket>()
  const addressOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`
  server.on('connection', (socket: Socket) => {
    const address = addressOf(socket)
    handshaking.set(address, socket)
    socket.on('close', () => handshaking.delete(address))
  })
  server.on('secureConnection', (socket: Socket) => {
    if (open.has(socket)) return
    open.add(socket)
    handshaking.delete(addressOf(socket))
    unasked.add(socket)
    socket.on('close', () => {
      unasked.delete(socket)
      open.delete(socket)
    })
  })
  for (const event of ['request', 'upgrade']) {
    server.on(event, ({ socket }: IncomingMessage) => void unasked.delete(socket))
  }
  return { unused: () => [...handshaking.values(), ...unasked], open: () => open }
}
