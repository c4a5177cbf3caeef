import type { MethodFacts } from '@wayleave/jsonrpc-core/schema'

/**
 * The strings that stand in `params` where a method's facts say that addresses stand, unchecked and as they came.
 * An array on the way, or at the end, stands for each of its elements; the step `*` for the names of an object's members.
 *
 * Empty does not mean harmless: a call without `to` runs code of its own, a log filter without `address` reads every
 * contract, and params by name, which some nodes take, are not looked at. Who allows by address refuses them.
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

/** What is no array in `value`, however deep; without recursion, as nobody promises how deep that is. */
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
