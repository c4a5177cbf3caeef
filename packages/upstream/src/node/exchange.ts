import { type ArrivingHttpBody, type HttpReply, type RpcContext, RpcError } from '@wayleave/jsonrpc-core'
import { decodeBody } from './decode-body.ts'
import { type KeptSocket, writesNext } from './kept-socket.ts'
import { markStale } from '../repeat-stale.ts'
import type { Turns } from '../turns.ts'

/** Bodies up to this length are collected, in bytes. */
const longestCollected = 131_072
/** Bytes of a body that are read at once, whatever else arrives. */
const readAtOnce = 65_536
/** Bytes that take as long to read as one unit of {@link Turns}: a body may be whole after them, which is more work. */
const bytesPerUnit = 4_096
/** Unread bytes at which the connection is paused. */
const highWater = 65_536

/** The load of an origin: requests that wait, run, or whose body is still arriving. */
export interface Load {
  inFlight: number
  /** Shared by the bodies of a process; undefined: each is read as fast as it comes. */
  readonly turns: Turns | undefined
  /** Counts how often its connections were renewed. */
  generation: number
  /** Called when a kept connection of a generation broke before the answer began: its others may be stale, too. */
  readonly onStale: (generation: number) => void
}

/** One request and its response, as the handler of undici's `dispatch`. */
export class Exchange {
  readonly #context: RpcContext
  readonly #load: Load
  readonly #generation: number
  readonly #resolve: (reply: HttpReply) => void
  readonly #reject: (why: RpcError) => void
  readonly #forget: () => void
  #abort: ((why: Error) => void) | undefined
  #socket: KeptSocket | undefined
  /** Whether the connection had served another call before. */
  #isKept = false
  #resume: (() => void) | undefined
  #status = 0
  #rawHeaders: readonly Buffer[] = []
  #chunks: Uint8Array[] = []
  #length = 0
  #body: ArrivingBody | undefined
  /** Its reader has enough. */
  #isFull = false
  /** Others have their turn. */
  #isWaiting = false

