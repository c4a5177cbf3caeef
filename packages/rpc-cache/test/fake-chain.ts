import type { Position } from '@wayleave/jsonrpc-core'
import type { CacheChain } from '@wayleave/rpc-cache'

/** A chain that a test moves by hand. */
export class FakeChain implements CacheChain {
  head: Position | undefined
  finalized: Position | undefined
  readonly blockTimeMs = 12_000
  readonly listeners = new Set<(lastKept: number) => void>()
  #fork = 0

  constructor(head = 100, finalized = 90) {
    this.head = this.at(head)
    this.finalized = this.at(finalized)
  }

  /** Returns the block of this fork at a height. */
  at(height: number): Required<Position> {
    return { height, hash: `0x${this.#fork.toString(16)}${height.toString(16)}` }
  }

  advance(blocks = 1): void {
    this.head = this.at(this.head!.height + blocks)
  }

  finalize(height: number): void {
    this.finalized = this.at(height)
  }

  /** Replaces the blocks above a height by as many others. */
  reorg(lastKept: number): void {
    this.#fork++
    for (const listener of this.listeners) listener(lastKept)
    this.head = this.at(this.head!.height)
  }

  has({ height, hash }: Required<Position>): boolean {
    return hash === this.at(height).hash
  }

  onReorg(listener: (lastKept: number) => void): () => void {
    this.listeners.add(listener)
    return () => void this.listeners.delete(listener)
  }
}
