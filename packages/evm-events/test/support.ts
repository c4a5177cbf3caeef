import {
  type CallContext,
  createContext,
  rawJsonFromText,
  type RpcHandler,
  type RpcSession,
  type RpcSink,
} from '@wayleave/jsonrpc-core'
import { evmEvents } from '@wayleave/evm-events'

/** A peer that gives every subscription the same id, and the caller's side over it. */
export interface Scene {
  readonly handler: RpcHandler
  readonly session: RpcSession
  /** `method params` of the calls that reached the peer. */
  readonly asked: string[]
  /** Sinks that the peer pushes to, in the order of their opening. */
  readonly sinks: RpcSink[]
  /** How many subscriptions the caller has ended at the peer. */
  readonly left: () => number
  ask(method: string, params?: string): ReturnType<RpcHandler>
}

/** Bytes 1, 2, 3 and so on, 16 at a time. */
function countingBytes(): (count: number) => Uint8Array {
  let last = 0
  return (count) => Uint8Array.from({ length: count }, () => ++last % 256)
}

export function scene(peer?: RpcHandler, context: CallContext | undefined = undefined): Scene {
  const asked: string[] = []
  const sinks: RpcSink[] = []
  let left = 0
  const session: RpcSession = { subscriptions: new Map(), sendEvent: () => true, onClose: () => () => {}, close() {} }
  const pushing: RpcHandler = async () => ({
    result: rawJsonFromText('"0x1"'),
    meta: { endpoint: 'one' },
    subscription: {
      id: '0x1',
      open(sink) {
        sinks.push(sink)
        return () => void left++
      },
    },
  })
  const handler = evmEvents({ randomBytes: countingBytes() })((request, below) => {
    asked.push(`${request.method} ${request.params?.text() ?? ''}`.trim())
    return (peer ?? pushing)(request, below)
  })
  return {
    handler,
    session,
    asked,
    sinks,
    left: () => left,
    ask: (method, params) =>
      handler(
        { method, params: params === undefined ? undefined : rawJsonFromText(params), notification: false },
        context ?? createContext({ session }),
      ),
  }
}
