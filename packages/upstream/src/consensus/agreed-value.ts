import type { ComparisonRules } from './likeness.ts'

type Members = Readonly<Record<string, unknown>>

/**
 * Returns what at least `repeats` of several answers say that are alike, as parsed JSON: of members that only some of them have, those that
 * so many have; of values in which honest nodes differ, that which most have.
 */
export function agreedValue(values: readonly unknown[], repeats: number, rules: ComparisonRules): unknown {
  const [first] = values
  if (Array.isArray(first)) {
    const lists = values as readonly (readonly unknown[])[]
    return first.map((_, i) =>
      agreedValue(
        lists.map((list) => list[i]),
        repeats,
        rules,
      ),
    )
  }
  if (typeof first !== 'object' || first === null) return first
  const all = values as readonly Members[]
  const names = new Set(all.flatMap((members) => Object.keys(members)))
  return Object.fromEntries(
    [...names].flatMap((name) => {
      const reported = all.filter((members) => Object.hasOwn(members, name)).map((members) => members[name])
      const given = reported.filter((value) => value !== null)
      if (rules.free?.has(name) === true) return [[name, mostFrequent(reported)]]
      if (given.length >= repeats) return [[name, agreedValue(given, repeats, rules)]]
      return given.length < reported.length ? [[name, null]] : []
    }),
  )
}

function mostFrequent(values: readonly unknown[]): unknown {
  const counts = new Map<string, number>()
  for (const value of values) {
    const text = JSON.stringify(value)
    counts.set(text, (counts.get(text) ?? 0) + 1)
  }
  const [[text]] = [...counts].toSorted(([, a], [, b]) => b - a) as [[string, number]]
  return JSON.parse(text)
}
