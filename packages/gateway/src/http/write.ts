import type { ServerResponse } from 'node:http'
import type { Flights } from './in-flight.ts'
import { type Clock, createMappedBuffer, type RpcContext, type RpcError, toRpcError } from '@wayleave/jsonrpc-core'

/** Bytes that an answer holds while it streams: the buffers of both of its connections. */
export const streamCost = 1_310_720

/** Copies a part that waits for its reader: its own memory goes back to the system, that of a connection's buffers does not. */
function copyOf(part: Uint8Array): Uint8Array {
  const copy = new Uint8Array(createMappedBuffer(part.byteLength))
  copy.set(part)
  return copy
}

/** Writes a body that came whole, in chunks. */
export function writeChunks(response: ServerResponse, chunks: readonly Uint8Array[]): void {
  response.cork()
  for (const chunk of chunks) response.write(chunk)
  response.end()
  response.uncork()
}

export interface ArrivingOptions {
  readonly context: RpcContext
  readonly flights: Flights
  /** Undefined where so many bytes may be passed on now; else resolves when they may. */
  readonly turn: (bytes: number) => Promise<void> | undefined
  /** Called with the size of each part. */
  readonly onPassed: (bytes: number) => void
}

/**
 * Writes the rest of a body that is still arriving, in turns with others, and as fast as it is taken. If the
 * body breaks off, or the context is cancelled, the connection is destroyed: the status was sent, and a short body must not look whole.
 * While the reader takes nothing, what the answer holds counts as unsent.
 * Resolves with the error that broke it off, if any.
 */
export async function writeArriving(
  response: ServerResponse,
  first: Uint8Array,
  source: AsyncIterator<Uint8Array>,
  { context, flights, turn, onPassed }: ArrivingOptions,
): Promise<RpcError | undefined> {
  const taken = async (): Promise<void> => {
    flights.addUnsent(streamCost)
    await drained(response)
    flights.removeUnsent(streamCost)
  }
  const forget = context.onCancel(() => response.destroy())
  try {
    if (!response.write(first)) await taken()
    for (;;) {
      const { done, value } = await source.next()
      if (done === true) break
      if (response.destroyed) return context.cancelled
      if (!response.write(response.writableLength === 0 ? value : copyOf(value))) await taken()
      onPassed(value.byteLength)
      const next = turn(value.byteLength)
      if (next !== undefined) await next
    }
    response.end()
    return undefined
  } catch (thrown) {
    response.destroy()
    return toRpcError(thrown, 'disconnected', 'the answer broke off')
  } finally {
    forget()
    source.return?.().then(undefined, () => {})
  }
}

/** Resolves when the connection has taken what was written, or is gone. */
function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    if (response.destroyed) return resolve()
    const go = (): void => {
      response.off('drain', go)
      response.off('close', go)
      resolve()
    }
    response.on('drain', go)
    response.on('close', go)
  })
}

/**
 * Writes server-sent events as fast as they are taken. The answer ends with the events, or after `idleMs` of nothing but comments.
 * Never rejects.
 */
export async function writeEvents(
  response: ServerResponse,
  events: AsyncIterable<string>,
  clock: Clock,
  idleMs: number,
): Promise<void> {
  let activeAt = clock.now()
  try {
    for await (const part of events) {
      if (response.destroyed) break
      if (!part.startsWith(':')) activeAt = clock.now()
      else if (clock.now() - activeAt >= idleMs) break
      if (!response.write(part)) await drained(response)
    }
    response.end()
  } catch {
    // The status was sent, and a short answer must not look whole.
    response.destroy()
  }
}

/** Bytes between two collections: they take several milliseconds to pass, a collection a fraction of one. */
const bytesBetween = 8_000_000

/**
 * Makes the counter of bytes of large answers that have passed; it has their buffers collected now and then. Each read leaves a
 * buffer of 64 kB outside V8's heap behind a few bytes inside it, so V8 sees no reason to collect. Eight answers of 10 MB at once
 * held 245 MB, and hold 130 MB like this, at less CPU time.
 */
export function createBufferRelief(collectYoung: () => void): (bytes: number) => void {
  let passed = 0
  return (bytes) => {
    passed += bytes
    if (passed < bytesBetween) return
    passed = 0
    collectYoung()
  }
}
