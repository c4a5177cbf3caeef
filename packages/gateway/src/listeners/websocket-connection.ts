import type { RpcReply } from '@wayleave/jsonrpc-core'
import type { WebSocket } from 'ws'
import { GatewayContext } from '../context.ts'
import { statusOf } from '../errors.ts'
import { logRejection } from '../log.ts'
import { type Admitted, callerLeft, type Serving } from '../serving.ts'
import { WebSocketSession } from './websocket-session.ts'
import type { Upkeep } from './websocket-upkeep.ts'

/** Unsent bytes of answers after which a connection is closed instead of being sent more: one of the longest may wait whole. */
const mostUnsentBytes = 64 * 1024 * 1024

/** Answers the calls of one connection. Returns what ends it in order: the calls in flight are answered first. */
export function serveWebSocket(
  serving: Serving,
  { network, project, dialect }: Admitted,
  webSocket: WebSocket,
  traceId: string,
  upkeep: Upkeep,
  inlineMarks: boolean,
): () => Promise<void> {
  const { clock, limits, log } = serving
  const session = new WebSocketSession(webSocket)
  let inFlight = 0
  let leaving: (() => void) | undefined
  /** What came in the same packet as the call that paused the connection. */
  const waiting: Buffer[] = []
  network.metrics.connections(1)

  async function answer(body: Uint8Array): Promise<void> {
    const context = new GatewayContext(
      { clock, deadline: clock.now() + limits.requestTimeoutMs, session },
      { project, network: network.name, traceId, dialect, inlineMarks },
    )
    const forget = session.onClose(() => context.cancel(callerLeft))
    try {
      const reply = await network.server(body, context)
      const { rejected } = reply
      network.metrics.answered(rejected === undefined ? 200 : statusOf(rejected))
      if (rejected !== undefined) {
        network.metrics.rejected(rejected.code)
        logRejection(log, { traceId, network: network.name }, rejected)
      }
      if (webSocket.readyState !== webSocket.OPEN) return
      if (webSocket.bufferedAmount > mostUnsentBytes) {
        return webSocket.close(1013, 'answers are not read fast enough')
      }
      session.active = true
      const sent = sendReply(webSocket, reply)
      reply.written?.()
      await sent
    } finally {
      forget()
      context.release()
    }
  }

  webSocket.on('message', (data: Buffer) => {
    if (webSocket.readyState !== webSocket.OPEN) return
    session.heard = true
    session.active = true
    if (inFlight < limits.maxInFlight) take(data)
    else waiting.push(data)
  })

  function take(data: Buffer): void {
    if (++inFlight >= limits.maxInFlight) webSocket.pause()
    answer(data)
      .catch((thrown: unknown) => {
        log.error({ traceId, err: thrown }, 'a message failed inside the gateway')
        webSocket.close(1011, 'internal error')
      })
      .finally(() => {
        inFlight--
        const next = waiting.shift()
        if (next !== undefined && webSocket.readyState === webSocket.OPEN) return take(next)
        if (inFlight === 0) leaving?.()
        if (inFlight < limits.maxInFlight && leaving === undefined) webSocket.resume()
      })
  }

  // `close` follows and carries the consequence.
  webSocket.on('error', () => {})
  webSocket.on('pong', () => {
    session.heard = true
  })
  webSocket.on('close', () => {
    upkeep.remove(session)
    network.metrics.connections(-1)
    session.closed()
  })
  upkeep.add(session)

  return () =>
    new Promise((resolve) => {
      webSocket.once('close', () => resolve())
      webSocket.pause()
      leaving = () => {
        webSocket.resume()
        webSocket.close(1001, 'going away')
      }
      if (inFlight === 0) leaving()
    })
}

/** One message a reply: large ones leave as fragments, so nothing is joined. Resolves when it has been handed to the system. */
function sendReply(webSocket: WebSocket, { kind, body }: RpcReply): Promise<void> | undefined {
  if (kind === 'empty') return undefined
  return new Promise((resolve) => {
    // A connection that breaks is known by its `close`.
    const sent = (): void => resolve()
    if (typeof body === 'string') return webSocket.send(body, sent)
    const chunks = body as readonly Uint8Array[]
    for (const [i, chunk] of chunks.entries()) {
      const fin = i === chunks.length - 1
      webSocket.send(chunk, { binary: false, fin }, fin ? sent : undefined)
    }
  })
}
