import type { RpcContext } from './context.ts'
import { type CutCall, decodeRequests } from './decode.ts'
import { describeRpcError, RpcError } from './error.ts'
import { printError, resultPrefix } from './frame.ts'
import type { RpcHandler } from './handler.ts'
import { isStream, shortText } from './raw-json.ts'
import type { RpcMeta, RpcResponse } from './response.ts'
import { bindSubscription, endUnopened } from './server-subscription.ts'
import { encodeUtf8 } from './utf8.ts'
import type { RawJson, RawJsonStream, RpcErrorObject } from './wire.ts'

/** The reply to one body. */
export interface RpcReply {
  /** `empty`: nothing is sent (notifications only). The rest carry a body. */
  readonly kind: 'calls' | 'empty' | 'parse_error' | 'too_large'
  /** Text where the reply is small, chunks where it is large, an iterable where it is still arriving. */
  readonly body: string | readonly Uint8Array[] | AsyncIterable<Uint8Array>
  /** The reason why no peer answered a single call, so that a host can choose its HTTP status. */
  readonly rejected?: RpcError
  /** The `meta` of the answer to a single call, if its handler gave one. */
  readonly meta?: RpcMeta | undefined
  /** Opens subscriptions. Call it once the body has been handed to the connection, so that no push precedes their reply. */
  readonly written?: () => void
}

/** Turns the bytes of a request into a reply. Never rejects. */
export type RpcServer<C extends RpcContext = RpcContext> = (body: Uint8Array, context: C) => Promise<RpcReply>

export interface RpcServerOptions<C extends RpcContext = RpcContext> {
  /** Longest body, in bytes. Read at each body, so that a getter may change it. Default 5 MiB. */
  readonly maxBodyBytes?: number
  /** Deepest nesting of a body. Default 1,000. */
  readonly maxDepth?: number
  /** Most calls in a batch. Read at each body. Default 1,000. */
  readonly maxBatch?: number
  /** Longest result or error of one call, in bytes; a stream is never cut short. Default 64 MiB. */
  readonly maxResultBytes?: number
  /** Most bytes of results in a batch's reply. Default 25 MB. */
  readonly maxBatchReplyBytes?: number
  /** Describes to a caller why its call got no answer. Default {@link describeRpcError}. */
  readonly describe?: (error: RpcError) => RpcErrorObject
  /**
   * Completes an error that no peer made before it is printed, with a trace id for example. `method`: undefined where no call was read.
   * `nth`: the place of the call among those of its batch that were read, from 1; undefined outside of one. Default: it is printed as it is.
   */
  readonly completeError?: (
    error: RpcErrorObject,
    context: C,
    method: string | undefined,
    nth: number | undefined,
  ) => RpcErrorObject
  /** Returns members to print beside a whole result, other than `jsonrpc`, `id`, `result` and `error`. Default: none. */
  readonly extraMembers?: (meta: RpcMeta, context: C) => Readonly<Record<string, unknown>> | undefined
  /** Called with errors that are no `RpcError`, which are bugs. The caller is told nothing of them. */
  readonly onInternalError?: (error: unknown, context: C) => void
}

/** Results longer than this, in bytes, leave as chunks. */
const longestText = 65_536
const frameEnd = encodeUtf8('}')

