const quote = 0x22
const backslash = 0x5c
const comma = 0x2c
const openBracket = 0x5b
const closeBracket = 0x5d
const openBrace = 0x7b
const closeBrace = 0x7d

/** Index of the first character at or after `at` that is not JSON white space. */
export function skipSpace(text: string, at: number): number {
  let i = at
  for (;;) {
    const c = text.charCodeAt(i)
    if (c !== 0x20 && c !== 0x0a && c !== 0x0d && c !== 0x09) return i
    i++
  }
}

/** Index after the closing quote of the string that opens at `at`, or -1. */
export function endOfString(text: string, at: number): number {
  let i = at + 1
  for (;;) {
    const end = text.indexOf('"', i)
    if (end < 0) return -1
    let escapes = end - 1
    while (escapes > at && text.charCodeAt(escapes) === backslash) escapes--
    if (((end - escapes) & 1) === 1) return end + 1
    i = end + 1
  }
}

/**
 * Index after the JSON value that starts at `at`, or -1 where it does not end within `text`.
 * Balanced, not validated: brackets are counted, strings are skipped, scalars end at a delimiter.
 */
export function endOfValue(text: string, at: number): number {
  let depth = 0
  let i = at
  const length = text.length
  while (i < length) {
    const c = text.charCodeAt(i)
    if (c === quote) {
      i = endOfString(text, i)
      if (i < 0) return -1
      if (depth === 0) return i
    } else if (c === openBrace || c === openBracket) {
      depth++
      i++
    } else if (c === closeBrace || c === closeBracket) {
      // A scalar ends before the bracket of its container.
      if (depth === 0) return i === at ? -1 : i
      i++
      if (--depth === 0) return i
    } else if (depth === 0 && (c === comma || c === 0x20 || c === 0x0a || c === 0x0d || c === 0x09)) {
      return i === at ? -1 : i
    } else i++
  }
  return -1
}

/**
 * Calls `onMember` with each member of the object that opens at `at`: its key, and where its value stands.
 * Returns the index after the object, or -1 where the text is no object; text that `JSON.parse` accepts always is cut right.
 */
export function cutMembers(
  text: string,
  at: number,
  onMember: (key: string, start: number, end: number) => void,
): number {
  if (text.charCodeAt(at) !== openBrace) return -1
  let i = skipSpace(text, at + 1)
  if (text.charCodeAt(i) === closeBrace) return i + 1
  for (;;) {
    if (text.charCodeAt(i) !== quote) return -1
    const keyEnd = endOfString(text, i)
    if (keyEnd < 0) return -1
    const key = memberKey(text, i, keyEnd)
    if (key === undefined) return -1
    i = skipSpace(text, keyEnd)
    if (text.charCodeAt(i) !== 0x3a) return -1
    const start = skipSpace(text, i + 1)
    const end = endOfValue(text, start)
    if (end < 0) return -1
    onMember(key, start, end)
    i = skipSpace(text, end)
    const delimiter = text.charCodeAt(i)
    if (delimiter === closeBrace) return i + 1
    if (delimiter !== comma) return -1
    i = skipSpace(text, i + 1)
  }
}

/** The key between two quotes; `"m\u0065thod"` is `method`. */
function memberKey(text: string, start: number, end: number): string | undefined {
  const raw = text.slice(start + 1, end - 1)
  if (!raw.includes('\\')) return raw
  try {
    return JSON.parse(text.slice(start, end)) as string
  } catch {
    return undefined
  }
}

/** Calls `onElement` with where each element of the array that opens at `at` stands. Returns the index after it, or -1. */
export function cutElements(text: string, at: number, onElement: (start: number, end: number) => void): number {
  if (text.charCodeAt(at) !== openBracket) return -1
  let i = skipSpace(text, at + 1)
  if (text.charCodeAt(i) === closeBracket) return i + 1
  for (;;) {
    const end = endOfValue(text, i)
    if (end < 0) return -1
    onElement(i, end)
    i = skipSpace(text, end)
    const delimiter = text.charCodeAt(i)
    if (delimiter === closeBracket) return i + 1
    if (delimiter !== comma) return -1
    i = skipSpace(text, i + 1)
  }
}

/** Whether brackets nest deeper than `cap`, outside strings. */
export function isDeeperThan(text: string, cap: number): boolean {
  // Each level takes an opening character.
  if (text.length <= cap) return false
  let depth = 0
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i)
    if (c === quote) {
      i = endOfString(text, i) - 1
      if (i < 0) return false
    } else if (c === openBrace || c === openBracket) {
      if (++depth > cap) return true
    } else if (c === closeBrace || c === closeBracket) depth--
  }
  return false
}
