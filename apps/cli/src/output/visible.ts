/** Escapes control characters except line breaks and tabs as in JSON, so that a peer's text cannot steer a terminal. */
export function visible(text: string): string {
  return text.replace(/(?![\n\t])\p{Cc}/gu, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** Escapes a peer's name for one line of output: it must neither steer a terminal nor look like another line. */
export function oneLine(name: string): string {
  return visible(name).replaceAll('\n', '\\n').replaceAll('\t', '\\t')
}
