import type { RawJson, RpcRequest, RpcResponse } from '@wayleave/jsonrpc-core'
import type { Header } from './position.ts'

/** The names under which nodes tell blocks. */
export type HeadTag = 'latest' | SettledTag

/** The names of blocks that are not expected to be replaced. They move rarely, and are asked for only when somebody wants them. */
export type SettledTag = 'safe' | 'finalized'

/** The questions that a family of nodes is asked for its chain and its heads, and how its answers are read. Nothing here throws. */
export interface HeadReader {
  /** Asks a node for its chain. */
  readonly chainId: RpcRequest
  /** The chain that it has to name, as `chainOf` prints it. */
  readonly expectedChain: string
  /** Reads the chain of an answer, normalised; undefined where it is no answer to the question. */
  chainOf(response: RpcResponse): string | undefined
  /** Asks a node for a block; undefined where the family has no such tag. */
  head(tag: HeadTag): RpcRequest | undefined
  /** Asks a node for a block by its hash. Absent where heads do not name their parents. */
  block?(hash: string): RpcRequest
  /** Reads the header of an answer; undefined where it is no answer to the question. */
  positionOf(response: RpcResponse): Header | undefined
  /** Opens the subscription that pushes new heads, where the family has one. */
  readonly newHeads?: RpcRequest | undefined
  /** Reads a pushed head; undefined where it is none. */
  positionOfPush?(item: RawJson): Header | undefined
  /** Whether nodes of this chain may push blocks before they are sealed, by a pushed head. Absent where none does. */
  mayBeUnsealed?(item: RawJson): boolean
}
