import { EventEmitter } from 'node:events'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { Readable, Writable } from 'node:stream'

/** The facts about a request that stand in no `Request`. */
export interface FetchCaller {
  /** The address at the other end of the connection. Default: nobody knows it, so that no range of addresses holds it. */
  readonly remoteAddress?: string | undefined
}

/**
 * Answers the requests of servers that speak in `Request` and `Response`. Rejects where the answer ended before it began; where its caller
 * had left by then, the answer is an empty one of status 499.
 */
export type FetchListener = (request: Request, caller?: FetchCaller) => Promise<Response>

/** Serves a listener of `node:http` to servers that speak in `Request` and `Response`. Its answers have no trailers. */
export function createFetchListener(serve: RequestListener): FetchListener {
  return (request, { remoteAddress } = {}) =>
    new Promise((resolve, reject) => {
      const socket = new FetchSocket(remoteAddress)
      const incoming = new FetchRequest(request, socket)
      const outgoing = new FetchResponse(request.method, { resolve, reject })
      socket.on('close', () => {
        incoming.destroy()
        outgoing.destroy()
      })
      const { signal } = request
      const leave = (): void => {
        outgoing.leave()
        socket.destroy()
      }
      signal.addEventListener('abort', leave, { once: true })
      outgoing.on('close', () => {
        signal.removeEventListener('abort', leave)
        // Nobody needs the rest of a body whose answer was sent.
        incoming.destroy()
      })
      if (signal.aborted) return leave()
      serve(incoming as unknown as IncomingMessage, outgoing as unknown as ServerResponse)
    })
}

/** The connection of a request, as far as a listener sees it. Its bounds are those of the server that has it. */
class FetchSocket extends EventEmitter {
  readonly remoteAddress: string | undefined
  destroyed = false

  constructor(remoteAddress: string | undefined) {
    super()
    this.remoteAddress = remoteAddress
  }

  setTimeout(): this {
    return this
  }

  destroy(): void {
    if (this.destroyed) return
    this.destroyed = true
    this.emit('close')
  }

  destroySoon(): void {
    this.destroy()
  }

  resetAndDestroy(): void {
    this.destroy()
  }
}

/** Bodies that are no longer than this, by their header, are read at once, in bytes. */
const longestAtOnce = 65_536

class FetchRequest extends Readable {
  readonly httpVersion = '1.1'
  readonly method: string
  readonly socket: FetchSocket
  readonly rawHeaders: string[]
  url: string
  /** Whether the body has come whole. */
  complete: boolean
  readonly #request: Request
  #reader: ReadableStreamDefaultReader<Uint8Array> | undefined

  constructor(request: Request, socket: FetchSocket) {
    super()
    this.#request = request
    this.socket = socket
    this.method = request.method
    this.complete = request.method === 'GET' || request.method === 'HEAD'
    const begin = request.url.indexOf('/', request.url.indexOf('//') + 2)
    this.url = request.url.slice(begin)
    this.rawHeaders = rawHeadersOf(request, request.url.slice(request.url.indexOf('//') + 2, begin))
  }

  get headers(): Readonly<Record<string, string>> {
    return Object.fromEntries(this.#request.headers)
  }

  override _read(): void {
    this.#pull().catch(() => void this.destroy())
  }

  async #pull(): Promise<void> {
    const request = this.#request
    const length = request.headers.get('content-length')
    if (this.#reader === undefined && length !== null && Number(length) <= longestAtOnce) {
      const body = new Uint8Array(await request.arrayBuffer())
      this.complete = true
      if (body.byteLength > 0) this.push(body)
      return void this.push(null)
    }
    this.#reader ??= request.body?.getReader()
    const { done, value } = (await this.#reader?.read()) ?? { done: true }
    if (!done) return void this.push(value)
    this.complete = true
    this.push(null)
  }

  override _destroy(_why: Error | null, callback: (error: null) => void): void {
    this.#reader?.cancel().catch(() => {})
    callback(null)
  }
}

/** The headers flat, with the host that was asked. Headers that came twice are joined, which shows where a value may hold no comma. */
function rawHeadersOf({ headers }: Request, host: string): string[] {
  const raw: string[] = headers.has('host') ? [] : ['host', host]
  for (const [name, value] of headers) {
    const isOne = (name !== 'host' && name !== 'origin') || !value.includes(',')
    if (isOne) raw.push(name, value)
    else for (const each of value.split(',')) raw.push(name, each.trim())
  }
  return raw
}

/** Bytes that wait for the reader of an answer before its writer does. */
const waitingBytes = 65_536
/** Headers that belong to a connection. */
const ofConnection: ReadonlySet<string> = new Set(['connection', 'trailer', 'transfer-encoding'])
/** Statuses of answers that have no body. */
const withoutBody: ReadonlySet<number> = new Set([204, 205, 304])

/** The status of requests whose callers left. */
const callerLeftStatus = 499

/** The promise of an answer, from inside. */
interface Answer {
  resolve(response: Response): void
  reject(why: Error): void
}

class FetchResponse extends Writable {
  statusCode = 200
  headersSent = false
  shouldKeepAlive = true
  /** There is no place for trailers. */
  readonly chunkedEncoding = false
  readonly #isHead: boolean
  readonly #answer: Answer
  /** As an object, which servers pass on without a `Headers`. */
  readonly #headers: Record<string, string> = {}
  #body: ReadableStreamDefaultController<Uint8Array> | undefined
  #isBegun = false
  /** Bytes that `Content-Length` names and that were not written yet. */
  #missing = Number.NaN
  /** Called when the reader has taken what was written. */
  #taken: (() => void) | undefined

