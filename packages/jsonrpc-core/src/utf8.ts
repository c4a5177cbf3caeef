const encoder = new TextEncoder()
const decoder = /* @__PURE__ */ new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Encodes `text` as UTF-8; lone surrogates become U+FFFD. */
export function encodeUtf8(text: string): Uint8Array {
  return encoder.encode(text)
}

/**
 * Decodes complete UTF-8 `bytes`, with a byte order mark kept as a character.
 * @throws TypeError where the bytes are not UTF-8.
 */
export function decodeUtf8(bytes: Uint8Array): string {
  return decoder.decode(bytes)
}

/**
 * Decodes UTF-8 that is cut into chunks anywhere, also within a character.
 * @throws TypeError where the bytes are not UTF-8.
 */
export function decodeUtf8Chunks(chunks: readonly Uint8Array[]): string {
  if (chunks.length === 1) return decoder.decode(chunks[0])
  const streaming = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  let text = ''
  for (const chunk of chunks) text += streaming.decode(chunk, { stream: true })
  return text + streaming.decode()
}

const beyondAscii = /[^\0-\x7f]/

/** Counts the UTF-8 bytes of `text`. */
export function utf8Length(text: string): number {
  return beyondAscii.test(text) ? encoder.encode(text).byteLength : text.length
}
