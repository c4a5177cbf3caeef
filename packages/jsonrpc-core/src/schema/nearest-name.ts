/** Finds the candidate that a mistyped name is nearest to; undefined if none is near. Upper and lower case count as the same. */
export function nearestName(name: string, candidates: readonly string[]): string | undefined {
  // Longer names are no typing errors, and their distances would take long.
  if (name.length > 64) return undefined
  // One or two letters are near to anything.
  let least = name.length < 3 ? 1 : Math.max(1, Math.floor(name.length / 3)) + 1
  let nearest: string | undefined
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - name.length) >= least) continue
    const distance = distanceOf(name.toLowerCase(), candidate.toLowerCase())
    if (distance < least) [nearest, least] = [candidate, distance]
  }
  return nearest
}

/** Counts the characters to insert, delete or change (Levenshtein); swapped neighbours count once (Damerau). */
function distanceOf(a: string, b: string): number {
  let before: number[] = []
  let above = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1]
      row[j] = Math.min(row[j - 1]! + 1, above[j]! + 1, above[j - 1]! + (same ? 0 : 1))
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        row[j] = Math.min(row[j]!, before[j - 2]! + 1)
    }
    ;[before, above] = [above, row]
  }
  return above[b.length]!
}
