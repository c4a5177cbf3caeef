import type { RawJson, RpcErrorObject, RpcRequest, RpcResponse } from '@wayleave/jsonrpc-core'
import type { CachedQuestion } from '@wayleave/rpc-cache'
import type { Position } from '@wayleave/upstream'

/** The heads of a network, as they are known at the moment of a call. */
export interface CacheHeads {
  /** The served head; undefined where it is not known now, or the caller may not be told. */
  readonly head: Position | undefined
  /** The height of the finalized block; undefined where none is known. */
  readonly finalized: number | undefined
  /**
   * A height so far below the served head that no upstream which stands with it can be on another branch there, or not have got there yet;
   * undefined where none is known. Default: none is.
   */
  readonly settled?: number | undefined
  /** The hash of the served chain's block at a height; undefined where it is not known now. */
  hashAt(height: number): string | undefined
}

/** The glue between a family's facts and the cache: the names of its questions, and the time for which their answers hold. */
export interface CacheKind {
  /** The answer to a call that asks for nothing but the served head; undefined: it asks for more. */
  answerAt(request: RpcRequest, head: Position): RpcResponse | undefined
  /** The question that a call asks; undefined: it passes. Never throws. */
  classify(request: RpcRequest, heads: CacheHeads): CachedQuestion | undefined
  /** The block that an answer names; undefined: none. `result`: the answer to the call as it was sent. */
  positionOf(request: RpcRequest, result: RawJson): Position | undefined
  /** Whether an answer says that there is nothing, or is cut short, so that it may be kept only where it is final: `[]`, `0x`. */
  isEmpty(result: RawJson): boolean
  /** Whether an answer must not be kept at all: null, a trace that ran out of time, the id of another chain. */
  isUnsound(request: RpcRequest, result: RawJson): boolean
  /**
   * Whether an answer has its method's shape and names what was asked for. `isHashed`: whether a block hashes to the hash that it gives itself.
   * May throw the `RpcError` of a result that is not JSON.
   */
  isNamed(
    request: RpcRequest,
    life: CachedQuestion['life'],
    result: RawJson,
    isHashed: (block: Readonly<Record<string, unknown>>) => boolean,
  ): boolean
  /** Whether an error is the answer of a node that has the block. Default: that of a revert. */
  isAnswer?(error: RpcErrorObject): boolean
  /** Asks a node for its block at a height. */
  blockAt(height: number): RpcRequest
  /** Reads the hash of an answer to that question, as heads have it; null: the node has no such block, undefined: it is no answer. Never throws. */
  hashIn(response: RpcResponse): string | null | undefined
  /** Whether a call may change blocks that are final, or their state: commands of development nodes. */
  resets(method: string): boolean
}
