import { type RawJson, rawJsonFromChunks, rawJsonFromText } from '@wayleave/jsonrpc-core'
import type { KeptAnswer } from './kept-answer.ts'

const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Longest result that is kept as text, in bytes. */
const longestText = 16_384

/** Holds a text while it is copied: an allocation each would cost more than the copy. */
const scratch = new Uint8Array(longestText)

/**
 * Copies a result, so that it holds no longer buffer or text that it was cut out of: a short one of ASCII alone as text, of one byte a character,
 * any other as bytes. Undefined: it is short and not UTF-8.
 */
export function copyBody(result: RawJson): string | Uint8Array | undefined {
  const { byteLength } = result
  if (byteLength <= longestText) {
    const text = textOf(result)
    if (text === undefined) return undefined
    if (text.length === byteLength) return copyText(text).text
  }
  const bytes = new Uint8Array(byteLength)
  let at = 0
  for (const chunk of result.chunks()) {
    bytes.set(chunk, at)
    at += chunk.byteLength
  }
  return bytes
}

/** Returns the text of a result; undefined where it is not UTF-8. */
function textOf(result: RawJson): string | undefined {
  try {
    return result.text()
  } catch {
    return undefined
  }
}

/** Copies a text, so that it holds no longer text that it was cut out of. `byteLength`: its length in UTF-8. */
export function copyText(text: string): { readonly text: string; readonly byteLength: number } {
  if (text.length <= scratch.byteLength) {
    const { read, written } = encoder.encodeInto(text, scratch)
    if (read === text.length) return { text: decoder.decode(scratch.subarray(0, written)), byteLength: written }
  }
  const bytes = encoder.encode(text)
  return { text: decoder.decode(bytes), byteLength: bytes.byteLength }
}

/** Whether a body of elsewhere is as {@link copyBody} makes it: a text is of ASCII alone, so that its length is known. */
export function isOwnForm(body: string | Uint8Array): boolean {
  return typeof body !== 'string' || !beyondAscii.test(body)
}
const beyondAscii = /[^\0-\x7f]/

/** Returns a result to serve, over the body that is kept. It is a new object: what its reader parses is not held by the cache. */
export function resultOf(body: string | Uint8Array): RawJson {
  return typeof body === 'string' ? rawJsonFromText(body, undefined, body.length) : rawJsonFromChunks([body])
}

/**
 * Bytes of an entry besides its key and its body, measured in V8 without pointer compression: the object (160), its slot in the map (28 to 56,
 * by how full the map is), the headers of its two strings.
 */
const entryOverhead = 248
/** Bytes of a body of bytes besides these: the view, its buffer, the allocation. */
const bytesOverhead = 200

/** Returns the bytes that an entry takes. `keyBytes`: the length of its key in UTF-8; a text that is not ASCII takes two bytes a character. */
export function entryBytes(key: string, keyBytes: number, { body }: Pick<KeptAnswer, 'body'>): number {
  const bodyBytes = typeof body === 'string' ? body.length : body.byteLength + bytesOverhead
  return entryOverhead + (keyBytes === key.length ? key.length : key.length * 2) + bodyBytes
}
