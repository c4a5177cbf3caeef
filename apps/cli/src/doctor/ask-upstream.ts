import { once } from 'node:events'
import { connect } from 'node:tls'
import { createContext, createRpcClient, RpcError, systemClock } from '@wayleave/jsonrpc-core'
import { createWebSocketTransport } from '@wayleave/jsonrpc-core/websocket'
import { type NamedUpstream, openHttpPort, socketPortOn, splitCredentials, wayTo } from '@wayleave/gateway'
import { boundedText } from '../bounded-text.ts'
import { connectionFault, explainPage, explainProtocol, explainRedirect, type Fault, statusFault } from './faults.ts'
import { withDeadline } from './with-deadline.ts'

/** An answer of a node; or why there is none. */
export type Reported = { readonly value: unknown; readonly clock?: ReportedClock } | Fault

/** The clock of a node by its `Date` header, and ours in the middle of the question; in ms since the epoch. */
export interface ReportedClock {
  readonly theirs: number
  readonly ours: number
}

/** Longest wait for one answer, in ms. */
const answerMs = 4_000
const longestAnswer = 1_048_576

type Address = Pick<NamedUpstream, 'url' | 'headers' | 'proxy' | 'tls'>

const lateAnswer: Fault = { fault: 'unreachable', text: `it gives no answer within ${answerMs / 1_000} s` }

/** Asks a node one question over HTTP or WebSocket. Never rejects; its texts hold nothing that the node said. */
export function askUpstream(
  upstream: Address,
  method: string,
  params: readonly unknown[],
  signal: AbortSignal,
): Promise<Reported> {
  const ask = /^wss?:/i.test(upstream.url) ? askSocket : askHttp
  return withDeadline(answerMs, signal, (bounded) => ask(upstream, method, params, bounded))
}

async function askHttp(
  upstream: Address,
  method: string,
  params: readonly unknown[],
  signal: AbortSignal,
): Promise<Reported> {
  const way = wayTo(upstream.url, upstream)
  const { url, headers } = splitCredentials(upstream.url, upstream.headers)
  const port = openHttpPort(way)
  const begun = systemClock.date()
  try {
    const sent = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const flat = Object.entries({ ...headers, 'content-type': 'application/json' }).flat()
    const reply = await port.http({ url, headers: flat, body: sent }, createContext({ signal }))
    const { status } = reply
    const text = await boundedText(reply.body, longestAnswer)
    // oxlint-disable-next-line no-restricted-globals -- reads no clock
    const theirs = Date.parse(reply.headers.get('date') ?? '')
    const clock = Number.isNaN(theirs) ? undefined : { theirs, ours: (begun + systemClock.date()) / 2 }
    const body = parsed(text)
    // A provider says in either way that a key is refused, or that a limit is spent.
    const refused = statusFault(status)
    if (refused.fault !== 'not_a_node') return refused
    if (isObject(body) && isObject(body['error'])) return errorOf(body['error']['code'])
    if (status < 200 || status > 299) {
      return explainPage(status, text) ?? explainRedirect(status, url, reply.headers.get('location')) ?? refused
    }
    if (!isObject(body) || !('result' in body)) {
      return { fault: 'not_a_node', text: 'it answers, but not as a JSON-RPC node does' }
    }
    return { value: body['result'], ...(clock !== undefined && { clock }) }
  } catch (thrown) {
    if (signal.aborted) return lateAnswer
    const code = /\(([\w/]+)\)/.exec((thrown as Error).message)?.[1]
    return (await explainProtocol(url, way, code, signal)) ?? connectionFault(code, way)
  } finally {
    await port.close()
  }
}

async function askSocket(
  upstream: Address,
  method: string,
  params: readonly unknown[],
  signal: AbortSignal,
): Promise<Reported> {
  const way = wayTo(upstream.url, upstream)
  const transport = createWebSocketTransport({
    ...splitCredentials(upstream.url, upstream.headers),
    connect: socketPortOn(way),
    maxMessageBytes: longestAnswer,
    clock: systemClock,
  })
  const client = createRpcClient(transport.handler, { clock: systemClock, timeoutMs: answerMs })
  try {
    return { value: await client.requestUnchecked(method, params, { signal }) }
  } catch (thrown) {
    if (signal.aborted) return lateAnswer
    if (!(thrown instanceof RpcError)) throw thrown
    if (thrown.rpc !== undefined) return errorOf(thrown.rpc.code)
    // HTTP tells more of a handshake that failed.
    const byHttp = await askHttp({ ...upstream, url: upstream.url.replace(/^ws/i, 'http') }, method, params, signal)
    if ('remedy' in byHttp) return byHttp
    if (thrown.httpStatus !== undefined) return statusFault(thrown.httpStatus)
    return connectionFault(/\(([\w/]+)\)/.exec(thrown.message)?.[1], way)
  } finally {
    await transport.close()
  }
}

/** Reads the day in ms on which the certificate of a node ends; undefined for one without TLS, or that cannot be reached. Never rejects. */
export async function certificateEnd(upstream: Address, signal: AbortSignal): Promise<number | undefined> {
  const { protocol, hostname, port } = new URL(upstream.url)
  if (!/^(?:https|wss):$/.test(protocol) || wayTo(upstream.url, upstream).proxy !== undefined) return undefined
  const host = hostname.replace(/^\[|\]$/g, '')
  // Whether it is trusted is found out by the questions.
  const socket = connect({
    host,
    port: Number(port || 443),
    servername: /^[\d.:]+$/.test(host) ? '' : host,
    rejectUnauthorized: false,
  })
  socket.on('error', () => {})
  try {
    await withDeadline(answerMs, signal, (bounded) => once(socket, 'secureConnect', { signal: bounded }))
    // oxlint-disable-next-line no-restricted-globals -- reads no clock
    return Date.parse(socket.getPeerCertificate().valid_to)
  } catch {
    return undefined
  } finally {
    socket.destroy()
  }
}

function errorOf(code: unknown): Reported {
  return {
    fault: 'error',
    text: Number.isSafeInteger(code) ? `it answers error ${String(code)}` : 'it answers an error without a code',
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