  constructor(method: string, answer: Answer) {
    super({ highWaterMark: waitingBytes, decodeStrings: true })
    this.#isHead = method === 'HEAD'
    this.#answer = answer
  }

  setHeader(name: string, value: string | number): this {
    const lowerCase = name.toLowerCase()
    if (lowerCase === 'content-length') this.#missing = Number(value)
    if (ofConnection.has(lowerCase)) return this
    const before = this.#headers[name]
    this.#headers[name] = before === undefined ? String(value) : `${before}, ${value}`
    return this
  }

  /** `headers`: flat, or by name. */
  writeHead(status: number, headers: readonly string[] | Readonly<Record<string, string>> = []): this {
    this.statusCode = status
    this.headersSent = true
    if (!Array.isArray(headers)) {
      for (const [name, value] of Object.entries(headers)) this.setHeader(name, value)
      return this
    }
    for (let i = 0; i + 1 < headers.length; i += 2) this.setHeader(headers[i]!, headers[i + 1]!)
    return this
  }

  flushHeaders(): void {
    this.#begin()
  }

  addTrailers(): void {}

  override end(...given: unknown[]): this {
    const [body, then] = given
    // An answer that is known whole needs no stream.
    if (typeof body === 'string' && !this.#isBegun && this.writableLength === 0) {
      this.#respond(body)
      return super.end(then as (() => void) | undefined)
    }
    return super.end(...(given as [unknown]))
  }

  override _write(chunk: Uint8Array, _encoding: string, callback: () => void): void {
    this.#begin()
    if (this.#body === undefined) return callback()
    this.#missing -= chunk.byteLength
    // A copy: the writer may use its memory again.
    this.#body.enqueue(Uint8Array.from(chunk))
    if (this.#body.desiredSize! > 0) callback()
    else this.#taken = callback
  }

  override _final(callback: () => void): void {
    if (!this.#isBegun) this.#respond(null)
    this.#body?.close()
    callback()
  }

  override _destroy(_why: Error | null, callback: (error: null) => void): void {
    this.#taken = undefined
    const why = new Error('the answer broke off')
    if (!this.#isBegun) this.#answer.reject(why)
    // Deno takes an answer for sent, and its caller for gone, once it has the bytes that were announced.
    else if (!this.writableFinished && this.#missing === 0) this.#body?.close()
    else if (!this.writableFinished) this.#body?.error(why)
    callback(null)
  }

  /** Answers a caller who has left, as far as that is still to do. */
  leave(): void {
    if (this.#isBegun) return
    this.statusCode = callerLeftStatus
    this.#respond(null)
  }

  /** Answers with a body that is still to come. */
  #begin(): void {
    if (this.#isBegun) return
    if (this.#isHead || withoutBody.has(this.statusCode)) return this.#respond(null)
    const source: UnderlyingDefaultSource<Uint8Array> = {
      start: (controller) => void (this.#body = controller),
      pull: () => {
        const taken = this.#taken
        this.#taken = undefined
        taken?.()
      },
      cancel: () => {
        this.#body = undefined
        this.destroy()
      },
    }
    const size = (chunk: Uint8Array | undefined): number => chunk?.byteLength ?? 0
    this.#respond(new ReadableStream(source, { highWaterMark: waitingBytes, size }))
  }

  #respond(body: BodyInit | null): void {
    this.#isBegun = true
    this.headersSent = true
    const { statusCode: status } = this
    const isEmpty = this.#isHead || withoutBody.has(status)
    this.#answer.resolve(new Response(isEmpty ? null : body, { status, headers: this.#headers }))
  }
}
