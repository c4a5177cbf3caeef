import { classifyNodeError, type NodeErrorKind } from '@wayleave/evm-types'
import {
  type Clock,
  defineExtension,
  type Extension,
  isStream,
  type RpcContext,
  RpcError,
  type RpcErrorObject,
  type RpcMiddleware,
  type RpcRequest,
  type RpcResponse,
} from '@wayleave/jsonrpc-core'
import { failureKindOf, wasUnasked } from '@wayleave/upstream'
import { actionsByKind } from '../kinds/error-actions.ts'
import { hintsOf } from '../hints/call-hints.ts'
import { falseAnswerOf } from '../kinds/false-answer.ts'

/** Marks the meta of an answer to a call as it came, in place of the one at a block. */
export const ofTheMoment: Extension<true> = defineExtension<true>('ofTheMoment')

/** The calls that are asked at the served head's hash, and fall back on the caller's own words. */
export interface PinnedAsks {
  /** Whether calls of a method may be asked at a hash: nodes have not refused it of late. */
  mayAsk(method: string): boolean
  /**
   * Asks such a call again as it came where it found nothing: its nodes may take no hash, or have left the block. Not where its upstreams
   * are not well: the call would only go to all of them once more.
   */
  readonly middleware: RpcMiddleware<RpcContext>
}

/** Refusals in a row after which a method is left alone, and for how long, in ms. */
const mostRefusals = 3
const refusedForMs = 600_000

/** `isAnswer`: whether an error is the answer of a node that has the block. */
export function createPinnedAsks(clock: Clock, isAnswer: (error: RpcErrorObject) => boolean = isOutcome): PinnedAsks {
  /** By method; a few dozen at most, as only those of the table are pinned. */
  const refusals = new Map<string, { count: number; until: number }>()

  function noteRefusal(method: string): void {
    const refusal = refusals.get(method) ?? { count: 0, until: 0 }
    refusal.count++
    if (refusal.count >= mostRefusals) {
      refusal.count = 0
      refusal.until = clock.now() + refusedForMs
    }
    refusals.set(method, refusal)
  }

  return {
    mayAsk: (method) => refusals.size === 0 || !((refusals.get(method)?.until ?? 0) > clock.now()),
    middleware(next) {
      /** Asks a call as it came; `refused`: its nodes may not take a hash. */
      async function askAgain(original: RpcRequest, context: RpcContext, refused: boolean): Promise<RpcResponse> {
        const response = await next(original, context)
        if (refused && response.error === undefined) noteRefusal(original.method)
        return { ...response, meta: ofTheMoment.on(response.meta ?? {}, true) }
      }

      return (request, context) => {
        const { original } = hintsOf(request)
        if (original === undefined) return next(request, context)
        return next(request, context).then(
          (response) => {
            if (isFound(response, isAnswer)) {
              if (refusals.size > 0) refusals.delete(original.method)
              return response
            }
            return isUnwell(response) ? response : askAgain(original, context, response.error !== undefined)
          },
          (thrown: unknown) => {
            const refused = isRefusedByStatus(thrown)
            if ((!refused && !mayLackBlock(thrown)) || context.cancelled !== undefined) throw thrown
            return askAgain(original, context, refused)
          },
        )
      }
    },
  }
}

/** Whether an error is about the call, in words that no node has for a block by its hash. */
function isOutcome(error: RpcErrorObject): boolean {
  const kind = classifyNodeError(error)
  return actionsByKind[kind] === 'final' && kind !== 'invalid_params' && kind !== 'unknown'
}

/** Whether a call at a block was answered: by a result, or by an error that is one. */
function isFound({ error, result }: RpcResponse, isAnswer: (error: RpcErrorObject) => boolean): boolean {
  if (error !== undefined) return isAnswer(error)
  return isStream(result) || result.byteLength !== 4 || result.text() !== 'null'
}

/** Kinds of errors that tell of the upstream, whatever the block is. */
const unwell = new Set<NodeErrorKind>(['timeout', 'rate_limited', 'limit_exceeded', 'quota_exceeded', 'unauthorized'])

function isUnwell({ error }: RpcResponse): boolean {
  return error !== undefined && unwell.has(classifyNodeError(error))
}

/** Whether a call may have failed because of its block alone: nobody could be asked for that one, or its proof lacked a block. */
function mayLackBlock(thrown: unknown): boolean {
  if (!(thrown instanceof RpcError) || thrown.code !== 'unavailable') return false
  return wasUnasked(thrown) || falseAnswerOf(thrown) !== undefined
}

/** Whether a node, or the last of several, answered with an HTTP status that tells nothing of the node: it may be how it refuses a hash. */
function isRefusedByStatus(thrown: unknown): boolean {
  if (!(thrown instanceof RpcError)) return false
  if (thrown.code === 'unavailable') return isRefusedByStatus(thrown.cause)
  return thrown.code === 'http_status' && failureKindOf(thrown) === 'internal'
}
