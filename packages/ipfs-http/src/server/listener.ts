import type { EventEmitter } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Clock } from '../clock.ts'
import { systemClock } from '../defaults.ts'
import { IpfsError } from '../error.ts'
import { giveBack } from '../unixfs/lent-bytes.ts'
import type { IpfsAnswer, IpfsProject, IpfsRequest } from './api.ts'
import { createBufferRelief } from './buffer-relief.ts'
import { collectYoung as collectYoungNow, isNode } from './defaults.ts'
import { messageOf, refusal } from './refusal.ts'

export interface IpfsListenerOptions {
  readonly clock?: Clock | undefined
  /** How long a caller may send nothing, or take nothing, in ms. Default 60,000. */
  readonly stallMs?: number | undefined
  /** How long the rest of a request is read after an early answer, in ms. Default 2,000. */
  readonly lingerMs?: number | undefined
  /** Collects short-lived garbage at once; called after every 4 MB of content whose memory is not used again. */
  readonly collectYoung?: (() => void) | undefined
}

/**
 * Answers one request of `node:http`. `headers`: further ones of the answer, such as those of CORS. Resolves when the answer
 * was sent or cannot be; never rejects.
 */
export type IpfsListener = (
  request: IncomingMessage,
  response: ServerResponse,
  project: IpfsProject,
  headers?: Readonly<Record<string, string>>,
) => Promise<void>

/** Time after which a chunk of a request takes long, in ms, and the bytes that are then read before their turn. */
const slowChunkMs = 500
const mostAheadBytes = 2 * 2 ** 20

/** Content is anybody's: no browser may take it for a page or a script. */
const nosniff = { 'X-Content-Type-Options': 'nosniff' }

/**
 * Serves a handler over `node:http`, each side at the pace of the other. HEAD and OPTIONS are left to the caller. On Node the response must be
 * one of `node:http` itself: the memory of content that it has sent (`writableLength` 0 after `drain`) is used again.
 */
