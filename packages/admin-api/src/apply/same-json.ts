/** Tells whether two values are the same JSON: members that are undefined count as absent, and their order does not matter. */
export function sameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (Array.isArray(a) || Array.isArray(b)) {
    return Array.isArray(a) && Array.isArray(b) && a.length === b.length && a.every((item, i) => sameJson(item, b[i]))
  }
  const [left, right] = [membersOf(a), membersOf(b)]
  return (
    left.size === right.size &&
    Array.from(left).every(([name, value]) => right.has(name) && sameJson(value, right.get(name)))
  )
}

function membersOf(value: object): Map<string, unknown> {
  return new Map(Object.entries(value).filter(([, member]) => member !== undefined))
}
