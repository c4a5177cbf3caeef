import {
  type Clock,
  collectStream,
  isStream,
  type RawJson,
  type RpcContext,
  RpcError,
  type RpcRequest,
  type RpcResponse,
  rawJsonFromValue,
  toRpcError,
} from '@wayleave/jsonrpc-core'
import type { Ask } from './chain-source.ts'

/** Asks one question as {@link askRequest} does; `params`: a JSON value. */
export function askOnce(
  ask: Ask,
  method: string,
  params: unknown,
  context: RpcContext,
  cap?: number,
): Promise<RawJson> {
  return askRequest(ask, { method, params: rawJsonFromValue(params), notification: false }, context, cap)
}

/**
 * Asks one question, and gives its result. Settles by the deadline of the context, also where the handler does not heed it.
 * `cap`: the most bytes that a stream may give; without it, a stream is refused.
 * @throws RpcError `rpc` for an error answer, `too_large` past the cap, else as the handler rejects.
 */
export function askRequest(ask: Ask, request: RpcRequest, context: RpcContext, cap?: number): Promise<RawJson> {
  const { method } = request
  if (context.cancelled !== undefined) return Promise.reject(context.cancelled)
  return new Promise<RawJson>((resolve, reject) => {
    let stop = (): void => {}
    const forget = context.onCancel((why) => {
      stop()
      reject(why)
    })
    const fail = (why: RpcError): void => {
      forget()
      reject(why)
    }
    const give = (result: RawJson): void => {
      forget()
      resolve(result)
    }
    const broken = (thrown: unknown): void => fail(toRpcError(thrown, 'unavailable', `${method}: the handler failed`))
    ask(request, context).then(({ result, error }) => {
      if (error !== undefined) return fail(new RpcError('rpc', `${method}: ${error.message}`, { rpc: error }))
      if (isStream(result)) {
        if (cap === undefined || context.cancelled !== undefined) {
          result.cancel()
          return fail(new RpcError('invalid_response', `${method}: expected a whole answer, got a stream`))
        }
        stop = () => result.cancel()
        collectStream(result, cap).then(give, broken)
        return
      }
      give(result)
    }, broken)
  })
}

/** Asks, and tells of each answer. */
export function noting(ask: Ask, answered: (answer: RpcResponse) => void): Ask {
  return async (request, context) => {
    const answer = await ask(request, context)
    answered(answer)
    return answer
  }
}

/** Resolves after `ms` milliseconds, when the context is cancelled, or when the function given to `onWait` is called. */
export function pause(
  ms: number,
  clock: Clock,
  context: RpcContext,
  onWait?: (wake: () => void) => void,
): Promise<void> {
  if (context.cancelled !== undefined) return Promise.resolve()
  return new Promise((resolve) => {
    const done = (): void => {
      stop()
      forget()
      resolve()
    }
    const stop = clock.after(ms, done)
    const forget = context.onCancel(done)
    onWait?.(done)
  })
}

/** Settles as a promise does that others may wait for, too, or rejects when the context is cancelled. */
export function untilCancelled<T>(promise: Promise<T>, context: RpcContext): Promise<T> {
  return new Promise((resolve, reject) => {
    const forget = context.onCancel(reject)
    promise.finally(forget).then(resolve, reject)
  })
}

/** The wait before attempt `n` (from 2), in ms: 100, doubled each time up to 2,000. */
export function backOffMs(n: number): number {
  return Math.min(2_000, 100 * 2 ** Math.min(n - 2, 10))
}

/** The longest that one attempt may take, in ms; another node may answer in the time that is left. */
export const attemptMs = 10_000
