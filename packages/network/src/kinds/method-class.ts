import type { MethodFacts } from '@wayleave/jsonrpc-core/schema'

/**
 * Methods whose calls take alike long, so that an upstream's slow ones are not held against its quick ones: `heavy` ones run transactions
 * again or prove, `logs` search a range of blocks, `sync` writes wait for a block. A method in no table counts as a write, unless its name says that it is heavy.
 */
export type CallClass = 'read' | 'heavy' | 'logs' | 'write' | 'sync' | 'subscription'

/** The facts do not tell the work that a method makes, and the names of all families do. */
const isHeavy = /^debug_|trace|simulate|proof|createAccessList/i
const isSync = /Sync$/
const isSearch = /^starknet_getEvents$/

/** Returns a function that names the class of a method. */
export function methodClassOf(facts: MethodFacts): (method: string) => CallClass {
  const known = new Map(Object.entries(facts).map(([method, each]) => [method, classOf(method, each)]))
  return (method) => known.get(method) ?? (isHeavy.test(method) ? 'heavy' : 'write')
}

function classOf(method: string, { effect, subscription, cache }: MethodFacts[string]): CallClass {
  if (effect === 'session' || subscription !== undefined) return 'subscription'
  if (effect === 'write') return isSync.test(method) ? 'sync' : 'write'
  if (isHeavy.test(method)) return 'heavy'
  return cache === 'range' || isSearch.test(method) ? 'logs' : 'read'
}
