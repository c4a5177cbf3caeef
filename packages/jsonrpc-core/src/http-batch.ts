import { BlockList } from './block-list.ts'
import type { ByteAccount } from './byte-account.ts'
import type { RpcContext } from './context.ts'
import { systemClock } from './defaults.ts'
import { createFetchPort } from './fetch-port.ts'
import { printCall } from './frame.ts'
import { invalid } from './answer.ts'
import { responseTooLarge } from './http-body.ts'
import type { ArrivingHttpBody, HttpReply } from './http-port.ts'
import { flatHeaders, type HttpTransportOptions, readFailure } from './http-transport.ts'
import { portFailure } from './port-failure.ts'
import { type BatchReply, readBatch } from './read-batch.ts'
import type { RpcRequest } from './request.ts'
import { decodeUtf8Chunks } from './utf8.ts'

export interface HttpBatchOptions extends Omit<HttpTransportOptions, 'answers'> {
  /** Makes the account that pays for an answer while it is collected. Default: nobody does. */
  readonly accountOf?: (context: RpcContext) => ByteAccount
}

/** Asks several calls in one POST. Rejects where no answer to a batch came. */
export type HttpBatch = (requests: readonly RpcRequest[], context: RpcContext) => Promise<BatchReply>

/** Makes a function that sends calls to one peer as one batch, and reads their answers. It never retries, and asks no call again. */
export function createHttpBatch(options: HttpBatchOptions): HttpBatch {
  const { url, clock = systemClock, maxResponseBytes = 10 * 1024 * 1024, words, accountOf } = options
  const http = options.http ?? createFetchPort()
  const headers = flatHeaders(options.headers)
  return async (requests, context) => {
    let body = '['
    for (let i = 0; i < requests.length; i++) body += `${i === 0 ? '' : ','}${printCall(i + 1, requests[i]!)}`
    let reply: HttpReply
    try {
      reply = await http({ url, headers, body: `${body}]` }, context)
    } catch (thrown) {
      throw portFailure(thrown, 'before a response came')
    }
    if (reply.status > 299) {
      await readFailure(reply, undefined, clock, context, words)
    }
    return collect(reply.body, maxResponseBytes, accountOf?.(context), ({ chunks, byteLength }) => {
      const text = decode(chunks)
      return readBatch(text, requests.length, text.length === byteLength)
    })
  }
}

interface Collected {
  readonly chunks: readonly Uint8Array[]
  readonly byteLength: number
}

/** Collects a body of at most `cap` bytes, which `account` holds until `read` has read them. */
async function collect(
  body: HttpReply['body'],
  cap: number,
  account: ByteAccount | undefined,
  read: (held: Collected) => BatchReply,
): Promise<BatchReply> {
  if (Array.isArray(body)) {
    const chunks = body as readonly Uint8Array[]
    let byteLength = 0
    for (const chunk of chunks) byteLength += chunk.byteLength
    if (byteLength > cap) throw responseTooLarge(cap)
    return read({ chunks, byteLength })
  }
  const source = (body as ArrivingHttpBody)[Symbol.asyncIterator]()
  const held = new BlockList()
  let paid = 0
  try {
    for (;;) {
      const { done, value } = await source.next()
      if (done === true) return read(held)
      if (account !== undefined) {
        if (!(await (account.arrive?.(value.byteLength) ?? account.take(value.byteLength)))) throw account.refusal()
        paid += value.byteLength
      }
      held.add(value)
      if (held.byteLength > cap) throw responseTooLarge(cap)
    }
  } catch (thrown) {
    // The return is not awaited: a stalled body might never do it.
    source.return?.().then(undefined, () => {})
    throw portFailure(thrown, 'while the response was read')
  } finally {
    account?.give(paid)
  }
}

function decode(chunks: readonly Uint8Array[]): string {
  try {
    return decodeUtf8Chunks(chunks)
  } catch {
    throw invalid('the response is not UTF-8')
  }
}
