/** A peer's text with its control characters as JSON escapes, but for line breaks and tabs: it must not steer a terminal. */
export function visible(text: string): string {
  return text.replace(/(?![\n\t])\p{Cc}/gu, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
