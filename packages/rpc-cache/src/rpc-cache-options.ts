import type { Position, RawJson, RpcContext, RpcMeta, RpcRequest, RpcResult } from '@wayleave/jsonrpc-core'
import type { CacheChain } from './cache-chain.ts'
import type { Compression } from './compression.ts'
import type { AnswerSource } from './kept-answer.ts'
import type { MemoryStore } from './memory-store.ts'
import type { CacheOutcome } from './outcome.ts'
import type { CachedQuestion } from './question.ts'
import type { SharedCache } from './shared-cache.ts'

/** A whole result of a node. */
export interface WholeResult extends RpcResult {
  readonly result: RawJson
}

export interface RpcCacheOptions {
  /** Says what a call asks; undefined: it passes, is not kept, and has no outcome. Must not throw. */
  readonly classify: (request: RpcRequest, context: RpcContext) => CachedQuestion | undefined
  /** Returns the block that an answer names; undefined: it names none. May throw the `RpcError` of a result that is not JSON. */
  readonly positionOf: (request: RpcRequest, result: RawJson) => Position | undefined
  /**
   * Whether an answer may be kept: it is not empty unless that is proven or final, it is proven where it has to be, and the endpoint that gave it is
   * on the served chain. Errors and what is too old were refused before. May throw the `RpcError` of a result that is not JSON.
   */
  readonly admits: (request: RpcRequest, question: CachedQuestion, response: WholeResult, isFinal: boolean) => boolean
  /**
   * Finds out whether an answer could be judged, where it cannot be at once: it is kept later, if that resolves true and `admits` says so then.
   * Must not reject. Undefined, and by default: it can be judged at once.
   */
  readonly judgedLater?: (
    question: CachedQuestion,
    response: WholeResult,
    request: RpcRequest,
    context: RpcContext,
  ) => Promise<boolean> | undefined
  /** Returns the request that a question is asked with, on its way down; `came`: the one that came. Default: as the question says. */
  readonly sent?: (request: RpcRequest, question: CachedQuestion, came: RpcRequest) => RpcRequest
  readonly chain: CacheChain
  readonly store: MemoryStore
  /** Names the network, the groups, and the chain, if a network's may become another one: caches of one partition share their answers. */
  readonly partition: string
  /** The owner under whom the store counts the answers, such as the network. Default: nobody. */
  readonly owner?: string | undefined
  /** Behind the memory. Default: none. */
  readonly shared?: SharedCache | undefined
  /** Makes long answers smaller. Default: they are kept as they are. */
  readonly compression?: Compression | undefined
  /** Whether a call wants an answer of a node. It is kept all the same. Default: none does. */
  readonly skip?: (request: RpcRequest, context: RpcContext) => boolean
  /** Returns a word to keep with an answer, such as its level of verification. Default: none. */
  readonly markOf?: (response: WholeResult) => string | undefined
  /** Returns the origin of an answer. Once it is dropped, answers kept here are misses, and none is kept; `shared` is replaced by the next good one. Default: none is known. */
  readonly sourceOf?: (response: WholeResult) => AnswerSource | undefined
  /** Returns the meta of a hit whose answer was kept with a mark. Default: none but the outcome. */
  readonly metaOf?: (mark: string) => RpcMeta
  /** Called with the outcome of each call that is classified, and the bytes of a result that the cache gave; must not throw. */
  readonly onOutcome?: (request: RpcRequest, outcome: CacheOutcome, bytes: number) => void
}
