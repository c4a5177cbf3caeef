import {
  type Clock,
  isStream,
  type RpcContext,
  RpcError,
  type RpcHandler,
  type RpcRequest,
  type RpcResponse,
  toRpcError,
} from '@wayleave/jsonrpc-core'
import { failureOf, fewerBlocks, isDoubtful } from './log-failures.ts'

export interface AskWholeOptions {
  readonly ask: RpcHandler
  readonly clock: Clock
  /** The most blocks that the range has. */
  readonly blocks: number
  /** Asked before a range that failed without a word of it is tried in parts. */
  readonly mayTryParts: () => boolean
}

/** The outcome of a call as it came: an answer for its caller, or a failure that its parts may mend. */
export type WholeOutcome = { readonly answer: RpcResponse } | { readonly refused: RpcResponse | RpcError }

/** The part of the time left after which a silent range is given up: its parts need some, too. */
const partOfTime = 1 / 3
/** The same where the deadline is far away, or there is none, in ms. */
const mostMs = 300_000

/**
 * Asks for a range of several blocks as it came. It is given up after a third of the time left where its parts may be tried then; an answer that streams by
 * then goes on. @throws RpcError for a failure that fewer blocks would not mend
 */
export async function askWhole(
  { ask, clock, blocks, mayTryParts }: AskWholeOptions,
  request: RpcRequest,
  context: RpcContext,
): Promise<WholeOutcome> {
  const { context: within, cancel, release } = context.fork({})
  let isGivenUp = false
  const stop = clock.after(Math.min(mostMs, (context.deadline - clock.now()) * partOfTime), () => {
    if (!mayTryParts()) return
    isGivenUp = true
    cancel(new RpcError('timeout', 'no answer within the time allowed'))
  })
  try {
    const answer = await ask(request, within)
    // A stream is cut off with its caller.
    if (answer.error !== undefined || !isStream(answer.result)) release()
    if (answer.error === undefined) return { answer }
    const fewer = fewerBlocks(failureOf(answer.error), blocks)
    return fewer === undefined || (fewer.of === 'doubt' && !mayTryParts()) ? { answer } : { refused: answer }
  } catch (thrown) {
    release()
    const why = toRpcError(thrown, 'unavailable', `${request.method}: the handler failed`)
    const isOver = context.cancelled !== undefined
    if (!isOver && (isGivenUp || (isDoubtful(why) && mayTryParts()))) return { refused: why }
    throw thrown
  } finally {
    stop()
  }
}
