import { request } from 'node:http'
import { request as requestTls } from 'node:https'
import { isIP, type Socket } from 'node:net'
import { createSecureContext } from 'node:tls'
import { systemClock } from '@wayleave/jsonrpc-core'
import { buildConnector } from 'undici'
import { hostName } from './host-name.ts'

/** A proxy that opens connections to others by `CONNECT`, and sends on requests to http URLs. */
export interface ProxyAddress {
  /** An http or https URL without credentials. */
  readonly url: string
  /** The value of `Proxy-Authorization`. */
  readonly authorization?: string | undefined
}

/** PEM texts of the client's end of TLS. */
export interface ClientTls {
  readonly cert?: string | undefined
  readonly key?: string | undefined
  /** The authorities that are trusted in place of the usual ones. */
  readonly ca?: string | undefined
}

/** The way of connections to a peer. Default: straight, with what the platform trusts. */
export interface Way {
  readonly proxy?: ProxyAddress | undefined
  /** Reads the client's end of TLS, before each new connection. */
  readonly tls?: (() => Promise<ClientTls>) | undefined
}

export type Connector = buildConnector.connector

/** Creates the function that opens connections: through the proxy of a way, and with TLS for `https:`. */
export function createConnector({ proxy, tls }: Way, timeout: number): Connector {
  const connectorWith = (options: buildConnector.BuildOptions): Connector => {
    const connect = buildConnector({ timeout, ...options })
    return proxy === undefined ? connect : connectThrough(proxy, connect, timeout)
  }
  return tls === undefined ? connectorWith({}) : createSecureConnector(tls, connectorWith)
}

/** Reads the texts before anything is opened. Makes a new connector where they are others than before: a certificate was renewed. */
function createSecureConnector(
  read: () => Promise<ClientTls>,
  connectorWith: (options: buildConnector.BuildOptions) => Connector,
): Connector {
  let known: { readonly text: string; readonly connect: Connector } | undefined
  const connectorOf = (material: ClientTls): Connector => {
    const text = JSON.stringify(material)
    if (known?.text !== text) known = { text, connect: connectorWith({ secureContext: createSecureContext(material) }) }
    return known.connect
  }
  return (to, done) => void connectWhenRead(to, done)

  async function connectWhenRead(...[to, done]: Parameters<Connector>): Promise<void> {
    try {
      connectorOf(await read())(to, done)
    } catch {
      to.httpSocket?.destroy()
      done(coded('TLS_FILES'), null)
    }
  }
}

function connectThrough(proxy: ProxyAddress, connect: Connector, timeout: number): Connector {
  return (to, done) => {
    const isSecure = to.protocol === 'https:'
    const port = to.port === '' ? (isSecure ? '443' : '80') : to.port
    const host = isIP(to.hostname) === 6 ? `[${to.hostname}]` : to.hostname
    openTunnel(proxy, `${host}:${port}`, timeout, (why, socket) => {
      if (socket === undefined) done(why!, null)
      else if (isSecure) connect({ ...to, httpSocket: socket }, done)
      else done(null, socket)
    })
  }
}

/** Has a proxy connect to `host:port`. Its errors have codes of their own: `PROXY_407` for a status, `PROXY_ECONNREFUSED`. */
function openTunnel(
  { url, authorization }: ProxyAddress,
  target: string,
  timeout: number,
  done: (why: Error | undefined, socket?: Socket) => void,
): void {
  const send = url.startsWith('https:') ? requestTls : request
  const headers = { host: target, ...(authorization !== undefined && { 'proxy-authorization': authorization }) }
  // The proxy's own name: the platform would take that of the `host` header.
  const options = { method: 'CONNECT', path: target, headers, servername: hostName(url), agent: false }
  const asked = send(url, options)
  // One deadline for all of it: a timeout of the platform begins anew with each byte.
  const stopDeadline = systemClock.after(timeout, () => asked.destroy(coded('TIMEOUT')))
  let isOver = false
  const end = (why: Error | undefined, socket?: Socket): void => {
    if (isOver) return
    isOver = true
    stopDeadline()
    done(why, socket)
  }
  asked.once('connect', ({ statusCode = 0 }, socket) => {
    socket.on('error', () => {})
    if (statusCode >= 200 && statusCode < 300) return end(undefined, socket)
    socket.destroy()
    end(coded(`PROXY_${statusCode}`))
  })
  asked.on('error', (why: NodeJS.ErrnoException) => end(coded(`PROXY_${why.code ?? 'FAILED'}`)))
  asked.end()
}

function coded(code: string): Error {
  return Object.assign(new Error(code), { code })
}
