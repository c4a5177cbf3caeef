import type { Endpoint } from '../endpoint.ts'

/** Groups endpoints by their name: those of one name are one node. */
export function endpointsByName(endpoints: readonly Endpoint[]): ReadonlyMap<string, [Endpoint, ...Endpoint[]]> {
  const groups = new Map<string, [Endpoint, ...Endpoint[]]>()
  for (const endpoint of endpoints) {
    const group = groups.get(endpoint.name)
    if (group === undefined) groups.set(endpoint.name, [endpoint])
    else group.push(endpoint)
  }
  return groups
}
