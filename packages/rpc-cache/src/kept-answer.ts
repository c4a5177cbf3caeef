/** The origin of answers, such as an upstream: once `isDropped`, none of them is given any more. */
export interface AnswerSource {
  readonly isDropped: boolean
}

/** An answer as it is kept: the bytes of its result, never parsed when it is served, and the place that it depends on. */
export interface KeptAnswer {
  /** The JSON text of the result, of ASCII alone; or its UTF-8 bytes, encoded as `encoding` says, which nobody changes. */
  readonly body: string | Uint8Array
  /** Default: none. */
  readonly encoding?: 'zstd' | undefined
  /** The length of the result in UTF-8 bytes. */
  readonly byteLength: number
  /** Whether the answer holds for ever: no reorg that the chain allows touches it. */
  readonly isFinal: boolean
  /** The highest block that the answer depends on. Absent: none if it is final; else unknown, and any reorg drops it. */
  readonly height?: number | undefined
  /** The hash of that block, where it is known. */
  readonly hash?: string | undefined
  /** A word of the host's, given back with a hit: a level of verification, say. */
  readonly mark?: string | undefined
  /** Its origin, in this process alone. Absent: it is not known. */
  readonly source?: AnswerSource | undefined
}
