const encoder = new TextEncoder()
const decoder = /* @__PURE__ */ new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** UTF-8 bytes of `text`; lone surrogates become U+FFFD. */
export function encodeUtf8(text: string): Uint8Array {
  return encoder.encode(text)
}

/**
 * Text of complete UTF-8 `bytes`, with a byte order mark kept as a character.
 * @throws TypeError where the bytes are not UTF-8.
 */
export function decodeUtf8(bytes: Uint8Array): string {
  return decoder.decode(bytes)
}

/**
 * Text of UTF-8 cut into chunks anywhere, also within a character.
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

/** Length of `text` in UTF-8 bytes. */
export function utf8Length(text: string): number {
  return beyondAscii.test(text) ? encoder.encode(text).byteLength : text.length
}
