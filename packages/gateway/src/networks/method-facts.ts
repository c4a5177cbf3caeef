import type { MethodFacts } from '@wayleave/jsonrpc-core/schema'

/** Tells whether a method only reads; one that is in no table counts as a write. */
export function isRead(facts: MethodFacts, method: string): boolean {
  return Object.hasOwn(facts, method) && facts[method]!.effect === 'read'
}

/** Tells whether a method opens a subscription. */
export function opensSubscription(facts: MethodFacts, method: string): boolean {
  return Object.hasOwn(facts, method) && facts[method]!.subscription !== undefined
}
