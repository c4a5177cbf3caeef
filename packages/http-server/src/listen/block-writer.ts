import type { ServerResponse } from 'node:http'
import { type Clock, createMappedBuffer } from '@wayleave/jsonrpc-core'

/** Length of a block, in bytes: the most of a long answer that is written at once. */
export const blockBytes = 262_144

/** Time after which a block is written that is not full, in ms: parts come one by one, and the next ones soon. */
const longestWaitMs = 2

/** Blocks that long answers are written from. A process uses the same few again and again. */
export interface Blocks {
  take(): Uint8Array
  /** Takes a block back that nothing reads any more. */
  give(block: Uint8Array): void
}

/** Creates the blocks of a process; at most `mostIdle` unused ones are kept. */
export function createBlocks(mostIdle = 16): Blocks {
  const idle: Uint8Array[] = []
  return {
    take: () => idle.pop() ?? new Uint8Array(createMappedBuffer(blockBytes)),
    give(block) {
      if (idle.length < mostIdle) idle.push(block)
    },
  }
}

export interface BlockWriterOptions {
  readonly blocks: Blocks
  readonly clock: Clock
  /** Called when the reader does not take a block at once, and when it has. */
  readonly onWait: () => void
  readonly onTaken: () => void
}

/**
 * Writes the parts of a long body from a block, into which each is copied as it comes. So the buffer that a part was read into is garbage
 * at once, which a collection of young garbage frees; and the kernel is asked once a block, not once a part.
 */
export class BlockWriter {
  readonly #response: ServerResponse
  readonly #options: BlockWriterOptions
  readonly #block: Uint8Array
  #used = 0
  /** Settles when the block may be filled again: the kernel has its bytes, or the response is gone. */
  #writing: Promise<void> | undefined
  #unplan: (() => void) | undefined
  /** Whether the kernel may still read the block after the response has gone. */
  #isUnsure = false
  #isClosed = false

  constructor(response: ServerResponse, options: BlockWriterOptions) {
    this.#response = response
    this.#options = options
    this.#block = options.blocks.take()
  }

  /** Adds a part, whose buffer may be used again once it is added; a promise if that has to wait for the reader. */
  add(part: Uint8Array): Promise<void> | undefined {
    if (this.#writing !== undefined || part.byteLength > blockBytes - this.#used) return this.#addInPieces(part)
    this.#copy(part)
    return undefined
  }

  async #addInPieces(part: Uint8Array): Promise<void> {
    let at = 0
    while (at < part.byteLength && !this.#response.destroyed) {
      if (this.#writing !== undefined) await this.#writing
      const piece = part.subarray(at, at + blockBytes - this.#used)
      this.#copy(piece)
      at += piece.byteLength
    }
  }

  #copy(part: Uint8Array): void {
    this.#block.set(part, this.#used)
    this.#used += part.byteLength
    if (this.#used === blockBytes) this.#write()
    else this.#unplan ??= this.#options.clock.after(longestWaitMs, () => this.#write())
  }

  #stop(): void {
    this.#unplan?.()
    this.#unplan = undefined
  }

  #write(): void {
    this.#stop()
    const response = this.#response
    // A write to one that is gone would emit an error.
    if (response.destroyed) {
      this.#used = 0
      return
    }
    const { onWait, onTaken } = this.#options
    let resolve = (): void => {}
    const promise = new Promise<void>((settled) => (resolve = settled))
    const part = this.#block.subarray(0, this.#used)
    this.#writing = promise
    this.#isUnsure = true
    const settle = (): void => {
      response.off('close', settle)
      if (this.#writing !== promise) return
      this.#writing = undefined
      this.#used = 0
      if (isWaiting) onTaken()
      resolve()
    }
    let isWaiting = false
    response.on('close', settle)
    const isTaken = response.write(part, (failed) => {
      if (failed === undefined || failed === null) this.#isUnsure = false
      // Node 26 fails write after write before the response counts as gone, which takes a turn of the event loop.
      else response.destroy()
      settle()
    })
    if (isTaken || this.#writing !== promise) return
    isWaiting = true
    onWait()
  }

  /** Writes what is left, and ends the response. */
  async end(): Promise<void> {
    if (this.#writing !== undefined) await this.#writing
    const response = this.#response
    this.#stop()
    if (response.destroyed) return
    const rest = this.#block.subarray(0, this.#used)
    this.#used = 0
    this.#isUnsure = true
    const finished = (): void => {
      this.#isUnsure = false
      this.close()
    }
    if (rest.byteLength > 0) response.end(rest, finished)
    else response.end(finished)
  }

  /** Gives the block back, unless bytes of it are on their way. */
  close(): void {
    this.#stop()
    if (this.#isClosed || this.#isUnsure) return
    this.#isClosed = true
    this.#used = 0
    this.#options.blocks.give(this.#block)
  }
}