export function createIpfsListener(
  handler: (request: IpfsRequest) => Promise<IpfsAnswer>,
  options: IpfsListenerOptions = {},
): IpfsListener {
  const { clock = systemClock, stallMs = 60_000, lingerMs = 2_000, collectYoung = collectYoungNow } = options
  const passed = createBufferRelief(collectYoung)
  return async (request, response, project, headers = {}) => {
    const leaving = new AbortController()
    const leave = (): void => leaving.abort()
    response.on('close', leave)
    // An answer that waits behind another one gets no event when its connection goes.
    request.socket.on('close', leave)
    if (request.socket.destroyed) leave()
    try {
      const { path, query } = split(request.url ?? '/')
      const answer = await handler({
        method: request.method ?? 'GET',
        path,
        query,
        headers: request.headers as Readonly<Record<string, string | undefined>>,
        body: readBody(),
        project,
        traceId: headers['X-Trace-Id'],
        signal: leaving.signal,
      })
      await send(answer)
    } catch {
      response.destroy()
    } finally {
      response.off('close', leave)
      request.socket.off('close', leave)
    }

    /**
     * Reads the body as fast as it is asked for. Leaving it does not end the connection, so that an answer can still be sent.
     * Throws a 408 if no byte comes for `stallMs`, `aborted` if the caller leaves before its end. Reads on while a chunk takes long: a caller
     * who has left is noticed behind the bytes that they have sent.
     */
    async function* readBody(): AsyncGenerator<Uint8Array, void, undefined> {
      const ahead: Uint8Array[] = []
      let aheadBytes = 0
      const readAhead = (): void => {
        while (aheadBytes < mostAheadBytes) {
          const chunk = request.read() as Uint8Array | null
          if (chunk === null) return
          ahead.push(chunk)
          aheadBytes += chunk.byteLength
        }
      }
      for (;;) {
        const chunk = ahead.shift() ?? (request.read() as Uint8Array | null)
        if (chunk !== null) {
          aheadBytes = Math.max(0, aheadBytes - chunk.byteLength)
          passed(chunk.byteLength)
          const stop = clock.after(slowChunkMs, () => {
            readAhead()
            request.on('readable', readAhead)
          })
          try {
            yield chunk
          } finally {
            stop()
            request.off('readable', readAhead)
          }
        } else if (request.readableEnded) return
        else if (request.destroyed) throw new IpfsError('aborted', 'the caller left in the middle of its request')
        else if (!(await happens(request, ['readable', 'end', 'close', 'error'], clock, stallMs)))
          throw refusal(408, `no byte of the request came for ${stallMs} ms: send it again\n`)
      }
    }

    async function send({ status, headers: named, body }: IpfsAnswer): Promise<void> {
      const own = { ...named, ...nosniff }
      if (typeof body !== 'string') {
        // HTTP/1.0 has no chunks, and so no trailers.
        const trailer = request.httpVersion === '1.0' ? {} : { Trailer: 'X-Stream-Error' }
        response.writeHead(status, { ...own, ...headers, ...trailer })
        response.flushHeaders()
        await stream(body)
      } else {
        const length = { 'Content-Length': String(Buffer.byteLength(body)) }
        if (request.complete) return void response.writeHead(status, { ...own, ...headers, ...length }).end(body)
        response.writeHead(status, { ...own, ...headers, ...length, Connection: 'close' })
        response.write(body)
      }
      // A connection that ends while bytes of the request are unread is reset, and the answer lost with it.
      await discardRest()
      response.end()
      if (!request.complete) response.once('finish', () => response.destroy())
    }

    async function stream(body: AsyncIterableIterator<Uint8Array>): Promise<void> {
      try {
        for await (const chunk of body) {
          if (response.destroyed) return
          if (!response.write(chunk)) {
            await drained()
            if (isSent(response) && giveBack(chunk)) continue
          }
          passed(chunk.byteLength)
        }
      } catch (thrown) {
        // The status was sent. Without chunks there is no trailer, and a short body must not look whole.
        if (!response.chunkedEncoding) return reset(request.socket)
        response.addTrailers({ 'X-Stream-Error': inHeader(messageOf(thrown)) })
      }
    }

    /** Waits until the caller has taken the bytes written. Ends a connection that takes nothing for `stallMs`. */
    async function drained(): Promise<void> {
      if (response.destroyed) return
      if (!(await happens(response, ['drain', 'close'], clock, stallMs))) response.destroy()
    }

    /** Reads the rest of the request and drops it, until its end or that of the connection, for at most `lingerMs`. */
    async function discardRest(): Promise<void> {
      if (request.readableEnded || request.destroyed) return
      const ended = happens(request, ['end', 'close'], clock, lingerMs)
      request.removeAllListeners('readable')
      request.resume()
      await ended
    }
  }
}

/** Resolves with true at the first of `events`, or with false after `ms`. */
function happens(emitter: EventEmitter, events: readonly string[], clock: Clock, ms: number): Promise<boolean> {
  return new Promise((resolve) => {
    const settle = (isInTime: boolean): void => {
      stop()
      for (const event of events) emitter.off(event, onEvent)
      resolve(isInTime)
    }
    const onEvent = (): void => settle(true)
    const stop = clock.after(ms, () => settle(false))
    for (const event of events) emitter.on(event, onEvent)
  })
}

/** Ends a connection so that the other side sees it broken: an orderly end would be the end of a body without chunks. */
function reset(socket: Socket): void {
  if ('encrypted' in socket) socket.destroy()
  else socket.resetAndDestroy()
}

/** Whether nothing refers to what was written any more. The responses of other runtimes keep references to what they say is sent. */
function isSent(response: ServerResponse): boolean {
  return isNode && response.writableLength === 0
}

/** Splits a target into path and query; also one in absolute form (RFC 9112 §3.2.2). */
function split(target: string): { readonly path: string; readonly query: string } {
  const url = target.replace(/^https?:\/\/[^/?]*/i, '')
  const at = url.indexOf('?')
  return at < 0 ? { path: url, query: '' } : { path: url.slice(0, at), query: url.slice(at + 1) }
}

/** As much of a text as a header may hold. */
function inHeader(text: string): string {
  return text.replaceAll(/[^\x20-\x7e]+/g, ' ').slice(0, 1_000)
}
