import type { QueuedEntry } from './eviction-queue.ts'
import type { AnswerSource, KeptAnswer } from './kept-answer.ts'

/** An entry of the memory: an answer with its places in the queue of evictions and in the list of its height. */
export class StoredAnswer implements KeptAnswer, QueuedEntry<StoredAnswer> {
  readonly key: string
  readonly keyHash: number
  readonly body: string | Uint8Array
  readonly encoding: 'zstd' | undefined
  readonly byteLength: number
  readonly isFinal: boolean
  readonly height: number | undefined
  readonly hash: string | undefined
  readonly mark: string | undefined
  readonly source: AnswerSource | undefined
  /** Bytes that the entry takes in all. */
  readonly bytes: number
  /** The partition that it lies in. */
  readonly home: { readonly tally: { evictions: number }; delete(key: string): void }
  uses = 0
  isMain = false
  older: StoredAnswer | undefined
  newer: StoredAnswer | undefined
  previousOfHeight: StoredAnswer | undefined
  nextOfHeight: StoredAnswer | undefined

  constructor(key: string, keyHash: number, kept: KeptAnswer, bytes: number, home: StoredAnswer['home']) {
    this.key = key
    this.keyHash = keyHash
    this.body = kept.body
    this.encoding = kept.encoding
    this.byteLength = kept.byteLength
    this.isFinal = kept.isFinal
    this.height = kept.height
    this.hash = kept.hash
    this.mark = kept.mark
    this.source = kept.source
    this.bytes = bytes
    this.home = home
    this.older = this.newer = this.previousOfHeight = this.nextOfHeight = undefined
  }
}
