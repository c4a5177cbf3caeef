import { ask, type CallOptions, parseResult } from './ask.ts'
import type { Clock } from './clock.ts'
import { RpcError } from './error.ts'
import type { RpcHandler } from './handler.ts'
import { isStream } from './raw-json.ts'
import type { RpcMethod, RpcSchema } from './schema/method-spec.ts'

/** Calls methods by name, typed by a record-shaped schema: an unknown method does not compile. */
export interface RpcClient<S extends RpcSchema<S>> {
  /** Calls a method. @throws RpcError `rpc` if the peer answered with an error, any other code if none answered. */
  request<M extends keyof S & string, T extends RpcMethod = S[M]>(
    method: M,
    // `T` costs the type checker less than half of what `S[M]['params']` would.
    params: T['params'],
    options?: CallOptions,
  ): Promise<T['result']>
  /** Calls any method, past the schema. The caller vouches that the result is of type `T`. */
  requestUnchecked<T = unknown>(method: string, params?: unknown, options?: CallOptions): Promise<T>
}

export interface RpcClientOptions {
  /** Default 30,000 ms. */
  readonly timeoutMs?: number | undefined
  readonly clock?: Clock
}

/** Makes a client over any handler: a transport, a pool, a middleware around either. */
export function createRpcClient<S extends RpcSchema<S>>(
  handler: RpcHandler,
  options: RpcClientOptions = {},
): RpcClient<S> {
  async function request<T>(method: string, params?: unknown, callOptions: CallOptions = {}): Promise<T> {
    const { result } = await ask(handler, method, params, {
      ...options,
      ...callOptions,
      timeoutMs: callOptions.timeoutMs ?? options.timeoutMs,
    })
    if (isStream(result)) {
      result.cancel()
      throw new RpcError('invalid_response', `${method}: a whole result was expected, not a stream`)
    }
    return parseResult(result, method) as T
  }
  return { request, requestUnchecked: request }
}
