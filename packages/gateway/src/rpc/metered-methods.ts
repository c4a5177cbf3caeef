import type { MethodFacts } from '@wayleave/jsonrpc-core/schema'

/** The methods that usage tells apart: those that the gateway knows, notifications too, and those that an operator has named. */
export function meteredMethods(facts: MethodFacts, priced: readonly string[]): ReadonlySet<string> {
  const events = Object.values(facts).flatMap(({ subscription }) => subscription?.event ?? [])
  return new Set([...Object.keys(facts), ...events, ...priced.filter((method) => !method.endsWith('*'))])
}
