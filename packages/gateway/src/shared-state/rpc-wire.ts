import {
  type Clock,
  createContext,
  isStream,
  rawJsonFromText,
  type RpcContext,
  RpcError,
  type RpcErrorCode,
  type RpcErrorObject,
  type RpcErrorOptions,
  type RpcHandler,
  type RpcRequest,
  type RpcResponse,
  toRpcError,
} from '@wayleave/jsonrpc-core'
import type { Channel } from './channel.ts'

/** A question of the gateway's own, as one process hands it to another. */
export interface WireQuestion {
  readonly method: string
  /** The JSON text of its params. */
  readonly params: string | undefined
  /** Time that its asker waits, in ms. */
  readonly timeoutMs: number
}

/** A node's error, with its own JSON as a text. */
type WireError = Omit<RpcErrorObject, 'raw'> & { readonly raw?: string | undefined }

/** The outcome of a question: the JSON text of a result, a node's error, or why no node answered. */
export type WireAnswer =
  | { readonly result: string; readonly endpoint?: string | undefined }
  | { readonly error: WireError; readonly endpoint?: string | undefined }
  | { readonly rejected: WireRejection }

interface WireRejection extends Omit<RpcErrorOptions, 'cause' | 'rpc'> {
  readonly code: RpcErrorCode
  readonly message: string
  readonly rpc?: WireError | undefined
}

/** Asks a handler a question that came over a channel. Never rejects. */
export async function askFor(
  question: WireQuestion,
  handler: RpcHandler,
  clock: Clock,
  tenant?: string,
): Promise<WireAnswer> {
  const { method, params, timeoutMs } = question
  const context = createContext({ clock, timeoutMs, ...(tenant !== undefined && { tenant }) })
  const request: RpcRequest = {
    method,
    params: params === undefined ? undefined : rawJsonFromText(params),
    notification: false,
  }
  try {
    const response = await new Promise<RpcResponse>((resolve, reject) => {
      context.onCancel(reject)
      handler(request, context).then(resolve, reject)
    })
    const endpoint = response.meta?.endpoint
    if (response.error !== undefined) return { error: toWire(response.error), endpoint }
    const { result, subscription } = response
    if (subscription !== undefined) {
      // A subscription that is never opened would stay at the node.
      subscription.open({ event: () => true, gap() {}, end() {} })()
      throw new RpcError('invalid_response', 'a subscription cannot be passed on to another process')
    }
    // No stream comes to a context that accepts none.
    if (isStream(result)) throw new RpcError('invalid_response', 'an answer that is whole was expected')
    return { result: result.text(), endpoint }
  } catch (thrown) {
    const { code, message, delivery, httpStatus, retryAfterMs, rpc, reason } = toRpcError(
      thrown,
      'unavailable',
      'no answer',
    )
    return {
      rejected: { code, message, delivery, httpStatus, retryAfterMs, rpc: rpc && toWire(rpc), reason },
    }
  } finally {
    context.release()
  }
}

/** Has the other end answer a question under a topic. Rejects like a handler, by the deadline of the context at the latest. */
export function askOver(
  channel: Pick<Channel, 'ask'>,
  topic: string,
  to: object,
  { method, params }: RpcRequest,
  context: RpcContext,
  clock: Clock,
): Promise<RpcResponse> {
  const question: WireQuestion = {
    method,
    params: params?.text(),
    timeoutMs: Math.max(0, context.deadline - clock.now()),
  }
  return new Promise<RpcResponse>((resolve, reject) => {
    const forget = context.onCancel(reject)
    channel
      .ask(topic, { ...to, question })
      .then((answer) => resolve(responseOf(answer as WireAnswer)))
      .catch((thrown: unknown) => reject(toRpcError(thrown, 'unavailable', 'the primary process gave no answer')))
      .finally(forget)
  })
}

/** Makes the response of an answer. @throws RpcError where no node answered */
function responseOf(answer: WireAnswer): RpcResponse {
  if (!('rejected' in answer)) {
    const meta = answer.endpoint === undefined ? {} : { meta: { endpoint: answer.endpoint } }
    return 'result' in answer
      ? { result: rawJsonFromText(answer.result), ...meta }
      : { error: fromWire(answer.error), ...meta }
  }
  const { code, message, rpc, ...others } = answer.rejected
  throw new RpcError(code, message, { ...others, rpc: rpc && fromWire(rpc) })
}

/** Takes an error apart, to be sent: the methods of its JSON cannot be. */
const toWire = ({ raw, ...error }: RpcErrorObject): WireError => ({ ...error, ...(raw && { raw: raw.text() }) })

/** Makes the error of the parts that were sent. */
const fromWire = ({ raw, ...error }: WireError): RpcErrorObject => ({
  ...error,
  ...(raw !== undefined && { raw: rawJsonFromText(raw) }),
})
