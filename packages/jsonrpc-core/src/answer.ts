import { RpcError } from './error.ts'
import { resultPrefix } from './frame.ts'
import { cutParts, endOfValue, skipSpace } from './json-scan.ts'
import { rawJsonFromText } from './raw-json.ts'
import type { RpcResponse } from './response.ts'
import type { RawJson, RpcErrorObject } from './wire.ts'

/**
 * Reads the answer to call `id` from the text of one response. `makeJson` makes a result that stands where it usually does.
 * @throws RpcError `invalid_response` for any other text.
 */
export function readAnswer(
  text: string,
  id: number,
  makeJson: (text: string) => RawJson = rawJsonFromText,
): RpcResponse {
  const prefix = resultPrefix(id)
  if (text.startsWith(prefix)) {
    const end = endOfValue(text, prefix.length)
    if (end > 0 && closesFrame(text, end)) return { result: makeJson(text.slice(prefix.length, end)) }
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

/** The members of one response object, as they stand in its text. */
export interface CutAnswer {
  jsonrpc?: string
  /** The raw id token. */
  id?: string
  result?: string
  error?: string
  /** Set for a push: `method` and `params` instead of an id. */
  method?: string
  params?: string
  /** The index after the object. */
  end: number
  /** Whether a member came twice. */
  repeated: boolean
}

const isMember = /^(?:jsonrpc|id|result|error|method|params)$/

/** Cuts the response object that opens at `at`; undefined if there is none. */
export function cutAnswer(text: string, at: number): CutAnswer | undefined {
  const answer: CutAnswer = { end: 0, repeated: false }
  answer.end = cutParts(text, at, (start, stop, key) => {
    if (!isMember.test(key)) return
    answer.repeated ||= key in answer
    answer[key as 'id'] = text.slice(start, stop)
  })
  if (answer.end < 0) return undefined
  if (answer.error === 'null') delete answer.error
  return answer
}

/** Makes a response of a cut answer. @throws RpcError `invalid_response` if it breaks the rules of the envelope. */
export function toResponse(answer: CutAnswer): RpcResponse {
  if (answer.repeated) throw invalid('a member of the response came twice')
  if (answer.jsonrpc !== '"2.0"') throw invalid('the response is not of JSON-RPC version "2.0"')
  if (answer.error !== undefined) {
    // Some nodes print `"result":null` beside an error.
    if (answer.result !== undefined && answer.result !== 'null')
      throw invalid('the response has both a result and an error')
    return { error: readErrorObject(answer.error) }
  }
  if (answer.result === undefined) throw invalid('the response has neither a result nor an error')
  return { result: rawJsonFromText(answer.result) }
}

/** The code of an error that has words alone: geth's for errors without one. */
const withoutCode = -32000

/** Reads an error object. An error that is a text, or has a message and no code, keeps its words. @throws RpcError `invalid_response` for any other. */
export function readErrorObject(text: string): RpcErrorObject {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw invalid('the error of the response is not JSON')
  }
  const given = (value ?? {}) as Record<string, unknown>
  const { data, message = typeof value === 'string' ? value : '', code = message ? withoutCode : message } = given
  if (!Number.isInteger(code)) throw invalid('the error of the response has no integer code')
  return {
    code: code as number,
    message: typeof message === 'string' ? message : '',
    ...(data !== undefined && { data }),
    ...(code === given['code'] && { raw: rawJsonFromText(text, value) }),
  }
}

export function invalid(message: string): RpcError {
  return new RpcError('invalid_response', message)
}

function closesFrame(text: string, at: number): boolean {
  const brace = skipSpace(text, at)
  return text.charCodeAt(brace) === 0x7d && skipSpace(text, brace + 1) >= text.length
}
