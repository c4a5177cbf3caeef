import type {
  Clock,
  HttpBatch,
  RpcBatchInfo,
  RpcErrorObject,
  RpcHandler,
  RpcRequest,
  RpcResponse,
} from '@wayleave/jsonrpc-core'
import { createBatchLimits } from './batch-limits.ts'
import { createCallCosts } from './call-costs.ts'
import { type Joined, Part, type PartOptions } from './part.ts'

export interface JoinBatchesOptions {
  /** Asks calls alone. */
  readonly single: RpcHandler
  /** Asks several in one request. */
  readonly batch: HttpBatch
  /** Whether a call may be asked together with others, and once more where the batch brought no answer to it: a read whose method a table has. */
  readonly mayJoin: (request: RpcRequest) => boolean
  /** Most calls of a batch; 1: none is sent. Default: 100, and less where the upstream refuses so many. */
  readonly max?: number | undefined
  /** The time that a call of a method takes at the upstream while nothing is known, in ms. */
  readonly priorMs: (method: string) => number
  /** Whether an error that came for a whole batch is about the key, its quota or its rate: it is the answer to each call. */
  readonly isAboutKey: (error: RpcErrorObject) => boolean
  readonly clock: Clock
  /** The time in which the process has had nothing to do, in ms: a wait while it had much to do says nothing of the upstream. */
  readonly idleMs: () => number
  /** Calls back in the next turn of the event loop. */
  readonly nextTurn: (run: () => void) => void
}

/** Bytes of a frame besides its params. */
const frameBytes = 64

/**
 * Has calls of one caller's batch that come here in one turn of the event loop leave together, in few requests: a node answers the calls
 * of a batch one after another, so that each has as many as take little time there. A call of no batch is not touched, and one that
 * has no answer in its batch is asked alone.
 */
export function joinBatches(options: JoinBatchesOptions): RpcHandler {
  const { single, batch, mayJoin, max, priorMs, isAboutKey, clock, idleMs, nextTurn } = options
  if (max === 1) return single
  const limits = createBatchLimits(clock, max)
  const costs = createCallCosts(clock, priorMs)
  const parts: PartOptions = { single, batch, limits, costs, isAboutKey, clock, idleMs }
  /** The calls of this turn. */
  let gathered = new Map<RpcBatchInfo, Joined[]>()

  function flush(): void {
    const all = gathered
    gathered = new Map()
    for (const calls of all.values()) split(calls)
  }

  /** Sends calls in parts that the upstream takes, and that take it little time. */
  function split(calls: readonly Joined[]): void {
    // The first one goes alone where nothing else tells what a wait is like without a batch.
    let mostMs = costs.wantsSingle ? 0 : costs.mostMs
    let part: Joined[] = []
    let ms = 0
    let bytes = 0
    for (const call of calls) {
      const { cancelled } = call.context
      if (cancelled !== undefined) {
        call.reject(cancelled)
        continue
      }
      const { method, params } = call.request
      const cost = costs.of(method)
      const length = frameBytes + method.length + (params?.byteLength ?? 0)
      const isFull = part.length >= limits.calls || ms + cost > mostMs || bytes + length > limits.bytes
      if (part.length > 0 && isFull) {
        new Part(parts, part, bytes).send()
        part = []
        ms = bytes = 0
        mostMs = costs.mostMs
      }
      part.push(call)
      ms += cost
      bytes += length
    }
    if (part.length > 0) new Part(parts, part, bytes).send()
  }

  return (request, context) => {
    const { batch: info } = context
    if (info === undefined || info.size === 1 || limits.calls === 1 || !mayJoin(request))
      return single(request, context)
    return new Promise<RpcResponse>((resolve, reject) => {
      const calls = gathered.get(info)
      const joined: Joined = { request, context, resolve, reject, forget: undefined, isOver: false }
      if (calls !== undefined) return void calls.push(joined)
      if (gathered.size === 0) nextTurn(flush)
      gathered.set(info, [joined])
    })
  }
}
