import { type Clock, createHttpTransport, createRpcClient, RpcError } from '@wayleave/jsonrpc-core'
import { createWebSocketTransport } from '@wayleave/jsonrpc-core/websocket'
import type { Way } from '@wayleave/upstream/node'
import {
  namedUpstream,
  openHttpPort,
  socketPortOn,
  splitCredentials,
  type UpstreamConfig,
  wayTo,
} from '@wayleave/network/config'
import { shortened } from '@wayleave/telemetry'
import { redactErrors, upstreamSecrets } from '@wayleave/network'
import { explainUnreached } from './unreached.ts'

export interface AskOptions {
  readonly clock: Clock
  /** Longest wait for an answer, in ms. */
  readonly timeoutMs: number
  readonly signal?: AbortSignal | undefined
}

/** The value that a node answered; or why there is none, in a clause: `nothing listens there (ECONNREFUSED)`. */
export type NodeAnswer = { readonly value: unknown } | { readonly fault: string; readonly code: RpcError['code'] }

/** A node that is asked before anything is served from it, over connections of its own. */
export interface AskedNode {
  /** Asks a method without params. Never rejects. */
  ask(method: string): Promise<NodeAnswer>
  [Symbol.asyncDispose](): Promise<void>
}

/** Longest answer, in bytes. */
const longestAnswer = 1024 * 1024

/** Opens a node; nothing is connected before the first question. */
export function openAskedNode(upstream: string | UpstreamConfig, options: AskOptions): AskedNode {
  const { clock, timeoutMs, signal } = options
  const settings = namedUpstream(upstream, 0)
  const { url, headers } = settings
  const address = splitCredentials(url, headers)
  const way = wayTo(url, settings)
  const transport = connect(address, way, clock)
  const secrets = [...upstreamSecrets(url, address.headers), ...way.secrets]
  const client = createRpcClient(redactErrors(transport.handler, secrets), {
    clock,
    timeoutMs,
  })
  return {
    async ask(method) {
      try {
        return { value: await client.requestUnchecked(method, [], signal && { signal }) }
      } catch (thrown) {
        if (!(thrown instanceof RpcError)) throw thrown
        return { fault: explain(thrown, timeoutMs), code: thrown.code }
      }
    },
    [Symbol.asyncDispose]: transport.close,
  }
}

function connect(address: ReturnType<typeof splitCredentials>, way: Way, clock: Clock) {
  if (/^ws/i.test(address.url)) {
    const socket = createWebSocketTransport({
      ...address,
      connect: socketPortOn(way),
      maxMessageBytes: longestAnswer,
      clock,
    })
    return { handler: socket.handler, close: async () => void (await socket.close()) }
  }
  const port = openHttpPort(way)
  const handler = createHttpTransport({ ...address, http: port.http, maxResponseBytes: longestAnswer, clock })
  return { handler, close: () => port.close() }
}

/** Says in a clause why a node gave no answer. */
function explain({ code, message, httpStatus, rpc }: RpcError, timeoutMs: number): string {
  switch (code) {
    case 'timeout':
      return `it gives no answer within ${timeoutMs / 1_000} s`
    case 'connect':
    case 'disconnected':
      return explainUnreached(/\(([\w/]+)\)/.exec(message)?.[1] ?? 'no connection').words
    case 'http_status':
      return `it answers HTTP ${httpStatus}${rpc === undefined ? '' : `: ${quoted(rpc.message)}`}`
    case 'rpc':
      return `it answers error ${rpc!.code}: ${quoted(rpc!.message)}`
    default:
      return `it gives no answer of a node: ${message}`
  }
}

/** A stranger's words on one line. */
function quoted(text: string): string {
  return shortened(text).replaceAll(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ')
}
