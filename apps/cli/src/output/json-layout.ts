import { endOfString } from '@wayleave/jsonrpc-core'

/**
 * Lays JSON text out in one line (`indent` 0) or with each member on a line of its own. Only white space changes: numbers
 * keep all digits, and duplicate members stay. @throws SyntaxError for a text with an unknown token or an open string
 */
export function layOut(json: string, indent: 0 | 2): string {
  const token = /[{[]\s*[}\]]|[^\s"{}[\],:]+|[{}[\],:]/y
  const out: string[] = []
  let depth = 0
  const line = (): string => (indent === 0 ? '' : `\n${' '.repeat(indent * depth)}`)
  for (let at = skipSpace(json, 0); at < json.length; at = skipSpace(json, at)) {
    const text = json[at] === '"' ? stringAt(json, at) : tokenAt(token, json, at)
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

/** Scans by hand: a regular expression would overflow its stack on a long string. */
function stringAt(json: string, at: number): string {
  const end = endOfString(json, at)
  if (end < 0) throw new SyntaxError('a JSON text was expected')
  return json.slice(at, end)
}

function skipSpace(text: string, from: number): number {
  let at = from
  while (at < text.length && text.charCodeAt(at) <= 0x20) at++
  return at
}
