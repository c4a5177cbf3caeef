import { cutParts, isDeeperThan, skipSpace } from './json-scan.ts'
import { rawJsonOfMessage } from './raw-json.ts'
import type { RpcRequest } from './request.ts'
import { decodeUtf8 } from './utf8.ts'
import type { RpcErrorObject } from './wire.ts'

/** One element of a body: a request, or the error that answers it. */
export type CutCall = { readonly id: string | undefined } & (
  | { readonly request: RpcRequest }
  | { readonly request?: undefined; readonly error: RpcErrorObject }
)

/** A decoded body. One that is refused counts as a call, or a batch of one, that an error answers. */
export type Decoded =
  | { readonly kind: 'call' | 'parse_error'; readonly call: CutCall }
  | { readonly kind: 'batch'; readonly calls: readonly CutCall[] }

const invalidRequest: RpcErrorObject = { code: -32600, message: 'invalid request' }
const parseError: Decoded = {
  kind: 'parse_error',
  call: { id: 'null', error: { code: -32700, message: 'parse error' } },
}
const emptyBatch: Decoded = { kind: 'call', call: { id: 'null', error: { code: -32600, message: 'empty batch' } } }

/** Cuts a body into calls. Ids stay raw tokens. The text is parsed once, and each params value keeps its own text. */
export function decodeRequests(
  body: Uint8Array,
  caps: { readonly maxDepth: number; readonly maxBatch: number },
): Decoded {
  let text: string
  let value: unknown
  try {
    text = decodeUtf8(body)
    if (isDeeperThan(text, caps.maxDepth)) return parseError
    value = JSON.parse(text)
  } catch {
    return parseError
  }
  const message: Message = { text, isAscii: text.length === body.byteLength }
  const start = skipSpace(text, 0)
  if (!Array.isArray(value)) return { kind: 'call', call: cutCall(message, start, value) }
  if (value.length === 0) return emptyBatch
  if (value.length > caps.maxBatch) return batchTooLarge(message, start, value)
  const calls: CutCall[] = []
  cutParts(text, start, (from) => calls.push(cutCall(message, from, (value as unknown[])[calls.length])))
  return { kind: 'batch', calls }
}

interface Message {
  readonly text: string
  readonly isAscii: boolean
}

/** Cuts the call whose value starts at `start`; `value` is that value, parsed. */
function cutCall({ text, isAscii }: Message, start: number, value: unknown): CutCall {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return { id: 'null', error: invalidRequest }
  const { jsonrpc, method, params } = value as Record<string, unknown>
  let id: string | undefined
  let paramsText: string | undefined
  let [versions, methods, repeated] = [0, 0, false]
  cutParts(text, start, (from, to, key) => {
    switch (key) {
      case 'jsonrpc':
        repeated ||= ++versions > 1
        break
      case 'method':
        repeated ||= ++methods > 1
        break
      case 'id':
        repeated ||= id !== undefined
        id = text.slice(from, to)
        break
      case 'params':
        repeated ||= paramsText !== undefined
        paramsText = text.slice(from, to)
    }
  })
  // A number, a string or null; the text is valid JSON already.
  const idIsValid = id === undefined || /^(?:["\d-]|null$)/.test(id)
  if (repeated || !idIsValid || jsonrpc !== '2.0' || typeof method !== 'string') {
    return { id: idIsValid ? (id ?? 'null') : 'null', error: invalidRequest }
  }
  if (params !== undefined && params !== null && typeof params !== 'object') {
    return { id: id ?? 'null', error: { code: -32602, message: 'invalid params: an array or an object was expected' } }
  }
  return {
    id,
    request: {
      method,
      // `params: null` is the same as none (geth).
      params: params === undefined || params === null ? undefined : rawJsonOfMessage(paramsText!, params, isAscii),
      notification: id === undefined,
    },
  }
}

/** Refuses a batch as geth does: an array of one error with the first id. */
function batchTooLarge(message: Message, start: number, elements: readonly unknown[]): Decoded {
  let id = 'null'
  let index = 0
  cutParts(message.text, start, (from) => {
    const call = id === 'null' ? cutCall(message, from, elements[index]) : undefined
    index++
    if (call?.id !== undefined) id = call.id
  })
  return { kind: 'batch', calls: [{ id, error: { code: -32600, message: 'batch too large' } }] }
}
