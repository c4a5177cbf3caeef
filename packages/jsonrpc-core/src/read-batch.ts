import { type CutAnswer, cutAnswer, invalid, toResponse } from './answer.ts'
import type { RpcError } from './error.ts'
import { resultPrefix } from './frame.ts'
import { cutParts, endOfValue, skipSpace } from './json-scan.ts'
import { rawJsonFromText } from './raw-json.ts'
import type { RpcResponse } from './response.ts'
import type { RpcErrorObject } from './wire.ts'

/** The response objects of an answer to a batch. */
export interface CutBatch {
  readonly answers: readonly CutAnswer[]
  /** The one response that came for all, in an array or without one. */
  readonly lone: CutAnswer | undefined
  readonly isArray: boolean
}

/** Cuts the answer to a batch; values that are no objects are left out. @throws RpcError `invalid_response` for anything but an array, or an object alone. */
export function cutBatch(text: string): CutBatch {
  const start = skipSpace(text, 0)
  const answers: CutAnswer[] = []
  const isArray = text.charCodeAt(start) === 0x5b
  let elements = 0
  const cut = (from: number, to: number): void => {
    elements++
    const answer = cutAnswer(text, from)
    if (answer?.end === to) answers.push(answer)
  }
  const end = isArray ? cutParts(text, start, cut) : endOfValue(text, start)
  if (!isArray) cut(start, end)
  if (end < 0 || skipSpace(text, end) < text.length || !(isArray || answers.length))
    throw invalid('an array of responses was expected')
  return { answers, lone: elements === 1 ? answers[0] : undefined, isArray }
}

/** Tells whether a lone answer refuses the whole batch: an error without id, or geth's "batch too large" with the first call's id. */
export function refusesBatch(answer: CutAnswer): boolean {
  const { id, error } = answer
  return error !== undefined && (id === undefined || id === 'null' || toResponse(answer).error?.code === -32600)
}

/**
 * The answers to the calls of a batch in the order of the calls, undefined where one is missing, an error where one is misshapen; or what
 * came for all of them: an error, or an object that is none.
 */
export type BatchReply =
  | { readonly answers: readonly (RpcResponse | RpcError | undefined)[] }
  | {
      readonly refusal: RpcErrorObject | undefined
      /** The HTTP status beside it, where it was one of an error. */
      readonly status?: number | undefined
      readonly answers?: undefined
    }

/**
 * Reads the answer to a batch of `count` calls with the ids from 1 up, in any order. `isAscii`: each UTF-16 unit of the text is one byte.
 * @throws RpcError `invalid_response` where it is no answer to a batch, or has an id twice or one of no call: then none of its ids can be believed.
 */
export function readBatch(text: string, count: number, isAscii: boolean): BatchReply {
  const usual = readInOrder(text, count, isAscii)
  if (usual !== undefined) return { answers: usual }
  const { answers: cut, lone, isArray } = cutBatch(text)
  if (!isArray) return { refusal: lone!.error === undefined ? undefined : toResponse(lone!).error }
  if (count > 1 && lone !== undefined && refusesBatch(lone)) return { refusal: toResponse(lone).error }
  const answers: (RpcResponse | RpcError | undefined)[] = Array.from({ length: count })
  for (const each of cut) {
    // Such an error is of a call that the peer could not read, which is then missing.
    if (each.error !== undefined && (each.id === undefined || each.id === 'null')) continue
    const nth = each.id !== undefined && /^[1-9]\d{0,8}$/.test(each.id) ? Number(each.id) : 0
    if (nth < 1 || nth > count) throw invalid('the batch has a response with the id of no call')
    if (answers[nth - 1] !== undefined) throw invalid('the batch has two responses to one call')
    answers[nth - 1] = shaped(each)
  }
  return { answers }
}

function shaped(answer: CutAnswer): RpcResponse | RpcError {
  try {
    return toResponse(answer)
  } catch (thrown) {
    return thrown as RpcError
  }
}

/** Reads results in the order of their calls and with the usual order of members; undefined for any other text. */
function readInOrder(text: string, count: number, isAscii: boolean): readonly RpcResponse[] | undefined {
  if (text.charCodeAt(0) !== 0x5b) return undefined
  const answers: RpcResponse[] = []
  let at = 1
  for (let id = 1; id <= count; id++) {
    const prefix = resultPrefix(id)
    if (!text.startsWith(prefix, at)) return undefined
    const start = at + prefix.length
    const end = endOfValue(text, start)
    if (end < 0 || text.charCodeAt(end) !== 0x7d) return undefined
    if (text.charCodeAt(end + 1) !== (id < count ? 0x2c : 0x5d)) return undefined
    answers.push({ result: rawJsonFromText(text.slice(start, end), undefined, isAscii ? end - start : -1) })
    at = end + 2
  }
  return skipSpace(text, at) < text.length ? undefined : answers
}
