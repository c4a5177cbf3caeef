import { nearestName } from '@wayleave/jsonrpc-core/schema'

/** Prints ` (did you mean "…"?)` for the candidate nearest to a mistyped name, or nothing if none is near. */
export function suggest(name: string, candidates: readonly string[]): string {
  const nearest = nearestName(name, candidates)
  return nearest === undefined ? '' : ` (did you mean "${nearest}"?)`
}
