import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { type HttpAnswer, plainAnswer, sendAnswer } from './answer.ts'
import type { HttpListener, HttpListenerOptions } from './listener.ts'
import { createServer } from './server.ts'
import { createTurnWrites } from './turn-writes.ts'

/** A listener without a socket: another server has it, and hands requests over. */
export interface HttpMount extends HttpListener {
  /** Serves a request of another server. Its body must not have been read. */
  readonly serve: RequestListener
  /** Serves a connection that another server has given away in its `upgrade` event. */
  upgrade(request: IncomingMessage, socket: Duplex, firstBytes: Buffer): void
}

/**
 * Creates a listener for requests of another server. Bounds of connections and of time that a server keeps itself (`server`, `limits`, `tls`)
 * are those of the other one; with `nextTurn`, its connections write at the end of a turn from their first request on. `close` refuses further
 * requests and waits for the answers under way.
 */
export function createHttpMount({
  onRequest,
  nextTurn,
}: Pick<HttpListenerOptions, 'onRequest' | 'nextTurn'>): HttpMount {
  const server = createServer({}, undefined, onRequest)
  const answers = new Set<ServerResponse>()
  let isReleased = false
  let closed: Promise<void> | undefined
  let onLast = (): void => {}
  const writeInTurns = nextTurn && createTurnWrites(nextTurn)
  const known = new WeakSet<object>()

  function refusalOf(request: IncomingMessage): HttpAnswer | undefined {
    if (closed !== undefined) return closing
    return request.method === 'POST' && request.readableEnded ? bodyIsRead : undefined
  }

  return {
    server,
    serve(request, response) {
      const refused = refusalOf(request)
      if (refused !== undefined) return sendAnswer(response, refused, [])
      if (isReleased) response.shouldKeepAlive = false
      const { socket } = request
      if (writeInTurns !== undefined && socket instanceof Socket && !known.has(socket)) {
        known.add(socket)
        writeInTurns(socket)
      }
      answers.add(response)
      response.on('close', () => {
        answers.delete(response)
        if (answers.size === 0) onLast()
      })
      server.emit('request', request, response)
    },
    upgrade: (request, socket, firstBytes) => void server.emit('upgrade', request, socket, firstBytes),
    listen: () => Promise.resolve('mounted'),
    adapt() {},
    release() {
      isReleased = true
    },
    close() {
      return (closed ??= new Promise((resolve) => {
        if (answers.size === 0) resolve()
        else onLast = resolve
      }))
    },
    terminate() {
      for (const response of answers) response.destroy()
    },
  }
}

const closing = plainAnswer(503, 'closing: send it again\n', ['Connection', 'close', 'Retry-After', '1'])
const bodyIsRead = plainAnswer(500, 'the body was read before: serve these paths in front of all parsers of bodies\n')
