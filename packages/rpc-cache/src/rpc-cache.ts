import {
  isStream,
  type RpcContext,
  RpcError,
  type RpcHandler,
  type RpcMeta,
  type RpcMiddleware,
  type RpcRequest,
  type RpcResponse,
} from '@wayleave/jsonrpc-core'
import { createKeeper, sharedKey } from './keeper.ts'
import type { KeptAnswer } from './kept-answer.ts'
import { resultOf } from './kept-body.ts'
import { cacheOutcome, type CacheOutcome } from './outcome.ts'
import type { Moment } from './place.ts'
import type { CachedQuestion } from './question.ts'
import type { RpcCacheOptions, WholeResult } from './rpc-cache-options.ts'
import { teeStream } from './tee-stream.ts'

export interface RpcCache {
  /** Answers calls from the cache; asks the handler below for the others. */
  readonly middleware: RpcMiddleware<RpcContext>
  /** Leaves the chain, and drops what is not final. Calls pass from then on; the store lives on. */
  close(): void
}

const metas: Readonly<Record<CacheOutcome, RpcMeta>> = {
  hit: cacheOutcome.on({}, 'hit'),
  miss: cacheOutcome.on({}, 'miss'),
}

/** A call on its way through the cache. */
interface Call {
  readonly request: RpcRequest
  readonly question: CachedQuestion
  readonly context: RpcContext
}

/** Creates the cache of one partition. */
export function createRpcCache(options: RpcCacheOptions): RpcCache {
  const { classify, store, shared, partition, skip, sent, metaOf, onOutcome } = options
  const keeper = createKeeper(options)
  let isClosed = false

  function sentFor(request: RpcRequest, question: CachedQuestion): RpcRequest {
    const asked = question.ask ?? request
    return sent === undefined ? asked : sent(asked, question, request)
  }

  function metaFor({ mark }: KeptAnswer): RpcMeta {
    return mark === undefined || metaOf === undefined ? metas.hit : cacheOutcome.on(metaOf(mark), 'hit')
  }

  function keepNow({ request, question }: Call, whole: WholeResult, begun: Moment, renews: boolean): void {
    try {
      keeper.keep(request, question, whole, begun, renews)
    } catch (why) {
      // A result that is not JSON is its reader's business.
      if (!(why instanceof RpcError)) throw why
    }
  }

  function keep(call: Call, whole: WholeResult, begun: Moment, renews: boolean): void {
    if (whole.result.byteLength > store.maxEntryBytes) return
    const isLater = options.judgedLater?.(call.question, whole, call.request, call.context)
    if (isLater === undefined) return keepNow(call, whole, begun, renews)
    void isLater.then((isJudged) => {
      if (isJudged) keepNow(call, whole, begun, renews)
    })
  }

  /** Keeps what can be kept of a node's answer, and passes it on. */
  function pass(call: Call, response: RpcResponse, begun: Moment, renews: boolean): RpcResponse {
    const meta = response.meta === undefined ? metas.miss : cacheOutcome.on(response.meta, 'miss')
    if (response.error !== undefined || response.subscription !== undefined) return { ...response, meta }
    const { result } = response
    if (!isStream(result)) {
      keep(call, response as WholeResult, begun, renews)
      return { result, meta }
    }
    const tee = teeStream(result, store.maxEntryBytes, store, (whole) =>
      keep(call, { ...response, result: whole }, begun, renews),
    )
    return { result: tee, meta }
  }

  const middleware: RpcMiddleware<RpcContext> = (next) => {
    function ask(call: Call, renews: boolean): Promise<RpcResponse> {
      const { request, question, context } = call
      const begun = keeper.moment(question)
      onOutcome?.(request, 'miss', 0)
      return next(sentFor(request, question), context).then((response) => pass(call, response, begun, renews))
    }

    async function unpack(call: Call, kept: KeptAnswer): Promise<RpcResponse> {
      const { request, question, context } = call
      const body = await keeper.unpack(question, kept)
      if (context.cancelled !== undefined) throw context.cancelled
      if (body === undefined) return ask(call, true)
      onOutcome?.(request, 'hit', kept.byteLength)
      return { result: resultOf(body), meta: metaFor(kept) }
    }

    async function askShared(call: Call, asked: Promise<KeptAnswer | undefined>): Promise<RpcResponse> {
      const { request, question, context } = call
      const kept = await asked
      if (context.cancelled !== undefined) throw context.cancelled
      if (kept === undefined || !keeper.adopt(question, kept)) return ask(call, false)
      return kept.encoding === undefined ? serve(request, kept) : unpack(call, kept)
    }

    function serve(request: RpcRequest, kept: KeptAnswer): RpcResponse {
      onOutcome?.(request, 'hit', kept.byteLength)
      return { result: resultOf(kept.body), meta: metaFor(kept) }
    }

    const handler: RpcHandler = (request, context) => {
      const question = isClosed ? undefined : classify(request, context)
      if (question === undefined) return next(request, context)
      if (context.cancelled !== undefined) return Promise.reject(context.cancelled)
      const call: Call = { request, question, context }
      if (skip?.(request, context) === true) return ask(call, true)
      const kept = keeper.find(question)
      if (kept !== undefined)
        return kept.encoding === undefined ? Promise.resolve(serve(request, kept)) : unpack(call, kept)
      if (shared !== undefined && keeper.wasDropped(question)) return ask(call, true)
      const asked = shared?.get(sharedKey(partition, question), context)
      return asked === undefined ? ask(call, false) : askShared(call, asked)
    }
    return handler
  }

  return {
    middleware,
    close() {
      isClosed = true
      keeper.close()
    },
  }
}
