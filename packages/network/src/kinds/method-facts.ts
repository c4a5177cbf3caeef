import type { MethodFacts } from '@wayleave/jsonrpc-core/schema'
import { sendsByName } from '@wayleave/upstream'

/** Tells whether a method only reads; one that is in no table counts as a write. */
export function isRead(facts: MethodFacts, method: string): boolean {
  return facts[method]?.effect === 'read'
}

/** Returns a function that tells whether a method is in no table, or a rare read; where there is no table, none is. */
export function unknownIn(facts: MethodFacts, rare: MethodFacts = {}): (method: string) => boolean {
  const known = new Set(Object.keys(facts).filter((method) => !isRead(rare, method)))
  return (method) => known.size > 0 && !known.has(method)
}

/**
 * Tells whether a method may change what others read. A method in no table may if its name says that it sends something, or if it is a
 * command of a development node: most such methods are made up, or read.
 */
export function mayWrite(facts: MethodFacts, method: string, isCommand: (method: string) => boolean): boolean {
  if (Object.hasOwn(facts, method)) return facts[method]!.effect === 'write'
  return sendsByName(method) || (!/_get[A-Z]/.test(method) && isCommand(method))
}

/** Tells whether a method opens a subscription. */
export function opensSubscription(facts: MethodFacts, method: string): boolean {
  return facts[method]?.subscription !== undefined
}

/** Tells whether a call can send no transaction. */
export function sendsNothing(facts: MethodFacts, method: string): boolean {
  return (isRead(facts, method) && method !== 'trace_rawTransaction') || opensSubscription(facts, method)
}

/** Whether calls of a method ask for as long a range of blocks as their callers like. */
export function hasRange(facts: MethodFacts, method: string): boolean {
  return facts[method]?.cache === 'range' || method === 'arbtrace_filter'
}
