import type { RpcContext } from './context.ts'
import { type CutCall, decodeRequests } from './decode.ts'
import { describeRpcError } from './describe.ts'
import { RpcError, toRpcError } from './error.ts'
import { printError, printEvent, resultPrefix } from './frame.ts'
import type { RpcHandler } from './handler.ts'
import { isStream, type RawJson, type RawJsonStream, shortText } from './raw-json.ts'
import type { RpcErrorObject, RpcResponse } from './response.ts'
import type { RpcSession, RpcSubscription } from './session.ts'
import { encodeUtf8 } from './utf8.ts'

/** What goes back for one body. */
export interface RpcReply {
  /** `empty`: nothing is sent (notifications only). The rest carry a body. */
  readonly kind: 'calls' | 'empty' | 'parse_error' | 'too_large'
  /** Text where the reply is small, chunks where it is large, an iterable where it is still arriving. */
  readonly body: string | readonly Uint8Array[] | AsyncIterable<Uint8Array>
  /** Why a single call got no answer from any peer, so that a host can choose its HTTP status. */
  readonly rejected?: RpcError
  /** Call it once the body has been handed to the connection: subscriptions open now, so no push precedes their reply. */
  readonly written?: () => void
}

/** Bytes in, a reply out. Never rejects. */
export type RpcServer<C extends RpcContext = RpcContext> = (body: Uint8Array, context: C) => Promise<RpcReply>

export interface RpcServerOptions<C extends RpcContext = RpcContext> {
  /** Longest body, in bytes. Default 5 MiB. */
  readonly maxBodyBytes?: number
  /** Deepest nesting of a body. Default 1,000. */
  readonly maxDepth?: number
  /** Most calls in a batch. Default 1,000. */
  readonly maxBatch?: number
  /** Most bytes of results in a batch's reply. Default 25 MB. */
  readonly maxBatchReplyBytes?: number
  /** What a caller is told of a call that got no answer. Default {@link describeRpcError}. */
  readonly describe?: (error: RpcError) => RpcErrorObject
  /** Hears of errors that are no `RpcError`: bugs. The caller is told nothing of them. */
  readonly onInternalError?: (error: unknown, context: C) => void
}

/** Results longer than this leave as chunks. */
const longestText = 65_536
const frameEnd = encodeUtf8('}')

/** Serves `handler` to callers that speak JSON-RPC 2.0: envelope, batches, errors (Spec §2.1, §2.2). */
export function createRpcServer<C extends RpcContext = RpcContext>(
  handler: RpcHandler<C>,
  options: RpcServerOptions<C> = {},
): RpcServer<C> {
  const { maxBodyBytes = 5 * 1024 * 1024, maxDepth = 1_000, maxBatch = 1_000, maxBatchReplyBytes = 25_000_000 } = options
  const describe = options.describe ?? describeRpcError
  const decodeOptions = { maxDepth, maxBatch }

  async function settle(call: CutCall, context: C): Promise<RpcResponse | RpcError> {
    if (call.request === undefined) return { error: call.error }
    try {
      return await handler(call.request, context)
    } catch (thrown) {
      if (thrown instanceof RpcError) return thrown
      options.onInternalError?.(thrown, context)
      return toRpcError(thrown, 'unavailable', 'internal error')
    }
  }

  async function serveOne(call: CutCall, context: C): Promise<RpcReply> {
    const settled = await settle(call, context)
    if (call.id === undefined) {
      discard(settled)
      return empty
    }
    if (settled instanceof RpcError) {
      return { kind: 'calls', body: printError(call.id, describe(settled)), rejected: settled }
    }
    if (settled.error !== undefined) return { kind: 'calls', body: printError(call.id, settled.error) }
    const { result, subscription } = settled
    if (subscription !== undefined) {
      const refusal = refuseSubscription(subscription, context)
      if (refusal !== undefined) return { kind: 'calls', body: printError(call.id, refusal) }
      if (isStream(result)) throw new TypeError('a subscription was answered with a stream')
      return {
        kind: 'calls',
        body: frameResult(call.id, result),
        written: () => open(subscription, context.session!),
      }
    }
    if (isStream(result)) return { kind: 'calls', body: frameStream(call.id, result) }
    return { kind: 'calls', body: frameResult(call.id, result) }
  }

  async function serveBatch(calls: readonly CutCall[], outer: C): Promise<RpcReply> {
    const fork = outer.fork({ acceptStream: false, batch: { size: calls.length } })
    let budget = maxBatchReplyBytes
    const settled = await Promise.all(
      calls.map(async (call) => {
        const response = await settle(call, fork.context)
        if (response instanceof RpcError || response.error !== undefined || isStream(response.result)) return response
        budget -= response.result.byteLength
        if (budget >= 0) return response
        response.subscription?.open(deafSink)()
        fork.cancel(responseTooLarge)
        return { error: responseTooLarge.rpc! }
      }),
    )
    fork.release()
    const parts: (string | readonly Uint8Array[])[] = []
    const subscriptions: RpcSubscription[] = []
    for (let i = 0; i < calls.length; i++) {
      const { id } = calls[i]!
      const response = settled[i]!
      if (id === undefined) discard(response)
      else parts.push(printSettled(id, response, subscriptions, outer))
    }
    if (parts.length === 0) return empty
    const reply: RpcReply = { kind: 'calls', body: joinBatch(parts) }
    if (subscriptions.length === 0) return reply
    return {
      ...reply,
      written: () => {
        for (const subscription of subscriptions) open(subscription, outer.session!)
      },
    }
  }

  function printSettled(
    id: string,
    settled: RpcResponse | RpcError,
    subscriptions: RpcSubscription[],
    context: C,
  ): string | readonly Uint8Array[] {
    if (settled instanceof RpcError) return printError(id, describe(settled))
    if (settled.error !== undefined) return printError(id, settled.error)
    const { result, subscription } = settled
    if (isStream(result)) {
      result.cancel()
      return printError(id, describe(new RpcError('unavailable', 'internal error')))
    }
    if (subscription !== undefined) {
      const refusal = refuseSubscription(subscription, context)
      if (refusal !== undefined) return printError(id, refusal)
      subscriptions.push(subscription)
    }
    return frameResult(id, result)
  }

  return async (body, context) => {
    if (body.byteLength > maxBodyBytes) {
      return {
        kind: 'too_large',
        body: printError('null', { code: -32600, message: `content length too large (${body.byteLength}>${maxBodyBytes})` }),
      }
    }
    const decoded = decodeRequests(body, decodeOptions)
    if (decoded.kind === 'refused') return { kind: decoded.parsed ? 'calls' : 'parse_error', body: decoded.body }
    try {
      return await (decoded.kind === 'call' ? serveOne(decoded.call, context) : serveBatch(decoded.calls, context))
    } catch (thrown) {
      options.onInternalError?.(thrown, context)
      const rejected = toRpcError(thrown, 'unavailable', 'internal error')
      const id = decoded.kind === 'call' ? decoded.call.id : undefined
      return { kind: 'calls', body: printError(id ?? 'null', describe(rejected)), rejected }
    }
  }
}

