import { invalid, readAnswer } from './answer.ts'
import { createAnswerStream } from './answer-stream.ts'
import { BlockList } from './block-list.ts'
import type { ByteAccount } from './byte-account.ts'
import { ChunkList } from './chunk-list.ts'
import type { RpcContext } from './context.ts'
import { resultPrefix } from './frame.ts'
import { createFrameScanner, createFrameTail } from './frame-scanner.ts'
import { responseTooLarge } from './http-body.ts'
import type { ArrivingHttpBody } from './http-port.ts'
import type { AnswerReader } from './http-transport.ts'
import { portFailure } from './port-failure.ts'
import { rawJsonFromChunks, rawJsonFromText } from './raw-json.ts'
import type { RpcResponse } from './response.ts'
import { decodeUtf8Chunks } from './utf8.ts'
import type { RawJson } from './wire.ts'

/** Bodies up to this length are read as text. */
const longestText = 65_536

/**
 * Makes a reader that works on bytes, for a host that passes results on, as a gateway does. It decodes no long answer, and
 * gives a result of more than `aboveBytes` bytes as a stream to callers that take one. The account that `accountOf` returns pays for
 * an answer while it is collected; default: nobody does.
 */
export function streamAnswers(aboveBytes = 256_000, accountOf?: (context: RpcContext) => ByteAccount): AnswerReader {
  return (body, id, context, cap) => {
    if (!Array.isArray(body)) {
      const arriving = body as ArrivingHttpBody
      return readArriving(arriving, id, context, { cap, streamAbove: aboveBytes, account: accountOf?.(context) })
    }
    const chunks = body as readonly Uint8Array[]
    return readWhole(chunks, lengthOf(chunks), id, cap)
  }
}

function readWhole(chunks: readonly Uint8Array[], length: number, id: number, cap: number): RpcResponse {
  if (length > cap) throw responseTooLarge(cap)
  if (length === 0) throw invalid('the response body is empty')
  if (length > longestText) return readAnswerBytes(chunks, id)
  const text = decodeBody(chunks)
  return readAnswer(text, id, text.length === length ? asciiJson : undefined)
}

/** Makes a value of a text whose UTF-16 units are one byte each. */
function asciiJson(text: string): RawJson {
  return rawJsonFromText(text, undefined, text.length)
}

interface ArrivingCaps {
  readonly cap: number
  readonly streamAbove: number
  readonly account: ByteAccount | undefined
}

async function readArriving(
  body: ArrivingHttpBody,
  id: number,
  context: RpcContext,
  { cap, streamAbove, account }: ArrivingCaps,
): Promise<RpcResponse> {
  const source = body[Symbol.asyncIterator]()
  const held = account === undefined || context.acceptStream ? new ChunkList() : new BlockList()
  let paid = 0
  const refuse = (why: Error): Error => {
    // It is not awaited: a stalled body might never return.
    source.return?.().then(undefined, () => {})
    return why
  }
  try {
    for (;;) {
      let next: IteratorResult<Uint8Array>
      try {
        next = await source.next()
      } catch (thrown) {
        throw portFailure(thrown, 'while the response was read')
      }
      const { done, value } = next
      if (done === true) return readWhole(held.chunks, held.byteLength, id, cap)
      if (account !== undefined) {
        const isHeld = account.arrive?.(value.byteLength) ?? account.take(value.byteLength)
        if (!(typeof isHeld === 'boolean' ? isHeld : await isHeld)) throw refuse(context.cancelled ?? account.refusal())
        paid += value.byteLength
      }
      held.add(value)
      if (held.byteLength > streamAbove && held instanceof ChunkList && context.acceptStream) {
        const offset = resultOffset(held, id)
        if (offset > 0) return { result: createAnswerStream(held.chunks, source, offset, account, body.announcedBytes) }
      }
      if (held.byteLength > cap) throw refuse(responseTooLarge(cap))
    }
  } finally {
    account?.give(paid)
  }
}

/** Returns the index of the result in the first chunk, or -1 if the frame's members stand in an unusual order. */
function resultOffset(body: ChunkList, id: number): number {
  const prefix = resultPrefix(id)
  const first = body.head(prefix.length + 1)
  if (first === undefined || !startsWithAscii(first, prefix)) return -1
  const next = first[prefix.length]
  // White space before the result is legal, but the scanner must begin at the result.
  return next === 0x20 || next === 0x0a || next === 0x0d || next === 0x09 ? -1 : prefix.length
}

function lengthOf(chunks: readonly Uint8Array[]): number {
  let length = 0
  for (const chunk of chunks) length += chunk.byteLength
  return length
}

/** Reads an answer as `readAnswer` does, from bytes. It decodes no result whose frame has the usual order of members. */
function readAnswerBytes(chunks: readonly Uint8Array[], id: number): RpcResponse {
  const result = cutResult(chunks, resultPrefix(id))
  return result === undefined ? readAnswer(decodeBody(chunks), id) : { result }
}

/** Decodes a body. @throws RpcError `invalid_response` where it is not UTF-8. */
function decodeBody(chunks: readonly Uint8Array[]): string {
  try {
    return decodeUtf8Chunks(chunks)
  } catch {
    throw invalid('the response is not UTF-8')
  }
}

/** Cuts the result's bytes out of a frame of `prefix`, one value and a closing brace; undefined for any other frame. */
function cutResult(chunks: readonly Uint8Array[], prefix: string): RawJson | undefined {
  const first = chunks[0]
  if (first === undefined || !startsWithAscii(first, prefix)) return undefined
  const scanner = createFrameScanner()
  for (let i = 0; i < chunks.length; i++) {
    const chunk = chunks[i]!
    const from = i === 0 ? prefix.length : 0
    const end = scanner.scan(chunk, from)
    if (end < 0) continue
    if (!scanner.begun || !bytesCloseFrame(chunk, end, chunks, i + 1)) return undefined
    const cut = chunks.slice(0, i + 1)
    cut[i] = chunk.subarray(i === 0 ? from : 0, end)
    if (i > 0) cut[0] = first.subarray(prefix.length)
    return rawJsonFromChunks(cut)
  }
  return undefined
}

/** Tells whether `bytes` begin with the ASCII text `prefix`. */
function startsWithAscii(bytes: Uint8Array, prefix: string): boolean {
  if (bytes.byteLength < prefix.length) return false
  for (let i = 0; i < prefix.length; i++) if (bytes[i] !== prefix.charCodeAt(i)) return false
  return true
}

function bytesCloseFrame(chunk: Uint8Array, at: number, chunks: readonly Uint8Array[], next: number): boolean {
  const tail = createFrameTail()
  if (!tail.accept(chunk, at)) return false
  for (let i = next; i < chunks.length; i++) if (!tail.accept(chunks[i]!, 0)) return false
  return tail.closed
}
