import type { ServerResponse } from 'node:http'
import { type Clock, type RpcContext, type RpcError, toRpcError } from '@wayleave/jsonrpc-core'
import { type Blocks, blockBytes, BlockWriter } from './block-writer.ts'
import type { Flights } from './in-flight.ts'

/** Bytes that an answer holds while it streams: the buffers of both of its connections, and its block. */
export const streamCost: number = 1_310_720 + blockBytes

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
  readonly blocks: Blocks
  readonly clock: Clock
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
  { context, flights, blocks, clock, turn, onPassed }: ArrivingOptions,
): Promise<RpcError | undefined> {
  const writer = new BlockWriter(response, {
    blocks,
    clock,
    onWait: () => flights.addUnsent(streamCost),
    onTaken: () => flights.removeUnsent(streamCost),
  })
  const forget = context.onCancel(() => response.destroy())
  try {
    let part: Uint8Array | undefined = first
    while (part !== undefined) {
      const added = writer.add(part)
      if (added !== undefined) await added
      onPassed(part.byteLength)
      const next = turn(part.byteLength)
      if (next !== undefined) await next
      const read: IteratorResult<Uint8Array> = await source.next()
      if (response.destroyed) return context.cancelled
      part = read.done === true ? undefined : read.value
    }
    await writer.end()
    return undefined
  } catch (thrown) {
    response.destroy()
    return toRpcError(thrown, 'disconnected', 'the answer broke off')
  } finally {
    forget()
    writer.close()
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