const empty: RpcReply = { kind: 'empty', body: '' }

const responseTooLarge = new RpcError('too_large', 'response too large', {
  rpc: { code: -32003, message: 'response too large' },
})

const deafSink = { event: () => true, gap() {}, end() {} }

/** Lets go of an answer that nobody waits for. */
function discard(settled: RpcResponse | RpcError): void {
  if (settled instanceof RpcError || settled.error !== undefined) return
  if (isStream(settled.result)) settled.result.cancel()
  settled.subscription?.open(deafSink)()
}

function refuseSubscription(subscription: RpcSubscription, context: RpcContext): RpcErrorObject | undefined {
  if (context.session !== undefined) return undefined
  subscription.open(deafSink)()
  return { code: -32601, message: 'notifications not supported' }
}

function open(subscription: RpcSubscription, session: RpcSession): void {
  const { id } = subscription
  const unsubscribe = subscription.open({
    event: (method, result) => session.send(printEvent(method, id, result)),
    // A plain subscriber cannot be told of a gap, and must not be left to believe there was none.
    gap: () => session.close(1013, 'events were lost'),
    end: (why) => {
      session.subscriptions.delete(id)
      if (why !== undefined) session.close(1013, 'the subscription ended upstream')
    },
  })
  session.subscriptions.set(id, unsubscribe)
}

function frameResult(id: string, result: RawJson): string | readonly Uint8Array[] {
  const text = shortText(result, longestText)
  if (text !== undefined) return `${resultPrefix(id)}${text}}`
  return [encodeUtf8(resultPrefix(id)), ...result.chunks(), frameEnd]
}

async function* frameStream(id: string, stream: RawJsonStream): AsyncGenerator<Uint8Array> {
  let begun = false
  for await (const chunk of stream) {
    if (!begun) {
      begun = true
      yield encodeUtf8(resultPrefix(id))
    }
    yield chunk
  }
  yield frameEnd
}

function joinBatch(parts: readonly (string | readonly Uint8Array[])[]): string | readonly Uint8Array[] {
  if (parts.every((part) => typeof part === 'string')) return `[${parts.join(',')}]`
  const chunks: Uint8Array[] = []
  let text = '['
  for (const [i, part] of parts.entries()) {
    if (i > 0) text += ','
    if (typeof part === 'string') text += part
    else {
      chunks.push(encodeUtf8(text), ...part)
      text = ''
    }
  }
  chunks.push(encodeUtf8(`${text}]`))
  return chunks
}
