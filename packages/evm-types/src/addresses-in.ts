import type { MethodFacts } from '@wayleave/jsonrpc-core/schema'

/**
 * The strings in `params` at the places where a method's facts put addresses, unchecked and as they came.
 * An array on the way, or at the end, stands for each of its elements; the step `*` for the names of an object's members.
 *
 * Empty does not mean harmless: a call without `to` runs code of its own, a log filter without `address` reads every
 * contract, and params by name, which some nodes take, are not looked at. A policy by address must refuse these three.
 */
export function addressesIn(facts: Pick<MethodFacts[string], 'addressPaths'>, params: unknown): string[] {
  if (!Array.isArray(params)) return []
  return (facts.addressPaths ?? []).flatMap((path) => {
    const [place = '', ...steps] = path.split('.')
    return stringsAt(params[Number(place)], steps)
  })
}

function stringsAt(value: unknown, steps: readonly string[]): string[] {
  const values = elements(value)
  const [step, ...rest] = steps
  if (step === undefined) return values.filter((each) => typeof each === 'string')
  const objects = values.filter((each): each is Record<string, unknown> => typeof each === 'object' && each !== null)
  if (step === '*') return objects.flatMap((each) => Object.keys(each))
  return objects.flatMap((each) => (Object.hasOwn(each, step) ? stringsAt(each[step], rest) : []))
}

/** Flattens arrays of any depth. Without recursion: a caller chooses how deep they nest. */
function elements(value: unknown): unknown[] {
  const found: unknown[] = []
  const left: unknown[] = [value]
  while (left.length > 0) {
    const each = left.pop()
    if (!Array.isArray(each)) found.push(each)
    else for (let i = each.length - 1; i >= 0; i--) left.push(each[i])
  }
  return found
}
