/**
 * JSON text laid out anew, in one line (`indent` 0) or with each member on a line of its own. Only space changes: every
 * other token stays as it is, so that no number loses a digit and no member its twin.
 */
export function layOut(json: string, indent: 0 | 2): string {
  const token = /[{[]\s*[}\]]|[^\s"{}[\],:]+|[{}[\],:]/y
  const out: string[] = []
  let depth = 0
  const line = (): string => (indent === 0 ? '' : `\n${' '.repeat(indent * depth)}`)
  for (let at = skipSpace(json, 0); at < json.length; at = skipSpace(json, at)) {
    const text = json[at] === '"' ? json.slice(at, endOfString(json, at)) : tokenAt(token, json, at)
    at += text.length
    const first = text[0]!
    if (!'{}[],:'.includes(first)) out.push(text)
    else if (text.length > 1) out.push(first, text.at(-1)!)
    else if (first === ':') out.push(indent === 0 ? ':' : ': ')
    else if (first === ',') out.push(',', line())
    else if (first === '{' || first === '[') {
      depth++
      out.push(first, line())
    } else {
      depth--
      out.push(line(), first)
    }
  }
  return out.join('')
}

function tokenAt(token: RegExp, json: string, at: number): string {
  token.lastIndex = at
  const [text] = token.exec(json) ?? []
  if (text === undefined) throw new SyntaxError('a JSON text was expected')
  return text
}

/** A regular expression would overflow its stack on a long string. */
function endOfString(json: string, start: number): number {
  for (let at = start + 1; ;) {
    const end = json.indexOf('"', at)
    if (end < 0) throw new SyntaxError('a JSON text was expected')
    let slashes = 0
    while (json[end - 1 - slashes] === '\\') slashes++
    at = end + 1
    if (slashes % 2 === 0) return at
  }
}

function skipSpace(text: string, from: number): number {
  let at = from
  while (at < text.length && text.charCodeAt(at) <= 0x20) at++
  return at
}
