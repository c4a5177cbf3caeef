import { once } from 'node:events'
import { request } from 'node:http'
import { request as requestTls } from 'node:https'
import { connect } from 'node:tls'
import { createRpcClient, RpcError, systemClock } from '@wayleave/jsonrpc-core'
import { connectSocket, createWebSocketTransport } from '@wayleave/jsonrpc-core/websocket'
import type { NamedUpstream } from '@wayleave/gateway'
import { withDeadline } from './with-deadline.ts'

/** An answer of a node; or why there is none. */
export type Told =
  | { readonly value: unknown; readonly clock?: ToldClock }
  | { readonly fault: UpstreamFault; readonly text: string }

/** The clock of a node by its `Date` header, and ours in the middle of the question; in ms since the epoch. */
export interface ToldClock {
  readonly theirs: number
  readonly ours: number
}

export type UpstreamFault = 'unreachable' | 'untrusted' | 'refused' | 'limited' | 'error' | 'not_a_node'

/** Longest wait for one answer, in ms. */
const answerMs = 4_000
const longestAnswer = 1_048_576

type Address = Pick<NamedUpstream, 'url' | 'headers'>

/** Asks a node one question over HTTP or WebSocket. Never rejects; its texts hold nothing that the node said. */
export function askUpstream(
  upstream: Address,
  method: string,
  params: readonly unknown[],
  signal: AbortSignal,
): Promise<Told> {
  const ask = /^wss?:/i.test(upstream.url) ? askSocket : askHttp
  return withDeadline(answerMs, signal, (bounded) => ask(upstream, method, params, bounded))
}

async function askHttp(
  upstream: Address,
  method: string,
  params: readonly unknown[],
  signal: AbortSignal,
): Promise<Told> {
  const { url, headers } = addressOf(upstream)
  const begun = systemClock.date()
  try {
    const sent = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const { status, date, text } = await post(url, { ...headers, 'content-type': 'application/json' }, sent, signal)
    // oxlint-disable-next-line no-restricted-globals -- reads no clock
    const theirs = date === undefined ? Number.NaN : Date.parse(date)
    const clock = Number.isNaN(theirs) ? undefined : { theirs, ours: (begun + systemClock.date()) / 2 }
    const body = parsed(text)
    // A provider says in either way that a key is refused, or that a limit is spent.
    const refused = statusFault(status)
    if ('fault' in refused && refused.fault !== 'not_a_node') return refused
    if (isObject(body) && isObject(body['error'])) return errorOf(body['error']['code'])
    if (status < 200 || status > 299) return refused
    if (!isObject(body) || !('result' in body)) {
      return { fault: 'not_a_node', text: 'it answers, but not as a JSON-RPC node does' }
    }
    return { value: body['result'], ...(clock !== undefined && { clock }) }
  } catch (thrown) {
    return connectionFault(thrown, signal)
  }
}

async function askSocket(
  upstream: Address,
  method: string,
  params: readonly unknown[],
  signal: AbortSignal,
): Promise<Told> {
  const transport = createWebSocketTransport({
    ...addressOf(upstream),
    connect: connectSocket,
    maxMessageBytes: longestAnswer,
    clock: systemClock,
  })
  const client = createRpcClient(transport.handler, { clock: systemClock, timeoutMs: answerMs })
  try {
    return { value: await client.requestUnchecked(method, params, { signal }) }
  } catch (thrown) {
    if (thrown instanceof RpcError && thrown.rpc !== undefined) return errorOf(thrown.rpc.code)
    if (thrown instanceof RpcError && thrown.httpStatus !== undefined) return statusFault(thrown.httpStatus)
    const code = thrown instanceof RpcError ? /\((\w+)\)/.exec(thrown.message)?.[1] : undefined
    return connectionFault({ code }, signal)
  } finally {
    await transport.close()
  }
}

/** Reads the day in ms on which the certificate of a node ends; undefined for one without TLS, or that cannot be reached. Never rejects. */
export async function certificateEnd({ url }: Address, signal: AbortSignal): Promise<number | undefined> {
  const { protocol, hostname, port } = new URL(url)
  if (!/^(?:https|wss):$/.test(protocol)) return undefined
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

/** Moves credentials of a URL to a header. */
function addressOf({ url, headers = {} }: Address): {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
} {
  const bare = new URL(url)
  const { username, password } = bare
  if (username === '' && password === '') return { url, headers }
  bare.username = bare.password = ''
  const basic = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64')
  return { url: bare.href, headers: { authorization: `Basic ${basic}`, ...headers } }
}

function statusFault(status: number): Told {
  if ([401, 402, 403, 407].includes(status)) return { fault: 'refused', text: `it refuses the key (HTTP ${status})` }
  if (status === 429) return { fault: 'limited', text: 'its limit is spent (HTTP 429)' }
  return { fault: 'not_a_node', text: `it answers HTTP ${status}` }
}

function errorOf(code: unknown): Told {
  return {
    fault: 'error',
    text: Number.isSafeInteger(code) ? `it answers error ${String(code)}` : 'it answers an error without a code',
  }
}

function connectionFault(thrown: unknown, signal: AbortSignal): Told {
  if (signal.aborted) return { fault: 'unreachable', text: `it gives no answer within ${answerMs / 1_000} s` }
  const { code: given = 'no connection' } = (thrown ?? {}) as { readonly code?: unknown }
  const code = String(given).replaceAll(/\W/g, ' ')
  if (/CERT|SELF_SIGNED|ERR_TLS|UNABLE_TO/.test(code)) {
    return { fault: 'untrusted', text: `its certificate is not trusted (${code})` }
  }
  const why = /^(?:ENOTFOUND|EAI_)/.test(code)
    ? 'its name has no address'
    : code === 'ECONNREFUSED'
      ? 'nothing listens there'
      : 'it cannot be reached'
  return { fault: 'unreachable', text: `${why} (${code})` }
}

interface Posted {
  readonly status: number
  /** The header `Date`. */
  readonly date: string | undefined
  /** Empty for a body that is too long. */
  readonly text: string
}

/** Posts a text. Not by `fetch`, which refuses ports that a node may have. Rejects with the system's error. */
function post(
  url: string,
  headers: Readonly<Record<string, string>>,
  body: string,
  signal: AbortSignal,
): Promise<Posted> {
  return new Promise((resolve, reject) => {
    const send = url.startsWith('https:') ? requestTls : request
    const sent = send(url, { method: 'POST', headers, signal, agent: false })
    sent.on('error', reject)
    sent.on('response', (response) => {
      const { statusCode: status = 0, headers: received } = response
      const answer = (text: string): void => resolve({ status, date: received.date, text })
      let text = ''
      response.setEncoding('utf8').on('error', reject)
      response.on('data', (chunk: string) => {
        text += chunk
        if (text.length <= longestAnswer) return
        answer('')
        response.destroy()
      })
      response.on('end', () => answer(text))
    })
    sent.end(body)
  })
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
