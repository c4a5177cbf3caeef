import {
  type Clock,
  createContext,
  isStream,
  type RawJson,
  type RpcContext,
  type RpcHandler,
  type RpcRequest,
  type RpcResponse,
} from '@wayleave/jsonrpc-core'
import { attemptMs, untilCancelled } from './ask-once.ts'
import { streamBlockOf } from './block.ts'
import type { BlockPosition } from './chain-source.ts'
import { createTurns } from './turns.ts'

export interface PastQuestionsOptions {
  readonly ask: RpcHandler
  readonly clock: Clock
  readonly headOf: () => BlockPosition | undefined
  /** Blocks so far below the head are taken as never replaced. */
  readonly maxReorg: number
}

/** The questions about the past of all who resume: few at a time, in turns by tenant, and those about blocks shared. */
export interface PastQuestions {
  /**
   * Asks in turn, each question for 10 s at most from its turn on. Of a block, its header is the answer; a question that is asked for
   * somebody else already is not asked again, and headers are kept for a moment.
   */
  readonly ask: RpcHandler
  /** Does work that asks by itself in turn. */
  inTurn<T>(context: RpcContext, work: () => Promise<T>): Promise<T>
  /** Whether so much waits for a tenant that nothing more should be begun for it. */
  isFull(tenant: string | undefined): boolean
}

/** Questions that are asked at a time, and that may wait for a tenant. */
const mostAtWork = 16
const mostWaiting = 512
/** Headers that are kept, and for how long, in ms: a wrong one must not last. */
const mostKept = 1_024
const keptMs = 10_000

export function createPastQuestions({ ask, clock, headOf, maxReorg }: PastQuestionsOptions): PastQuestions {
  const turns = createTurns(mostAtWork)
  const kept = new Map<string, { readonly header: RawJson; readonly until: number }>()
  const underWay = new Map<string, Promise<RpcResponse>>()

  function inTurn<T>(context: RpcContext, work: () => Promise<T>): Promise<T> {
    return turns.run(context.tenant, async () => {
      if (context.cancelled !== undefined) throw context.cancelled
      return work()
    })
  }

  function askInTurn(request: RpcRequest, context: RpcContext): Promise<RpcResponse> {
    return inTurn(context, async () => {
      const own = context.fork({ deadline: clock.now() + attemptMs })
      try {
        return await untilCancelled(ask(request, own.context), own.context)
      } finally {
        own.release()
      }
    })
  }

  /** Asks for all who want the block: none of them ends the question by leaving. */
  async function askForAll(request: RpcRequest, key: string, tenant: string | undefined): Promise<RpcResponse> {
    const context = createContext({ clock, timeoutMs: Number.POSITIVE_INFINITY, tenant })
    try {
      const response = await askInTurn(request, context)
      if (response.error !== undefined || isStream(response.result)) return response
      const block = streamBlockOf(response.result)
      if (block === undefined) return response
      if (isLasting(request, block)) keep(key, block.header)
      return { result: block.header }
    } finally {
      underWay.delete(key)
      context.release()
    }
  }

  function isLasting({ params }: RpcRequest, { number, hash }: BlockPosition): boolean {
    const [place] = params!.value() as [string]
    if (place.length === hash.length) return place.toLowerCase() === hash
    const head = headOf()
    return head !== undefined && Number(place) === number && number < head.number - maxReorg
  }

  function keep(key: string, header: RawJson): void {
    kept.delete(key)
    kept.set(key, { header, until: clock.now() + keptMs })
    const [oldest] = kept.keys()
    if (kept.size > mostKept) kept.delete(oldest!)
  }

  return {
    ask(request, context) {
      if (!request.method.startsWith('eth_getBlockBy')) return askInTurn(request, context)
      const key = `${request.method} ${request.params!.text()}`
      const found = kept.get(key)
      if (found !== undefined && clock.now() < found.until) return Promise.resolve({ result: found.header })
      let asking = underWay.get(key)
      if (asking === undefined) {
        asking = askForAll(request, key, context.tenant)
        underWay.set(key, asking)
      }
      return asking
    },
    inTurn,
    isFull: (tenant) => turns.waiting(tenant) >= mostWaiting,
  }
}
