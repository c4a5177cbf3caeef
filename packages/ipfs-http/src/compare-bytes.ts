/** Which of two comes first: below 0 the one, above 0 the other; 0 where they are the same. */
export function compareBytes(one: Uint8Array, other: Uint8Array): number {
  const length = Math.min(one.length, other.length)
  for (let at = 0; at < length; at++) {
    const difference = one[at]! - other[at]!
    if (difference !== 0) return difference
  }
  return one.length - other.length
}
