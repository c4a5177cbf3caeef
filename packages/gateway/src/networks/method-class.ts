import type { MethodFacts } from '@wayleave/jsonrpc-core/schema'
import type { CallClass } from '../telemetry/call-labels.ts'

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
