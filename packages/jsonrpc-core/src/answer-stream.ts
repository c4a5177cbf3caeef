import { invalid } from './answer.ts'
import { BlockList } from './block-list.ts'
import type { ByteAccount } from './byte-account.ts'
import { ChunkList } from './chunk-list.ts'
import { RpcError } from './error.ts'
import { createFrameScanner, createFrameTail } from './frame-scanner.ts'
import { portFailure } from './port-failure.ts'
import { rawJsonFromChunks } from './raw-json.ts'
import type { RawJson, RawJsonStream } from './wire.ts'

/**
 * Makes a stream of the result of an answer that is still arriving. `begun` holds the chunks that came, and belongs to the
 * stream from now on; `source` gives the rest; `offset` is the index of the result in the first chunk; `account` pays for what is
 * collected of it; `announcedBytes` is the length that the peer announced.
 */
export function createAnswerStream(
  begun: Uint8Array[],
  source: AsyncIterator<Uint8Array>,
  offset: number,
  account?: ByteAccount,
  announcedBytes?: number,
): RawJsonStream {
  const reader = new ResultReader(begun, source, offset)
  let used = false
  return {
    streaming: true,
    account,
    announcedBytes,
    cancel: () => reader.end(new RpcError('aborted', 'the stream was cancelled')),
    [Symbol.asyncIterator]() {
      if (used) throw new TypeError('a stream is read once')
      used = true
      return reader
    },
  }
}

const over: IteratorReturnResult<undefined> = { done: true, value: undefined }

/** Cuts the result out of its frame. A generator would not do: its `return` would wait for a read that may never end. */
class ResultReader implements AsyncIterator<Uint8Array> {
  readonly #begun: Uint8Array[]
  readonly #source: AsyncIterator<Uint8Array>
  readonly #scanner = createFrameScanner()
  readonly #tail = createFrameTail()
  #from: number
  #resultEnded = false
  #over = false
  #why: RpcError | undefined

  constructor(begun: Uint8Array[], source: AsyncIterator<Uint8Array>, offset: number) {
    this.#begun = begun
    this.#source = source
    this.#from = offset
  }

  async next(): Promise<IteratorResult<Uint8Array>> {
    try {
      while (!this.#over) {
        let chunk = this.#begun.shift()
        if (chunk === undefined) {
          const { done, value } = await this.#source.next()
          if (this.#over) break
          if (done === true) {
            if (!this.#tail.closed) throw new RpcError('disconnected', 'the response ended within its result')
            this.#over = true
            return over
          }
          chunk = value
        }
        const part = this.#cut(chunk)
        if (part.byteLength > 0) return { done: false, value: part }
      }
    } catch (thrown) {
      this.end()
      throw this.#why ?? portFailure(thrown, 'while the response was read')
    }
    if (this.#why !== undefined) throw this.#why
    return over
  }

  async return(): Promise<IteratorResult<Uint8Array>> {
    this.end()
    return over
  }

  /** Ends the source. Later reads throw `why`. */
  end(why?: RpcError): void {
    if (this.#over) return
    this.#over = true
    this.#why = why
    this.#begun.length = 0
    this.#source.return?.().then(undefined, () => {})
  }

  /** Returns the part of the chunk that belongs to the result. */
  #cut(chunk: Uint8Array): Uint8Array {
    const from = this.#from
    this.#from = 0
    const end = this.#resultEnded ? 0 : this.#scanner.scan(chunk, from)
    if (end < 0) return chunk.subarray(from)
    if (!this.#scanner.begun || !this.#tail.accept(chunk, end)) throw invalid('the result leaves its frame')
    if (this.#resultEnded) return chunk.subarray(0, 0)
    this.#resultEnded = true
    return chunk.subarray(from, end)
  }
}

/**
 * Collects a stream into a value; its account pays while it arrives, and whoever keeps the value from then on.
 * @throws RpcError `too_large` past `cap` bytes, `overloaded` where its account may not hold it, or what the stream throws.
 */
export async function collectStream(stream: RawJsonStream, cap: number): Promise<RawJson> {
  const { account } = stream
  const held = account === undefined ? new ChunkList() : new BlockList()
  let paid = 0
  try {
    for await (const chunk of stream) {
      if (held.byteLength + chunk.byteLength > cap)
        throw new RpcError('too_large', `the result is longer than ${cap} bytes`)
      if (account !== undefined) {
        const isHeld = account.arrive?.(chunk.byteLength) ?? account.take(chunk.byteLength)
        if (!(typeof isHeld === 'boolean' ? isHeld : await isHeld)) throw account.refusal()
        paid += chunk.byteLength
      }
      held.add(chunk)
    }
    return rawJsonFromChunks(held.chunks)
  } finally {
    account?.give(paid)
  }
}
