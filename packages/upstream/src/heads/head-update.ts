import type { RawJson } from '@wayleave/jsonrpc-core'
import type { Position } from './position.ts'

/** A change of the served head. */
export interface HeadUpdate {
  /**
   * `new`: it is the head. `dropped`: it was served, and is not on the chain of the head that follows; the last head is always told,
   * earlier ones where an upstream told the block that replaces them.
   */
  readonly kind: 'new' | 'dropped'
  readonly at: Position
  /** The header as a node told it; undefined where it is no longer kept. */
  readonly header?: RawJson | undefined
}
