/** An account of bytes that a host lets somebody hold, so that all of them together have a bound. */
export interface ByteAccount {
  /** Holds `bytes` more; false where they may not be held: nothing is held then. */
  take(bytes: number): boolean
  /** Holds `bytes` less. */
  give(bytes: number): void
  /** Holds `bytes` more of something that arrives, as `take` does, but may wait for its turn. Default: `take`. */
  arrive?(bytes: number): boolean | Promise<boolean>
  /** Makes the error of a call whose bytes may not be held: an `RpcError` `overloaded`, with what its caller is told. */
  refusal(): Error
}
