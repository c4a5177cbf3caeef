/** Matches control characters (C0, DEL and C1), those that turn the direction of writing, and line separators, but for line breaks and tabs. */
const steering = /(?![\n\t])[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu

/**
 * Escapes what could steer a terminal, or make a text look like another one, as in JSON: control characters except line breaks and tabs,
 * and bidi controls. JSON stays the same JSON.
 */
export function visible(text: string): string {
  return text.replace(steering, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** Escapes a peer's name for one line of output: it must neither steer a terminal nor look like another line. */
export function oneLine(name: string): string {
  return visible(name).replaceAll('\n', '\\n').replaceAll('\t', '\\t')
}

/** Cuts a peer's text to `most` characters, for one line. */
export function cutLine(text: string, most: number): string {
  return oneLine(text.length > most ? `${text.slice(0, most)}…` : text)
}

/** Prints a peer's text as a line: as it is for another program, escaped for a terminal. */
export function printLine(text: string, stream: NodeJS.WriteStream): string {
  return `${stream.isTTY ? visible(text) : text}\n`
}
