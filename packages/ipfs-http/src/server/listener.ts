import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Clock } from '../clock.ts'
import { systemClock } from '../defaults.ts'
import { readBody, readRest } from './body.ts'
import { createBufferRelief } from './buffer-relief.ts'
import { collectYoung as collectYoungNow } from './defaults.ts'
import type { IpfsAnswer, IpfsHandler, IpfsProject } from './handler.ts'
import { messageOf } from './refusal.ts'

export interface IpfsListenerOptions {
  readonly clock?: Clock | undefined
  /** How long a caller may send nothing, or take nothing, in ms. Default 60,000. */
  readonly stallMs?: number | undefined
  /** How long the rest of a request is read that was answered before its end, in ms. Default 2,000. */
  readonly lingerMs?: number | undefined
  /** Collects garbage of short life, at once; called after every 4 MB that pass. */
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

/** Serves a handler over `node:http`, each side at the pace of the other. HEAD and OPTIONS are the caller's own business. */
export function createIpfsListener(handler: IpfsHandler, options: IpfsListenerOptions = {}): IpfsListener {
  const { clock = systemClock, stallMs = 60_000, lingerMs = 2_000, collectYoung = collectYoungNow } = options
  const passed = createBufferRelief(collectYoung)
  return async (request, response, project, headers = {}) => {
    const leaving = new AbortController()
    const leave = (): void => leaving.abort()
    response.on('close', leave)
    // An answer that waits behind another one does not hear that its connection has gone.
    request.socket.on('close', leave)
    if (request.socket.destroyed) leave()
    try {
      const { path, query } = split(request.url ?? '/')
      const answer = await handler({
        method: request.method ?? 'GET',
        path,
        query,
        headers: request.headers as Readonly<Record<string, string | undefined>>,
        body: readBody(request, clock, stallMs, passed),
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

    async function send({ status, headers: own, body }: IpfsAnswer): Promise<void> {
      if (typeof body !== 'string') {
        // HTTP/1.0 knows no chunks, and so no trailers.
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
      await readRest(request, clock, lingerMs)
      response.end()
      if (!request.complete) response.once('finish', () => response.destroy())
    }

    async function stream(body: AsyncIterableIterator<Uint8Array>): Promise<void> {
      try {
        for await (const chunk of body) {
          if (response.destroyed) return
          if (!response.write(chunk)) await taken(response, clock, stallMs)
          passed(chunk.byteLength)
        }
      } catch (thrown) {
        // The status was sent. Without chunks there is no trailer, and a short body must not look whole.
        if (!response.chunkedEncoding) return reset(request.socket)
        response.addTrailers({ 'X-Stream-Error': inHeader(messageOf(thrown)) })
      }
    }
  }
}

/** Ends a connection so that the other side sees it broken: an end in good order would be the end of a body without chunks. */
function reset(socket: Socket): void {
  if ('encrypted' in socket) socket.destroy()
  else socket.resetAndDestroy()
}

/** Of a target in absolute form (RFC 9112 §3.2.2), too. */
function split(target: string): { readonly path: string; readonly query: string } {
  const url = target.replace(/^https?:\/\/[^/?]*/i, '')
  const at = url.indexOf('?')
  return at < 0 ? { path: url, query: '' } : { path: url.slice(0, at), query: url.slice(at + 1) }
}

/** Resolves when what was written has been taken. Ends a connection that takes nothing for `stallMs`. */
function taken(response: ServerResponse, clock: Clock, stallMs: number): Promise<void> {
  return new Promise((resolve) => {
    if (response.destroyed) return resolve()
    const settle = (): void => {
      stop()
      response.off('drain', settle)
      response.off('close', settle)
      resolve()
    }
    const stop = clock.after(stallMs, () => response.destroy())
    response.on('drain', settle)
    response.on('close', settle)
  })
}

/** As much of a text as a header may hold. */
function inHeader(text: string): string {
  return text.replaceAll(/[^\x20-\x7e]+/g, ' ').slice(0, 1_000)
}
