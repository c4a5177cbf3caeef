const quote = 0x22
const backslash = 0x5c
const comma = 0x2c
const openBracket = 0x5b
const closeBracket = 0x5d
const openBrace = 0x7b
const closeBrace = 0x7d

/** Returns the index of the first character at or after `at` that is not JSON white space. */
export function skipSpace(text: string, at: number): number {
  let i = at
  while (isSpace(text.charCodeAt(i))) i++
  return i
}

function isSpace(c: number): boolean {
  return c === 0x20 || c === 0x0a || c === 0x0d || c === 0x09
}

/**
 * Returns the index after the closing quote of the JSON string whose opening quote stands at `at`, or -1 if it has no end.
 * Indices count UTF-16 units. Escapes are skipped, not validated.
 */
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
 * Returns the index after the JSON value that starts at `at`, or -1 if it does not end within `text`.
 * The value is balanced, not validated: brackets are counted, strings are skipped, scalars end at a delimiter.
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
    } else if (depth === 0 && (c === comma || isSpace(c))) {
      return i === at ? -1 : i
    } else i++
  }
  return -1
}

/**
 * Calls `onPart` with the start and end of each value of the object or array that opens at `at`, and with its key in an
 * object. Returns the index after it, or -1 for anything else. Text that `JSON.parse` accepts is always cut right.
 */
export function cutParts(text: string, at: number, onPart: (start: number, end: number, key: string) => void): number {
  const open = text.charCodeAt(at)
  const isObject = open === openBrace
  if (!isObject && open !== openBracket) return -1
  // Each closing bracket comes two places after its opening one.
  const close = open + 2
  let i = skipSpace(text, at + 1)
  if (text.charCodeAt(i) === close) return i + 1
  for (;;) {
    let key: string | undefined = ''
    if (isObject) {
      const end = text.charCodeAt(i) === quote ? endOfString(text, i) : -1
      key = end < 0 ? undefined : memberKey(text, i, end)
      i = skipSpace(text, end)
      if (key === undefined || text.charCodeAt(i) !== 0x3a) return -1
      i = skipSpace(text, i + 1)
    }
    const end = endOfValue(text, i)
    if (end < 0) return -1
    onPart(i, end, key)
    i = skipSpace(text, end)
    const delimiter = text.charCodeAt(i)
    if (delimiter === close) return i + 1
    if (delimiter !== comma) return -1
    i = skipSpace(text, i + 1)
  }
}

/** Reads the key between two quotes; `"m\u0065thod"` is `method`. */
function memberKey(text: string, start: number, end: number): string | undefined {
  const raw = text.slice(start + 1, end - 1)
  if (!raw.includes('\\')) return raw
  try {
    return JSON.parse(text.slice(start, end)) as string
  } catch {
    return undefined
  }
}

/** Tells whether brackets nest deeper than `cap`, outside strings. */
export function isDeeperThan(text: string, cap: number): boolean {
  // Each level takes at least one character.
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