  constructor(context: RpcContext, load: Load, resolve: (reply: HttpReply) => void, reject: (why: RpcError) => void) {
    this.#context = context
    this.#load = load
    this.#generation = load.generation
    load.inFlight++
    this.#resolve = resolve
    this.#reject = reject
    this.#forget = context.onCancel((why) => {
      if (this.#abort !== undefined) this.#abort(why)
      else reject(new RpcError(why.code, why.message, { cause: why, delivery: 'not_sent' }))
    })
  }

  onConnect(abort: (why?: Error) => void): void {
    const { cancelled } = this.#context
    // Thrown, not aborted: the connection stays good for the next call.
    if (cancelled !== undefined) throw cancelled
    this.#abort = abort
    writesNext(this)
  }

  sentOn(socket: KeptSocket): void {
    this.#socket = socket
    this.#isKept = socket.hasAnswered === true
  }

  onHeaders(status: number, rawHeaders: readonly Buffer[], resume: () => void): boolean {
    this.#status = status
    this.#rawHeaders = rawHeaders
    this.#resume = resume
    if (this.#socket !== undefined) this.#socket.hasAnswered = true
    // One that says that it is long waits before it costs anything.
    if (this.#load.turns !== undefined && (announcedBytes(rawHeaders) ?? 0) > readAtOnce) this.#takeTurn(0)
    return !this.#isWaiting
  }

  onData(chunk: Uint8Array): boolean {
    this.#length += chunk.byteLength
    this.#take(chunk)
    if (this.#length > readAtOnce) this.#takeTurn(chunk.byteLength)
    return !this.#isFull && !this.#isWaiting
  }

  /** Lets others go first where `bytes` more were read than is good for a turn. */
  #takeTurn(bytes: number): void {
    if (this.#isWaiting) return
    const turn = this.#load.turns?.take(undefined, bytes / bytesPerUnit)
    if (turn === undefined) return
    this.#isWaiting = true
    void turn.then(() => {
      this.#isWaiting = false
      if (!this.#isFull) this.#resume!()
    })
  }

  #take(chunk: Uint8Array): void {
    if (this.#body !== undefined) {
      this.#isFull = !this.#body.push(chunk)
      return
    }
    // Most bodies are one chunk: `push` would make room for more.
    if (this.#chunks.length === 0) this.#chunks = [chunk]
    else this.#chunks.push(chunk)
    if (this.#length <= longestCollected) return
    const onRead = (): void => {
      this.#isFull = false
      if (!this.#isWaiting) this.#resume!()
    }
    const announced = announcedBytes(this.#rawHeaders)
    const start = this.#chunks[0]
    this.#body = new ArrivingBody(this.#chunks, this.#length, announced, onRead, (why) => this.#abort!(why))
    this.#answer(this.#body, start)
  }

  onComplete(): void {
    this.#load.inFlight--
    this.#forget()
    if (this.#body === undefined) this.#answer(this.#chunks, this.#chunks[0])
    else this.#body.end()
  }

  onError(thrown: Error): void {
    this.#load.inFlight--
    this.#forget()
    const isStale = this.#isKept && this.#status === 0 && this.#context.cancelled === undefined
    if (isStale) this.#load.onStale(this.#generation)
    const why = this.#context.cancelled ?? connectionError(thrown, this.#abort !== undefined)
    if (isStale) markStale(why)
    if (this.#body === undefined) this.#reject(why)
    else this.#body.end(why)
  }

  /** Reads a header of the response. */
  get(name: string): string | null {
    return findHeader(this.#rawHeaders, name)
  }

  #answer(body: HttpReply['body'], start: Uint8Array | undefined): void {
    const coding = this.get('content-encoding')
    try {
      const read = coding === null ? body : decodeBody(body, coding, start)
      this.#resolve({ status: this.#status, headers: this, body: read })
    } catch (thrown) {
      this.#body?.return().catch(() => {})
      // A body that cannot be read must not hide what an error status says.
      if (this.#status < 400) this.#reject(thrown as RpcError)
      else this.#resolve({ status: this.#status, headers: this, body: [] })
    }
  }
}

function findHeader(raw: readonly Buffer[], name: string): string | null {
  for (let i = 0; i + 1 < raw.length; i += 2) {
    if (raw[i]!.length === name.length && raw[i]!.toString('latin1').toLowerCase() === name)
      return raw[i + 1]!.toString('latin1')
  }
  return null
}

function announcedBytes(raw: readonly Buffer[]): number | undefined {
  const length = findHeader(raw, 'content-length')
  return length === null ? undefined : Number(length)
}

/** Keeps the code of undici's error only: its message may name the origin. */
function connectionError(thrown: Error, sent: boolean): RpcError {
  if (thrown instanceof RpcError) return thrown
  const code = (thrown as { code?: unknown }).code
  const cause = new Error(typeof code === 'string' ? code : thrown.name)
  return sent
    ? new RpcError('disconnected', `the connection broke before the response ended (${cause.message})`, { cause })
    : new RpcError('connect', `no connection could be made (${cause.message})`, { cause, delivery: 'not_sent' })
}

/** A body that is read while it arrives. It pauses its connection when its reader is slow, and ends it when the reader leaves. */
class ArrivingBody implements AsyncIterableIterator<Uint8Array>, ArrivingHttpBody {
  readonly announcedBytes: number | undefined
  readonly #resume: () => void
  readonly #abort: (why: Error) => void
  #queue: Uint8Array[]
  #queued: number
  #paused = false
  #ended = false
  #why: RpcError | undefined
  #reader: { resolve: (result: IteratorResult<Uint8Array>) => void; reject: (why: RpcError) => void } | undefined

  constructor(
    queue: Uint8Array[],
    queued: number,
    announced: number | undefined,
    resume: () => void,
    abort: (why: Error) => void,
  ) {
    this.#queue = queue
    this.#queued = queued
    this.announcedBytes = announced
    this.#resume = resume
    this.#abort = abort
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  push(chunk: Uint8Array): boolean {
    const reader = this.#reader
    if (reader !== undefined) {
      this.#reader = undefined
      reader.resolve({ done: false, value: chunk })
      return true
    }
    this.#queue.push(chunk)
    this.#queued += chunk.byteLength
    this.#paused = this.#queued > highWater
    return !this.#paused
  }

  end(why?: RpcError): void {
    if (this.#ended) return
    this.#ended = true
    this.#why = why
    const reader = this.#reader
    this.#reader = undefined
    if (reader === undefined) return
    if (why === undefined) reader.resolve({ done: true, value: undefined })
    else reader.reject(why)
  }

  next(): Promise<IteratorResult<Uint8Array>> {
    const chunk = this.#queue.shift()
    if (chunk !== undefined) {
      this.#queued -= chunk.byteLength
      if (this.#paused && this.#queued <= highWater / 2) {
        this.#paused = false
        this.#resume()
      }
      return Promise.resolve({ done: false, value: chunk })
    }
    if (this.#why !== undefined) return Promise.reject(this.#why)
    if (this.#ended) return Promise.resolve({ done: true, value: undefined })
    return new Promise((resolve, reject) => {
      this.#reader = { resolve, reject }
    })
  }

  return(): Promise<IteratorResult<Uint8Array>> {
    this.#queue = []
    this.#why = undefined
    if (!this.#ended) {
      this.end()
      this.#abort(new RpcError('aborted', 'the reader left'))
    }
    return Promise.resolve({ done: true, value: undefined })
  }
}
