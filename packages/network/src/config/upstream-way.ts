import type { Socket } from 'node:net'
import type { SocketPort } from '@wayleave/jsonrpc-core'
import { connectSocket } from '@wayleave/jsonrpc-core/websocket'
import { type ClientTls, createConnector, createUndiciPort, type UndiciPort, type Way } from '@wayleave/upstream/node'
import { type ClientOptions, WebSocket } from 'ws'
import { type Environment, environmentProxy } from './environment-proxy.ts'
import { upstreamSecrets } from '../redaction/upstream-secrets.ts'
import { readPem } from './pem.ts'
import { splitCredentials } from './split-credentials.ts'
import type { UpstreamConfig, UpstreamTlsConfig } from './upstream-config.ts'

/** The way to one URL of an upstream. */
export interface UpstreamWay extends Way {
  /** The credentials of its proxy. */
  readonly secrets: readonly string[]
}

/** Finds the way to a URL of an upstream: by its own settings, or by the proxy that the environment names. */
export function wayTo(
  url: string,
  { proxy, tls }: Pick<UpstreamConfig, 'proxy' | 'tls'>,
  environment: Environment = process.env,
): UpstreamWay {
  const proxyUrl = proxy ?? environmentProxy(url, environment)?.url
  const own = { tls: tls && (() => readUpstreamTls(tls)) }
  if (proxyUrl === undefined) return { ...own, secrets: [] }
  const { url: plain, headers } = splitCredentials(proxyUrl)
  const { authorization } = headers
  return { ...own, proxy: { url: plain, authorization }, secrets: upstreamSecrets(proxyUrl, headers) }
}

/** Opens a port on a way for a few questions over HTTP. */
export function openHttpPort(way: Way): UndiciPort {
  return createUndiciPort({ ...way, connections: 4 })
}

/** Longest time that a connection may take to open, in ms. */
const connectMs = 10_000

/** Makes the port that opens WebSockets on a way. */
export function socketPortOn(way: Way): SocketPort {
  if (way.proxy === undefined && way.tls === undefined) return connectSocket
  const connect = createConnector(way, connectMs)
  return (url, { headers, maxMessageBytes }) => {
    const protocol = url.startsWith('wss:') ? 'https:' : 'http:'
    // As node:http calls it: with the address, and a callback for what takes its time.
    const createConnection = ({ host, port }: Address, done: (why: Error | null, socket: Socket) => void): void =>
      connect({ hostname: host, host, protocol, port: String(port) }, (...[why, socket]) => done(why, socket!))
    const options = {
      headers,
      maxPayload: maxMessageBytes,
      perMessageDeflate: false,
      closeTimeout: 1_000,
      createConnection: createConnection as unknown as NonNullable<ClientOptions['createConnection']>,
    }
    return new WebSocket(url, [], options)
  }
}

interface Address {
  readonly host: string
  readonly port: string | number
}

/** Reads the files of an upstream's TLS. Rejects where one cannot be read. */
async function readUpstreamTls(tls: UpstreamTlsConfig): Promise<ClientTls> {
  const read = async (member: keyof UpstreamTlsConfig): Promise<string | undefined> => {
    const given = tls[member]
    if (given === undefined) return undefined
    const pem = await readPem(given)
    if ('fault' in pem) throw new Error(pem.fault)
    return pem.text
  }
  const [cert, key, ca] = await Promise.all([read('cert'), read('key'), read('ca')])
  return { cert, key, ca }
}
