import { invalid, readAnswer } from './answer.ts'
import { resultPrefix } from './frame.ts'
import { createFrameScanner } from './frame-scanner.ts'
import { type RawJson, rawJsonFromChunks } from './raw-json.ts'
import type { RpcResponse } from './response.ts'
import { decodeUtf8Chunks } from './utf8.ts'

/** `readAnswer` over bytes: a result in the usual order of members is never decoded. */
export function readAnswerBytes(chunks: readonly Uint8Array[], id: number): RpcResponse {
  const result = cutResult(chunks, resultPrefix(id))
  return result === undefined ? readAnswer(decodeBody(chunks), id) : { result }
}

/** Decodes a body. @throws RpcError `invalid_response` where it is not UTF-8. */
export function decodeBody(chunks: readonly Uint8Array[]): string {
  try {
    return decodeUtf8Chunks(chunks)
  } catch {
    throw invalid('the response is not UTF-8')
  }
}

/** The result's bytes where the frame is `prefix`, one value and a closing brace. */
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

/** Whether `bytes` begin with the ASCII text `prefix`. */
export function startsWithAscii(bytes: Uint8Array, prefix: string): boolean {
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

/** Checks that what follows a result is one closing brace and white space. */
export function createFrameTail(): { accept(chunk: Uint8Array, from: number): boolean; readonly closed: boolean } {
  let closed = false
  return {
    accept(chunk, from) {
      for (let i = from; i < chunk.byteLength; i++) {
        const byte = chunk[i]!
        if (byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09) continue
        if (byte !== 0x7d || closed) return false
        closed = true
      }
      return true
    },
    get closed() {
      return closed
    },
  }
}
