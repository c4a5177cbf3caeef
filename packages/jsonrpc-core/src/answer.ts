import { RpcError } from './error.ts'
import { resultPrefix } from './frame.ts'
import { createFrameScanner } from './frame-scanner.ts'
import { cutMembers, endOfValue, skipSpace } from './json-scan.ts'
import { type RawJson, rawJsonFromChunks, rawJsonFromText } from './raw-json.ts'
import type { RpcErrorObject, RpcResponse } from './response.ts'
import { decodeUtf8Chunks } from './utf8.ts'

/**
 * Reads the answer to call `id` from the text of one response.
 * @throws RpcError `invalid_response` where the text is anything else.
 */
export function readAnswer(text: string, id: number): RpcResponse {
  const prefix = resultPrefix(id)
  if (text.startsWith(prefix)) {
    const end = endOfValue(text, prefix.length)
    if (end > 0 && closesFrame(text, end)) return { result: rawJsonFromText(text.slice(prefix.length, end)) }
  }
  const answer = cutAnswer(text, skipSpace(text, 0))
  if (answer === undefined || skipSpace(text, answer.end) < text.length)
    throw invalid('a JSON-RPC response object was expected')
  // A peer that could not read the call answers with a null id.
  const answersUs =
    answer.id === String(id) || (answer.error !== undefined && (answer.id === 'null' || answer.id === undefined))
  if (!answersUs) throw invalid('the response has the id of another call')
  return toResponse(answer)
}

/** {@link readAnswer} over bytes: a result in the usual order of members is never decoded. */
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

/** The members of one response object, as they stand in its text. */
export interface CutAnswer {
  /** The raw id token; undefined where there is none. */
  readonly id: string | undefined
  readonly result: string | undefined
  readonly error: string | undefined
  readonly version: string | undefined
  /** Set for a push: `method` and `params` instead of an id. */
  readonly method: string | undefined
  readonly params: string | undefined
  /** Index after the object. */
  readonly end: number
  /** A member came twice. */
  readonly repeated: boolean
}

/** Cuts the response object that opens at `at`; undefined where there is none. */
export function cutAnswer(text: string, at: number): CutAnswer | undefined {
  const found: Record<string, string> = Object.create(null) as Record<string, string>
  let repeated = false
  const end = cutMembers(text, at, (key, start, stop) => {
    repeated ||= key in found
    found[key] = text.slice(start, stop)
  })
  if (end < 0) return undefined
  return {
    id: found['id'],
    result: found['result'],
    error: found['error'] === 'null' ? undefined : found['error'],
    version: found['jsonrpc'],
    method: found['method'],
    params: found['params'],
    end,
    repeated,
  }
}

/** A cut answer as a response. @throws RpcError `invalid_response` where it breaks the envelope's rules. */
export function toResponse(answer: CutAnswer): RpcResponse {
  if (answer.repeated) throw invalid('a member of the response came twice')
  if (answer.version !== '"2.0"') throw invalid('the response is not of JSON-RPC version "2.0"')
  if (answer.error !== undefined) {
    // Some nodes print `"result":null` beside an error.
    if (answer.result !== undefined && answer.result !== 'null')
      throw invalid('the response has both a result and an error')
    return { error: readErrorObject(answer.error) }
  }
  if (answer.result === undefined) throw invalid('the response has neither a result nor an error')
  return { result: rawJsonFromText(answer.result) }
}

/** Reads an error object. @throws RpcError `invalid_response` where it has no integer code. */
export function readErrorObject(text: string): RpcErrorObject {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw invalid('the error of the response is not JSON')
  }
  const { code, message, data } = (value ?? {}) as Record<string, unknown>
  if (typeof code !== 'number' || !Number.isInteger(code))
    throw invalid('the error of the response has no integer code')
  return {
    code,
    message: typeof message === 'string' ? message : '',
    ...(data === undefined ? {} : { data }),
    raw: rawJsonFromText(text, value),
  }
}

export function invalid(message: string): RpcError {
  return new RpcError('invalid_response', message)
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

function closesFrame(text: string, at: number): boolean {
  const brace = skipSpace(text, at)
  return text.charCodeAt(brace) === 0x7d && skipSpace(text, brace + 1) >= text.length
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
