const tokens = /("(?:[^"\\]|\\.)*")(\s*:)?|[{}[\]]/g

/** Tells whether a member stands twice in an object that is given as valid JSON; its inner objects are not looked at. */
export function hasRepeatedMember(json: string): boolean {
  const names = new Set<string>()
  let depth = 0
  for (const [token, text, colon] of json.matchAll(tokens)) {
    if (text === undefined) depth += token === '{' || token === '[' ? 1 : -1
    else if (colon !== undefined && depth === 1) {
      const name = JSON.parse(text) as string
      if (names.has(name)) return true
      names.add(name)
    }
  }
  return false
}
