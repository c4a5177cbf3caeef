import { type CutAnswer, invalid, readAnswer, toResponse } from './answer.ts'
import { CallContext, type RpcContext } from './context.ts'
import { systemClock } from './defaults.ts'
import { RpcError } from './error.ts'
import { createFetchPort } from './fetch-port.ts'
import { printCall } from './frame.ts'
import type { RpcHandler } from './handler.ts'
import { collectText } from './http-body.ts'
import { flatHeaders, type HttpTransportOptions, readFailure } from './http-transport.ts'
import { portFailure } from './port-failure.ts'
import { cutBatch, refusesBatch } from './read-batch.ts'
import type { RpcResponse } from './response.ts'

export interface BatchingOptions extends Omit<HttpTransportOptions, 'answers'> {
  /** Most calls in one POST. Default 100. */
  readonly maxCalls?: number
  /** Longest POST, in UTF-16 units (a longer single call goes alone). Default 1 MiB. */
  readonly maxBytes?: number
  /** Time that a call waits for others, in ms. Default 0: until the current turn of the event loop is over. */
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
 * Makes a handler that sends calls of one moment in one POST and assigns their answers by id. An answer that is missing,
 * doubled or misshapen fails its own call only. One error for the whole batch answers every call.
 */
export function createBatchingTransport(options: BatchingOptions): RpcHandler {
  const {
    url,
    clock = systemClock,
    maxResponseBytes = 10 * 1024 * 1024,
    maxCalls = 100,
    maxBytes = 1024 * 1024,
  } = options
  const http = options.http ?? createFetchPort()
  const headers = flatHeaders(options.headers)
  const queue = new Set<Call>()
  let queuedLength = 0
  let stopTimer: (() => void) | undefined
  let lastId = 0

  function flush(): void {
    stopTimer?.()
    stopTimer = undefined
    const calls = [...queue]
    queue.clear()
    queuedLength = 0
    if (calls.length > 0) void send(calls)
  }

  function leaveQueue(call: Call): void {
    queue.delete(call)
    queuedLength -= call.frame.length
    if (queue.size > 0) return
    stopTimer?.()
    stopTimer = undefined
  }

  async function send(calls: readonly Call[]): Promise<void> {
    // Needs no timer: each call has one, and the request ends with the last call.
    const context = new CallContext({
      clock,
      deadline: Math.max(...calls.map((call) => call.context.deadline)),
      untimed: true,
    })
    const waiting = new Map(calls.map((call) => [call.id, call]))
    for (const call of calls) {
      call.forget()
      call.forget = call.context.onCancel((why) => {
        waiting.delete(call.id)
        call.reject(why)
        if (waiting.size === 0) context.cancel(why)
      })
    }
    try {
      const alone = calls.length === 1 ? calls[0] : undefined
      const body = alone?.frame ?? `[${calls.map((call) => call.frame).join(',')}]`
      const reply = await http({ url, headers, body }, context)
      if (reply.status > 299)
        return settleAll(waiting, await readFailure(reply, alone?.id, clock, context, options.words))
      const text = await collectText(reply.body, maxResponseBytes)
      if (alone !== undefined) settleAll(waiting, readAnswer(text, alone.id))
      else settleEach(waiting, text)
    } catch (thrown) {
      const why = portFailure(thrown, 'before a response came')
      for (const call of waiting.values()) finish(call, () => call.reject(why))
    }
  }

  return (request, context) =>
    new Promise((resolve, reject) => {
      if (context.cancelled !== undefined) return reject(context.cancelled)
      const id = ++lastId
      const frame = printCall(id, request)
      // Each call takes one more unit for its comma or bracket.
      if (queuedLength + queue.size + frame.length >= maxBytes) flush()
      const call: Call = { id, frame, context, resolve, reject, forget: () => {} }
      queue.add(call)
      queuedLength += frame.length
      call.forget = context.onCancel((why) => {
        leaveQueue(call)
        reject(new RpcError(why.code, why.message, { cause: why, delivery: 'not_sent' }))
      })
      if (queue.size >= maxCalls) flush()
      else stopTimer ??= clock.after(options.waitMs ?? 0, flush)
    })
}

function settleEach(waiting: ReadonlyMap<number, Call>, text: string): void {
  const { answers, lone, isArray } = cutBatch(text)
  // A peer without batches may answer with one error. A lone result belongs to no call.
  if (!isArray && !lone!.error) throw invalid('an array of responses was expected')
  if (lone && refusesBatch(lone)) return settleAll(waiting, toResponse(lone))
  const byId = new Map<string | undefined, CutAnswer | 'doubled'>()
  for (const answer of answers) byId.set(answer.id, byId.has(answer.id) ? 'doubled' : answer)
  for (const call of waiting.values()) {
    finish(call, () => {
      const answer = byId.get(String(call.id))
      if (answer === undefined) throw invalid('the batch has no response to this call')
      if (answer === 'doubled') throw invalid('the batch has two responses to this call')
      call.resolve(toResponse(answer))
    })
  }
}

function settleAll(waiting: ReadonlyMap<number, Call>, response: RpcResponse): void {
  for (const call of waiting.values()) finish(call, () => call.resolve(response))
}

function finish(call: Call, settle: () => void): void {
  call.forget()
  try {
    settle()
  } catch (thrown) {
    call.reject(portFailure(thrown, 'before a response came'))
  }
}
