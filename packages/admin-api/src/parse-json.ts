import { AdminError } from './error.ts'

/** Arrays and objects in one another. */
const mostDepth = 32

/**
 * Parses the UTF-8 of a JSON text (RFC 8259). A member that stands twice is refused: another reader may take the other one.
 * @throws AdminError `invalid_json`, which repeats nothing of the text
 */
export function parseJson(bytes: Uint8Array): unknown {
  let value: unknown
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    value = JSON.parse(text)
  } catch {
    throw new AdminError('invalid_json', 'expected JSON in UTF-8')
  }
  checkMembers(text)
  return value
}

/** Walks over the tokens of a text that is JSON. */
function checkMembers(text: string): void {
  // The names so far of each object around; undefined for arrays.
  const around: (Set<string> | undefined)[] = []
  for (const { 0: token, index } of text.matchAll(/[[\]{}]|"(?:[^"\\]|\\.)*"/g)) {
    if (token === '[' || token === '{') {
      around.push(token === '{' ? new Set() : undefined)
      if (around.length > mostDepth) throw new AdminError('invalid_json', `expected at most ${mostDepth} levels`)
    } else if (token === ']' || token === '}') {
      around.pop()
    } else {
      const names = around.at(-1)
      if (names === undefined || !isName(text, index + token.length)) continue
      const name = JSON.parse(token) as string
      if (names.has(name)) throw new AdminError('invalid_json', 'expected each member once, one stands twice')
      names.add(name)
    }
  }
}

/** Tells whether the string that ends before `end` is a member's name. */
function isName(text: string, end: number): boolean {
  let at = end
  while (/[ \t\n\r]/.test(text[at] ?? '')) at++
  return text[at] === ':'
}
