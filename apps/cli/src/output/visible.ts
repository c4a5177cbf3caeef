/** Escapes control characters except line breaks and tabs as in JSON, so that a peer's text cannot steer a terminal. */
export function visible(text: string): string {
  return text.replace(/(?![\n\t])\p{Cc}/gu, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
