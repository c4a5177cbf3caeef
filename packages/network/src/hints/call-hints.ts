import type { RpcRequest } from '@wayleave/jsonrpc-core'

/** Facts about a call that stages tell the stages below, beside its method and its params. No transport sends them. */
export interface CallHints {
  /** The version of the interface that the caller speaks, where a network has several. */
  readonly apiVersion: string | undefined
  /** The only upstream that can take the call, by its name: it is asked for its own answer, or lacks the call's transaction. */
  readonly pinnedUpstream: string | undefined
  /** Upstreams that gave answers of no use to the question, by name: all others are asked before them. */
  readonly excludedUpstreams: readonly string[] | undefined
  /** The sender whose pending transactions the call sees, or whose transaction it sends: such calls go to one upstream. */
  readonly sender: string | undefined
  /** The hash of the head for which the answer is kept, so that callers of the next head do not share the call. */
  readonly cacheHead: string | undefined
  /** Whether the question asks what an upstream has, so that the cache must not answer in its place. */
  readonly bypassCache: boolean
  /** Whether the question is asked for a caller who wants answers of upstreams. */
  readonly skipCache: boolean
  /** The call as the caller sent it, on the one that asks the same at a block by its hash. */
  readonly original: RpcRequest | undefined
  /** Whether the gateway chose the block, for a caller who wants all calls of a request answered at one. */
  readonly isPinned: boolean
  /** Whether the call asks for a state that is not in a block yet. */
  readonly isUnsealed: boolean
  /** Whether the question is of an event stream, which is made for all subscribers together. */
  readonly isOfStream: boolean
  /** Whether the question is the gateway's own, about the chain of the nodes. */
  readonly isAboutChain: boolean
  /** The part of a question whose answers of several upstreams are compared. Its answer is not announced by itself. */
  readonly compared: 'first' | 'further' | undefined
}

const none: CallHints = {
  apiVersion: undefined,
  pinnedUpstream: undefined,
  excludedUpstreams: undefined,
  sender: undefined,
  cacheHead: undefined,
  bypassCache: false,
  skipCache: false,
  original: undefined,
  isPinned: false,
  isUnsealed: false,
  isOfStream: false,
  isAboutChain: false,
  compared: undefined,
}

/** Nothing that prints a request sees it, and copies by spread keep it. */
const hintsKey = Symbol('hints')

type HintedRequest = RpcRequest & { [hintsKey]?: CallHints }

/** Reads the hints of a call; one that carries none has the same object as all others that carry none. */
export function hintsOf(request: HintedRequest): CallHints {
  return request[hintsKey] ?? none
}

/** Copies a call with further hints. */
export function withHints(request: HintedRequest, hints: Partial<CallHints>): RpcRequest {
  const hinted: HintedRequest = { ...request }
  hinted[hintsKey] = { ...hintsOf(request), ...hints }
  return hinted
}
