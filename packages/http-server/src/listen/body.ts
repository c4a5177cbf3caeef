import type { IncomingMessage } from 'node:http'
import { createMappedBuffer, type MappedBuffer } from '@wayleave/jsonrpc-core'

/** The reason why a body is not given: it is longer than the cap, or may not be held. */
export type BodyRefusal = 'too_large' | 'not_held'

/** Asks for leave to hold so many bytes more. */
export type Hold = (bytes: number) => boolean

/** Bytes by which a buffer grows. */
const step = 65_536
const nothing = new Uint8Array()

/** A body that is gathered while it comes, so that tiny chunks cost little more than their bytes. */
export class GatheredBody {
  readonly #cap: number
  readonly #hold: Hold
  #first: Uint8Array | undefined
  #buffer: MappedBuffer | undefined
  #length = 0

  /** `cap`: longest body. `hold` is asked for what the buffer really takes. */
  constructor(cap: number, hold: Hold) {
    this.#cap = cap
    this.#hold = hold
  }

  /** Adds a chunk, which belongs to the body from now on; returns why it may not be added. */
  add(chunk: Uint8Array): BodyRefusal | undefined {
    const begin = this.#length
    const length = begin + chunk.byteLength
    if (length > this.#cap) return 'too_large'
    // Nearly every body is one chunk.
    if (this.#first === undefined) {
      if (!this.#hold(length)) return 'not_held'
      this.#first = chunk
    } else {
      const room = this.#buffer?.byteLength ?? 0
      if (length > room) {
        const more = Math.min(Math.ceil(length / step) * step, this.#cap)
        if (!this.#hold(more - (room === 0 ? begin : room))) return 'not_held'
        this.#grow(more)
      }
      new Uint8Array(this.#buffer!).set(chunk, begin)
    }
    this.#length = length
    return undefined
  }

  /** Grows in place: nothing is copied but the first chunk. */
  #grow(room: number): void {
    if (this.#buffer !== undefined) return this.#buffer.resize(room)
    this.#buffer = createMappedBuffer(room, this.#cap)
    new Uint8Array(this.#buffer).set(this.#first!)
    this.#first = nothing
  }

  /** The bytes that have come. */
  get bytes(): Uint8Array {
    return this.#buffer === undefined ? (this.#first ?? nothing) : new Uint8Array(this.#buffer, 0, this.#length)
  }
}

/**
 * Calls `done` once: with the body, or as soon as that is known with the reason why it is not given; the rest is then not read.
 * A body that breaks off is never reported, since its connection is gone.
 */
export function readBody(
  request: IncomingMessage,
  declaredLength: string | undefined,
  cap: number,
  hold: Hold,
  done: (body: Uint8Array | BodyRefusal) => void,
): void {
  if (Number(declaredLength) > cap) return done('too_large')
  let body: GatheredBody | undefined = new GatheredBody(cap, hold)
  request.on('data', (chunk: Uint8Array) => {
    const refused = body?.add(chunk)
    if (refused === undefined) return
    body = undefined
    done(refused)
  })
  request.on('end', () => {
    if (body === undefined) return
    const { bytes } = body
    // The request outlives its body.
    body = undefined
    done(bytes)
  })
}
