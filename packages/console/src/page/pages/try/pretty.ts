const token = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g

/**
 * Indents JSON without reading it, so that integers beyond 2^53, doubled members and `1e400` stand there as they came. A text that is none is
 * returned as it is.
 */
export function pretty(text: string): string {
  const parts: string[] = []
  let depth = 0
  let before = ''
  const line = (): void => void parts.push(`\n${'  '.repeat(depth)}`)
  for (const [piece] of text.matchAll(token)) {
    if (piece === '}' || piece === ']') {
      depth--
      if (depth < 0) return text
      if (before !== '{' && before !== '[') line()
    } else if (before === '{' || before === '[') line()
    parts.push(piece)
    if (piece === '{' || piece === '[') depth++
    else if (piece === ',') line()
    else if (piece === ':') parts.push(' ')
    before = piece
  }
  return depth === 0 ? parts.join('') : text
}
