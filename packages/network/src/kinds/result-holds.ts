import type { RawJson } from '@wayleave/jsonrpc-core'

/** The longest result whose text is looked at, in bytes: a longer one would keep its text beside its bytes, and takes four times as long. */
const longestText = 16_384

/** Whether a result holds a word of ASCII. A long one is not decoded. */
export function resultHolds(result: RawJson, word: string): boolean {
  if (result.byteLength <= longestText) return result.text().includes(word)
  const seam = word.length - 1
  /** The last bytes of the chunks before, fewer than the word has. */
  let before = ''
  for (const { buffer, byteOffset, byteLength } of result.chunks()) {
    const bytes = Buffer.from(buffer, byteOffset, byteLength)
    if (bytes.includes(word, 0, 'latin1') || (before + bytes.toString('latin1', 0, seam)).includes(word)) return true
    before = (before + bytes.toString('latin1', Math.max(0, byteLength - seam))).slice(-seam)
  }
  return false
}
