import {
  createContext,
  createRpcServer,
  type RpcError,
  type RpcErrorObject,
  type RpcServer,
} from '@wayleave/jsonrpc-core'
import { serveSocket } from '@wayleave/jsonrpc-core/websocket'
import { type Network, type NetworkSettings, openNetwork, type OpenNetworkOptions } from '@wayleave/network'
import { until } from './support.ts'

/** An answer as its caller reads it. */
export interface Reported {
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown }
}

/** A caller's connection, which keeps what comes. */
interface TestSocket {
  readonly messages: readonly string[]
  /** Set once the connection has closed. */
  readonly closed: { readonly code: number } | undefined
  send(text: string): void
  /** Returns the next message that has not been taken, parsed. */
  next(): Promise<unknown>
  close(): Promise<void>
}

/** A network with callers above it, as a server of JSON-RPC has. */
export interface CalledNetwork {
  readonly network: Network
  ask(method: string, params?: readonly unknown[]): Promise<Reported>
  openSocket(): TestSocket
}

export const frame = (method: string, params: unknown = [], id: unknown = 1): string =>
  JSON.stringify({ jsonrpc: '2.0', id, method, params })

/**
 * Opens a network, which its test closes. It keeps no answers, nor asks for the history of its upstreams, unless its settings say so, and
 * asks the first of upstreams that are alike, unless `random` is given.
 */
export async function openCalledNetwork(
  settings: NetworkSettings,
  { timeoutMs = 30_000, ...options }: OpenNetworkOptions & { readonly timeoutMs?: number } = {},
): Promise<CalledNetwork> {
  const network = await openNetwork(unprobed({ cache: false, ...settings } as NetworkSettings), {
    random: () => 0.01,
    withoutSession: false,
    ...options,
  })
  // Tests read why no upstream answered; a host words that for its callers.
  const describe = ({ rpc, message }: RpcError): RpcErrorObject => rpc ?? { code: -32603, message }
  const server = createRpcServer(network.handler, { describe })
  return {
    network,
    async ask(method, params = []) {
      const context = createContext({ timeoutMs })
      const { body } = await server(Buffer.from(frame(method, params)), context)
      context.release()
      return JSON.parse(body as string) as Reported
    },
    openSocket: () => openSocket(server),
  }
}

/** The same settings, whose upstreams are not asked for their history unless they say so. */
function unprobed(settings: NetworkSettings): NetworkSettings {
  const upstreams = settings.upstreams.map((upstream) =>
    typeof upstream === 'string' ? { url: upstream, probe: false } : { probe: false, ...upstream },
  )
  return { ...settings, upstreams } as NetworkSettings
}

function openSocket(server: RpcServer): TestSocket {
  const messages: string[] = []
  const listeners: { readonly [type: string]: ((event: never) => void)[] } = { message: [], close: [], error: [] }
  let closed: TestSocket['closed']
  let taken = 0
  const report = (type: string, event: unknown): void => {
    for (const listener of listeners[type]!) listener(event as never)
  }
  const served = serveSocket(server, {
    get readyState() {
      return closed === undefined ? 1 : 3
    },
    bufferedAmount: 0,
    send: (text) => void messages.push(text),
    close(code = 1005) {
      if (closed !== undefined) return
      closed = { code }
      queueMicrotask(() => report('close', {}))
    },
    addEventListener: (type: string, listener: (event: never) => void) => void listeners[type]!.push(listener),
  })
  return {
    messages,
    get closed() {
      return closed
    },
    send: (text) => report('message', { data: text }),
    async next() {
      await until(() => messages.length > taken || closed !== undefined)
      if (messages.length <= taken) throw new Error(`the connection closed: ${JSON.stringify(closed)}`)
      return JSON.parse(messages[taken++]!)
    },
    close: () => served.close(),
  }
}
