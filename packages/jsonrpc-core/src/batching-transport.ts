import { type CutAnswer, cutAnswer, decodeBody, invalid, readErrorObject, toResponse } from './answer.ts'
import { CallContext, type RpcContext } from './context.ts'
import { systemClock } from './defaults.ts'
import { RpcError, toRpcError } from './error.ts'
import { createFetchPort } from './fetch-port.ts'
import { printCall } from './frame.ts'
import type { RpcHandler } from './handler.ts'
import type { HttpReply } from './http-port.ts'
import { flatHeaders, type HttpTransportOptions, readFailure, responseTooLarge } from './http-transport.ts'
import { cutElements, skipSpace } from './json-scan.ts'
import type { RpcRequest } from './request.ts'
import type { RpcResponse } from './response.ts'

export interface BatchingOptions extends HttpTransportOptions {
  /** Most calls in one POST. Default 100. */
  readonly maxCalls?: number
  /** Most bytes of frames in one POST (a longer single call goes alone). Default 1 MiB. */
  readonly maxBytes?: number
  /** How long a call waits for company, in ms. Default 0: until the current turn is over. */
  readonly waitMs?: number
}

interface Call {
  readonly id: number
  readonly frame: string
  readonly context: RpcContext
  readonly resolve: (response: RpcResponse) => void
  readonly reject: (why: RpcError) => void
  forget: () => void
}

/**
 * A handler that puts calls of one moment into one POST and tells their answers apart by id. An answer that is missing,
 * doubled or mis-shaped fails its own call only; one error for the whole batch is every call's answer.
 */
export function createBatchingTransport(options: BatchingOptions): RpcHandler {
  const { url, clock = systemClock, maxResponseBytes = 10 * 1024 * 1024, maxCalls = 100, maxBytes = 1024 * 1024 } = options
  const http = options.http ?? createFetchPort()
  const headers = flatHeaders(options.headers)
  let queue: Call[] = []
  let queuedBytes = 0
  let stopTimer: (() => void) | undefined
  let lastId = 0

  function flush(): void {
    stopTimer?.()
    stopTimer = undefined
    const calls = queue
    queue = []
    queuedBytes = 0
    if (calls.length > 0) void send(calls)
  }

  async function send(calls: readonly Call[]): Promise<void> {
    const context = new SharedContext({
      clock,
      deadline: Math.max(...calls.map((call) => call.context.deadline)),
      untimed: true,
    })
    const waiting = new Map(calls.map((call) => [call.id, call]))
    for (const call of calls) {
      call.forget()
      call.forget = call.context.onCancel((why) => {
        call.reject(why)
        waiting.delete(call.id)
        if (waiting.size === 0) context.cancel(why)
      })
    }
    try {
      const frames = calls.map((call) => call.frame)
      const reply = await http({ url, headers, body: frames.length === 1 ? frames[0]! : `[${frames.join(',')}]` }, context)
      if (reply.status !== 200) return settleAll(waiting, await readFailure(reply, -1, clock))
      settleEach(waiting, await readText(reply.body, maxResponseBytes))
    } catch (thrown) {
      const why = toRpcError(thrown, 'invalid_response', 'the batch could not be read')
      for (const call of waiting.values()) finish(call, () => call.reject(why))
    }
  }

  return (request: RpcRequest, context: RpcContext) =>
    new Promise((resolve, reject) => {
      if (context.cancelled !== undefined) return reject(context.cancelled)
      const id = ++lastId
      const frame = printCall(id, request)
      if (queue.length >= maxCalls || queuedBytes + frame.length > maxBytes) flush()
      const call: Call = { id, frame, context, resolve, reject, forget: () => {} }
      queue.push(call)
      queuedBytes += frame.length
      call.forget = context.onCancel((why) => {
        queue = queue.filter((queued) => queued !== call)
        reject(new RpcError(why.code, why.message, { cause: why, delivery: 'not_sent' }))
      })
      if (queue.length >= maxCalls) flush()
      else stopTimer ??= clock.after(options.waitMs ?? 0, flush)
    })
}

class SharedContext extends CallContext {}

function settleEach(waiting: Map<number, Call>, text: string): void {
  const start = skipSpace(text, 0)
  if (text.charCodeAt(start) !== 0x5b) {
    const single = cutAnswer(text, start)
    if (single?.error !== undefined) return settleAll(waiting, { error: readErrorObject(single.error) })
    if (single === undefined || waiting.size > 1) throw invalid('an array of responses was expected')
    return settleByIds(waiting, [single])
  }
  const answers: CutAnswer[] = []
  const end = cutElements(text, start, (from) => {
    const answer = cutAnswer(text, from)
    if (answer !== undefined) answers.push(answer)
  })
  if (end < 0 || skipSpace(text, end) < text.length) throw invalid('an array of responses was expected')
  settleByIds(waiting, answers)
}

function settleByIds(waiting: Map<number, Call>, answers: readonly CutAnswer[]): void {
  const byId = new Map<string | undefined, CutAnswer | 'doubled'>()
  for (const answer of answers) byId.set(answer.id, byId.has(answer.id) ? 'doubled' : answer)
  for (const call of waiting.values()) {
    const answer = byId.get(String(call.id))
    finish(call, () => {
      if (answer === undefined) call.reject(invalid('the batch has no response to this call'))
      else if (answer === 'doubled') call.reject(invalid('the batch has two responses to this call'))
      else call.resolve(toResponse(answer))
    })
  }
}

function settleAll(waiting: Map<number, Call>, response: RpcResponse): void {
  for (const call of waiting.values()) finish(call, () => call.resolve(response))
}

function finish(call: Call, settle: () => void): void {
  call.forget()
  try {
    settle()
  } catch (thrown) {
    call.reject(toRpcError(thrown, 'invalid_response', 'the response could not be read'))
  }
}

async function readText(body: HttpReply['body'], cap: number): Promise<string> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of body) {
    chunks.push(chunk)
    length += chunk.byteLength
    if (length > cap) throw responseTooLarge(cap)
  }
  return decodeBody(chunks)
}
