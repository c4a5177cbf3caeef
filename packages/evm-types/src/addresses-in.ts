import type { MethodFacts } from '@wayleave/jsonrpc-core/schema'

/**
 * The strings that stand in `params` where a method's facts say that addresses stand, unchecked and as they came.
 * An array on the way, or at the end, stands for each of its elements; the step `*` for the names of an object's members.
 */
export function addressesIn(facts: Pick<MethodFacts[string], 'addressPaths'>, params: unknown): string[] {
  if (!Array.isArray(params)) return []
  return (facts.addressPaths ?? []).flatMap((path) => {
    const [place = '', ...steps] = path.split('.')
    return stringsAt(params[Number(place)], steps)
  })
}

function stringsAt(value: unknown, steps: readonly string[]): string[] {
  if (Array.isArray(value)) return value.flatMap((each) => stringsAt(each, steps))
  const [step, ...rest] = steps
  if (step === undefined) return typeof value === 'string' ? [value] : []
  if (typeof value !== 'object' || value === null) return []
  if (step === '*') return Object.keys(value)
  return Object.hasOwn(value, step) ? stringsAt((value as Record<string, unknown>)[step], rest) : []
}
