import { decodeBody, readAnswerBytes, startsWithAscii } from './answer-bytes.ts'
import { invalid, readAnswer } from './answer.ts'
import { createAnswerStream } from './answer-stream.ts'
import { ChunkList } from './chunk-list.ts'
import type { RpcContext } from './context.ts'
import { resultPrefix } from './frame.ts'
import { responseTooLarge } from './http-body.ts'
import type { AnswerReader } from './http-transport.ts'
import { portFailure } from './port-failure.ts'
import type { RpcResponse } from './response.ts'

/** Bodies up to this length are read as text. */
const longestText = 65_536

/**
 * Reads answers by their bytes: long ones are never decoded, and a result of more than `aboveBytes` is a stream for
 * callers who take one. For a host that passes results on, as a gateway does.
 */
export function streamAnswers(aboveBytes = 256_000): AnswerReader {
  return (body, id, context, cap) => {
    if (!Array.isArray(body)) return readArriving(body as AsyncIterable<Uint8Array>, id, context, cap, aboveBytes)
    const chunks = body as readonly Uint8Array[]
    return readWhole(chunks, lengthOf(chunks), id, cap)
  }
}

function readWhole(chunks: readonly Uint8Array[], length: number, id: number, cap: number): RpcResponse {
  if (length > cap) throw responseTooLarge(cap)
  if (length === 0) throw invalid('the response body is empty')
  return length <= longestText ? readAnswer(decodeBody(chunks), id) : readAnswerBytes(chunks, id)
}

async function readArriving(
  body: AsyncIterable<Uint8Array>,
  id: number,
  context: RpcContext,
  cap: number,
  streamAbove: number,
): Promise<RpcResponse> {
  const source = body[Symbol.asyncIterator]()
  const held = new ChunkList()
  for (;;) {
    let next: IteratorResult<Uint8Array>
    try {
      next = await source.next()
    } catch (thrown) {
      throw portFailure(thrown, 'while the response was read')
    }
    const { done, value } = next
    if (done === true) return readWhole(held.chunks, held.byteLength, id, cap)
    held.add(value)
    if (held.byteLength > streamAbove && context.acceptStream) {
      const offset = resultOffset(held, id)
      if (offset > 0) return { result: createAnswerStream(held.chunks, source, offset) }
    }
    if (held.byteLength > cap) {
      // Not waited for: a body that stalls would never be left.
      source.return?.().then(undefined, () => {})
      throw responseTooLarge(cap)
    }
  }
}

/** Where the result starts in the first chunk; -1 where the frame is of an unusual order. */
function resultOffset(body: ChunkList, id: number): number {
  const prefix = resultPrefix(id)
  const first = body.head(prefix.length + 1)
  if (first === undefined || !startsWithAscii(first, prefix)) return -1
  const next = first[prefix.length]
  // White space before the result is legal, but its scanner begins at the result.
  return next === 0x20 || next === 0x0a || next === 0x0d || next === 0x09 ? -1 : prefix.length
}

function lengthOf(chunks: readonly Uint8Array[]): number {
  let length = 0
  for (const chunk of chunks) length += chunk.byteLength
  return length
}
