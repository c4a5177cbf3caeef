import type { MethodFacts } from '@wayleave/jsonrpc-core/schema'

/** Tells whether a method only reads; one that is in no table counts as a write. */
export function isRead(facts: MethodFacts, method: string): boolean {
  return Object.hasOwn(facts, method) && facts[method]!.effect === 'read'
}

/** Tells whether a method may change what others read. One that is in no table may, unless its name says that it gets something. */
export function mayWrite(facts: MethodFacts, method: string): boolean {
  return Object.hasOwn(facts, method) ? facts[method]!.effect === 'write' : !/_get[A-Z]/.test(method)
}

/** Tells whether a method opens a subscription. */
export function opensSubscription(facts: MethodFacts, method: string): boolean {
  return Object.hasOwn(facts, method) && facts[method]!.subscription !== undefined
}

/** Tells whether a call can send no transaction. */
export function sendsNothing(facts: MethodFacts, method: string): boolean {
  return (isRead(facts, method) && method !== 'trace_rawTransaction') || opensSubscription(facts, method)
}