/** Serves `handler` to callers that speak JSON-RPC 2.0: envelope, batches, errors (Spec §2.1, §2.2). */
export function createRpcServer<C extends RpcContext = RpcContext>(
  handler: RpcHandler<C>,
  options: RpcServerOptions<C> = {},
): RpcServer<C> {
  const {
    maxDepth = 1_000,
    maxResultBytes = 64 * 1024 * 1024,
    maxBatchReplyBytes = 25_000_000,
    describe = describeRpcError,
    completeError = (error) => error,
  } = options
  const decodeOptions = {
    maxDepth,
    get maxBatch() {
      return options.maxBatch ?? 1_000
    },
  }

  /** Returns an `RpcError` as it is. Anything else is a bug, which is reported. */
  function failureOf(thrown: unknown, context: C): RpcError {
    if (thrown instanceof RpcError) return thrown
    try {
      options.onInternalError?.(thrown, context)
    } catch {
      // A hook that reports bugs must not add one.
    }
    return new RpcError('unavailable', 'internal error', { cause: thrown })
  }

  /** A peer's error has its own bytes, and is printed as it came. */
  function printFailure(id: string, error: RpcErrorObject, context: C, method?: string, nth?: number): string {
    return printError(id, error.raw ? error : completeError(error, context, method, nth))
  }

  function refuse(id: string, rejected: RpcError, context: C, method?: string, nth?: number): RpcReply {
    let body: string
    try {
      body = printFailure(id, describe(rejected), context, method, nth)
    } catch (thrown) {
      body = printError(id, describeRpcError(failureOf(thrown, context)))
    }
    return { kind: 'calls', body, rejected }
  }

  /** Asks for the answer to a call, and returns what `use` makes of it. */
  function settle<T>(call: CutCall, context: C, use: (settled: RpcResponse | RpcError) => T): Promise<T> {
    const failed = (thrown: unknown): T => use(failureOf(thrown, context))
    let asked: Promise<RpcResponse>
    try {
      asked = Promise.resolve(call.request === undefined ? { error: call.error } : handler(call.request, context))
    } catch (thrown) {
      asked = Promise.reject(thrown)
    }
    return asked.then((given) => {
      const isAnswer = given?.error !== undefined || typeof given?.result === 'object'
      return isAnswer ? use(given) : failed(new TypeError('a handler answered with no value'))
    }, failed)
  }

  /** Prints one answer. One that cannot be printed fails its own call alone. */
  function print(id: string, settled: RpcResponse | RpcError, context: C, method?: string, nth?: number): RpcReply {
    let rejected: RpcError
    try {
      if (!(settled instanceof RpcError)) {
        if (sizeOf(settled) > maxResultBytes) throw responseTooLarge
        const { meta } = settled
        const extra = meta && options.extraMembers?.(meta, context)
        const answer = printAnswer(id, settled, context, extra)
        return 'refused' in answer
          ? { kind: 'calls', body: printFailure(id, answer.refused, context, method, nth), meta }
          : answer
      }
      rejected = settled
    } catch (thrown) {
      discard(settled)
      rejected = failureOf(thrown, context)
    }
    return refuse(id, rejected, context, method, nth)
  }

  function serveOne(kind: 'call' | 'parse_error', call: CutCall, context: C): Promise<RpcReply> {
    const { id } = call
    return settle(call, context, (settled) => {
      try {
        if (id === undefined) {
          discard(settled)
          return empty
        }
        const reply = print(id, settled, context, call.request?.method)
        return kind === 'call' ? reply : { ...reply, kind }
      } catch (thrown) {
        return refuse(id ?? 'null', failureOf(thrown, context), context)
      }
    })
  }

  async function serveBatch(calls: readonly CutCall[], outer: C): Promise<RpcReply> {
    const fork = outer.fork({ acceptStream: false, batch: { size: calls.length } })
    let budget = maxBatchReplyBytes
    const charged = (response: RpcResponse | RpcError): RpcResponse | RpcError => {
      if (response instanceof RpcError) return response
      if (response.error === undefined && isStream(response.result)) {
        discard(response)
        return failureOf(new TypeError('a call of a batch was answered with a stream'), outer)
      }
      budget -= sizeOf(response)
      if (budget >= 0) return response
      discard(response)
      fork.cancel(responseTooLarge)
      return responseTooLarge
    }
    const settled = await Promise.all(calls.map((call) => settle(call, fork.context, charged)))
    fork.release()
    const replies: RpcReply[] = []
    let read = 0
    for (let i = 0; i < calls.length; i++) {
      const { id, request } = calls[i]!
      if (request !== undefined) read++
      if (id === undefined) discard(settled[i]!)
      else replies.push(print(id, settled[i]!, outer, request?.method, request && read))
    }
    if (replies.length === 0) return empty
    return {
      kind: 'calls',
      body: joinBatch(replies),
      written() {
        for (const reply of replies) reply.written?.()
      },
    }
  }

  return (body, context) => {
    const { maxBodyBytes = 5 * 1024 * 1024 } = options
    if (body.byteLength > maxBodyBytes) {
      const message = `content length too large (${body.byteLength}>${maxBodyBytes})`
      return Promise.resolve({ ...print('null', { error: { code: -32600, message } }, context), kind: 'too_large' })
    }
    const decoded = decodeRequests(body, decodeOptions)
    if (decoded.kind !== 'batch') return serveOne(decoded.kind, decoded.call, context)
    return serveBatch(decoded.calls, context).catch((thrown: unknown) =>
      refuse('null', failureOf(thrown, context), context),
    )
  }
}

