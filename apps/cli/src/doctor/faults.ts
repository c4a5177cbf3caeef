import { once } from 'node:events'
import { connect as connectHttp2 } from 'node:http2'
import { connect as connectTls } from 'node:tls'
import { explainUnreached, type UnreachedKind, type UpstreamWay } from '@wayleave/gateway'
import { withDeadline } from './with-deadline.ts'

export type UpstreamFault = 'unreachable' | 'untrusted' | 'refused' | 'limited' | 'error' | 'not_a_node'

/** The reason why a node gave no answer of a node. */
export interface Fault {
  readonly fault: UpstreamFault
  readonly text: string
  /** The remedy, where it is another one than for most such faults. */
  readonly remedy?: string
}

const wantsTls = 'write https:// (or wss://) in its URL, or give the port that speaks no TLS'
const speaksHttp2 = 'have it speak HTTP/1.1, too, or put a proxy that does in front of it'
const certificate = 'give it a certificate that its operator knows, in tls.cert and tls.key of this upstream'

const kinds: Readonly<Record<Exclude<UnreachedKind, 'unreachable' | 'untrusted'>, readonly [UpstreamFault, string]>> = {
  certificate_wanted: ['refused', certificate],
  misnamed: ['untrusted', 'write the host name that its certificate names, or renew it with this name'],
  http2: ['not_a_node', speaksHttp2],
  no_tls: ['unreachable', 'write http:// (or ws://) in its URL, or give the port that speaks TLS'],
  proxy_refuses: ['refused', 'mend user and password in its proxy, or in HTTPS_PROXY'],
  proxy: [
    'unreachable',
    'start the proxy, have it allow this host, mend its URL (proxy, HTTPS_PROXY), or name the host in NO_PROXY',
  ],
  closes: [
    'unreachable',
    'see its log: a node that wants a certificate of the gateway (mTLS) may do so, which stands in tls.cert and tls.key',
  ],
  not_http: ['not_a_node', 'give the URL of the JSON-RPC API of a node: something else listens there'],
}

/** Explains the code of a connection that failed. */
export function connectionFault(code: string | undefined, way: UpstreamWay): Fault {
  const plain = (code ?? 'no connection').replaceAll(/[^\w/]/g, ' ')
  // A request that a proxy sends on meets the proxy itself.
  const isOfProxy =
    way.proxy !== undefined && /^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH)$/.test(plain)
  const { kind, words } = explainUnreached(isOfProxy ? `PROXY_${plain}` : plain)
  if (kind === 'unreachable' || kind === 'untrusted') return { fault: kind, text: words }
  const [fault, remedy] = kinds[kind]
  return { fault, text: words, remedy }
}

/** Explains a status that says that no node answered. */
export function statusFault(status: number): Fault {
  if (status === 407) {
    return {
      fault: 'refused',
      text: 'its proxy refuses the user or the password (HTTP 407)',
      remedy: kinds.proxy_refuses[1],
    }
  }
  if ([401, 402, 403].includes(status)) return { fault: 'refused', text: `it refuses the key (HTTP ${status})` }
  if (status === 429) return { fault: 'limited', text: 'its limit is spent (HTTP 429)' }
  return { fault: 'not_a_node', text: `it answers HTTP ${status}` }
}

/** Explains the page of a server that was spoken to in another way than it is to be: nginx and Go answer so. */
export function explainPage(status: number, page: string): Fault | undefined {
  if (status === 400 && /plain HTTP request was sent to HTTPS|HTTP request to an HTTPS server/i.test(page)) {
    return { fault: 'unreachable', text: `it speaks TLS, and the URL has none (HTTP ${status})`, remedy: wantsTls }
  }
  if ([400, 495, 496].includes(status) && /SSL certificate/i.test(page)) {
    return {
      fault: 'refused',
      text: `it wants a certificate of the gateway (mTLS; HTTP ${status})`,
      remedy: certificate,
    }
  }
  return undefined
}

/** Explains a redirect, which no call follows. The place itself is the node's word, and not shown. */
export function explainRedirect(status: number, url: string, location: string | null): Fault | undefined {
  if (![301, 302, 303, 307, 308].includes(status)) return undefined
  const [from, to] = [
    new URL(url),
    location !== null && URL.canParse(location, url) ? new URL(location, url) : undefined,
  ]
  const text = (where: string): string => `it redirects to ${where} (HTTP ${status})`
  const remedy = 'give the URL that it redirects to (curl -sI shows it): no call follows'
  if (to?.hostname !== from.hostname) return { fault: 'not_a_node', text: text('another host'), remedy }
  if (from.protocol === 'http:' && to.protocol === 'https:') {
    return { fault: 'not_a_node', text: text('https'), remedy: wantsTls }
  }
  return { fault: 'not_a_node', text: text('another path or port of its host'), remedy }
}

/** Longest look at what a server speaks, in ms. */
const lookMs = 1_500

/** Finds out why a server broke off, or gave no HTTP/1.1: it speaks TLS or HTTP/2, or refused TLS in an alert that was lost. */
export async function explainProtocol(
  url: string,
  way: UpstreamWay,
  code: string | undefined,
  signal: AbortSignal,
): Promise<Fault | undefined> {
  const isUnread = /^HPE_|^HTTPParserError$/.test(code ?? '')
  if (way.proxy !== undefined || !(isUnread || /^(?:ECONNRESET|EPIPE|UND_ERR_SOCKET)$/.test(code ?? '')))
    return undefined
  const look = <T>(act: (bounded: AbortSignal) => Promise<T>): Promise<T | undefined> =>
    withDeadline(lookMs, signal, act).catch(() => undefined)
  const found = await look((bounded) => lookAtTls(url, way, bounded))
  if (found?.alert !== undefined && url.startsWith('https:')) return connectionFault(found.alert, way)
  if (found?.isSecure === true && url.startsWith('http:')) {
    return { fault: 'unreachable', text: `it speaks TLS, and the URL has none (${code})`, remedy: wantsTls }
  }
  if (!isUnread || (await look((bounded) => lookAtHttp2(url, bounded))) === undefined) return undefined
  return { fault: 'not_a_node', text: `it speaks HTTP/2 alone (${code})`, remedy: speaksHttp2 }
}

/** Opens a connection with TLS, and waits where the URL has TLS until it is closed: TLS 1.3 tells of certificates after the handshake. */
async function lookAtTls(
  url: string,
  { tls }: UpstreamWay,
  signal: AbortSignal,
): Promise<{ readonly isSecure: boolean; readonly alert: string | undefined }> {
  const { protocol, hostname, port } = new URL(url)
  const host = hostname.replace(/^\[|\]$/g, '')
  const own = await tls?.()
  let isSecure = false
  let alert: string | undefined
  const socket = connectTls({ ...own, host, port: Number(port || 443), rejectUnauthorized: false })
  socket.on('secureConnect', () => {
    isSecure = true
    if (protocol === 'http:') socket.destroy()
  })
  socket.on('error', ({ code }: NodeJS.ErrnoException) => {
    alert = code
  })
  socket.resume()
  // An error ends the wait, too.
  await once(socket, 'close', { signal }).catch(() => {})
  socket.destroy()
  return { isSecure, alert }
}

async function lookAtHttp2(url: string, signal: AbortSignal): Promise<true> {
  const session = connectHttp2(new URL(url).origin, { rejectUnauthorized: false })
  session.on('error', () => {})
  try {
    await once(session, 'remoteSettings', { signal })
    return true
  } finally {
    session.destroy()
  }
}