/** Prints a result. `refused`: the error that is the answer instead, also where a subscription cannot be opened. */
function printAnswer(
  id: string,
  response: RpcResponse,
  context: RpcContext,
  extra?: object,
): RpcReply | { readonly refused: RpcErrorObject } {
  if (response.error !== undefined) return { refused: response.error }
  const { result, subscription, meta } = response
  const reply = (body: RpcReply['body']): RpcReply => ({ kind: 'calls', body, meta })
  const streams = isStream(result)
  if (subscription === undefined) return reply(streams ? frameStream(id, result) : frameResult(id, result, extra))
  if (streams) throw new TypeError('a subscription was answered with a stream')
  const body = frameResult(id, result)
  const bound = bindSubscription(subscription, context)
  return 'refused' in bound ? bound : { kind: 'calls', body, written: bound.open }
}

const empty: RpcReply = { kind: 'empty', body: '' }

const responseTooLarge = new RpcError('too_large', 'response too large', {
  rpc: { code: -32003, message: 'response too large' },
})

/** Releases an answer that nobody waits for. */
function discard(settled: RpcResponse | RpcError): void {
  if (settled instanceof RpcError || settled.error !== undefined) return
  if (isStream(settled.result)) settled.result.cancel()
  if (settled.subscription !== undefined) endUnopened(settled.subscription)
}

function sizeOf({ result, error }: RpcResponse): number {
  if (error !== undefined) return error.raw?.byteLength ?? 0
  return isStream(result) ? 0 : result.byteLength
}

function frameResult(id: string, result: RawJson, extra?: object): string | readonly Uint8Array[] {
  const members = extra === undefined ? '{}' : JSON.stringify(extra)
  const end = members === '{}' ? '}' : `,${members.slice(1)}`
  const text = shortText(result, longestText)
  if (text !== undefined) return `${resultPrefix(id)}${text}${end}`
  return [encodeUtf8(resultPrefix(id)), ...result.chunks(), encodeUtf8(end)]
}

/** Frames a stream. A bare generator would not do: left before its first read, it would not release the stream. */
function frameStream(id: string, stream: RawJsonStream): AsyncIterable<Uint8Array> {
  const frames = printStream(id, stream)
  const iterator: AsyncIterator<Uint8Array> = {
    next: () => frames.next(),
    return() {
      stream.cancel()
      return frames.return(undefined)
    },
  }
  return { [Symbol.asyncIterator]: () => iterator }
}

async function* printStream(id: string, stream: RawJsonStream): AsyncGenerator<Uint8Array, undefined> {
  let begun = false
  for await (const chunk of stream) {
    if (!begun) {
      begun = true
      yield encodeUtf8(resultPrefix(id))
    }
    yield chunk
  }
  if (!begun) throw new RpcError('invalid_response', 'the streamed result is empty')
  yield frameEnd
  return undefined
}

function joinBatch(replies: readonly RpcReply[]): string | readonly Uint8Array[] {
  const chunks: Uint8Array[] = []
  let text = '['
  for (const { body } of replies) {
    if (typeof body === 'string') text += body
    else {
      chunks.push(encodeUtf8(text))
      for (const chunk of body as readonly Uint8Array[]) chunks.push(chunk)
      text = ''
    }
    text += ','
  }
  text = `${text.slice(0, -1)}]`
  if (chunks.length === 0) return text
  chunks.push(encodeUtf8(text))
  return chunks
}
