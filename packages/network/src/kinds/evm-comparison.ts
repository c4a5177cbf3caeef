import { classifyNodeError, evmMethods, quantitySchema, revertOf, wordSchema } from '@wayleave/evm-types'
import type { RpcErrorObject, RpcRequest } from '@wayleave/jsonrpc-core'
import type { AnyMember, AnySchema, MethodFacts } from '@wayleave/jsonrpc-core/schema'
import type { ComparisonRules } from '@wayleave/upstream'
import type { Comparison } from './network-kind.ts'

/** Answers that every node finds in its own way, so that honest ones differ: by a search, or by a limit of its own. */
const estimated = new Set(['eth_estimateGas', 'eth_createAccessList', 'debug_accountRange', 'debug_storageRangeAt'])

/** Methods that run code of their callers: nodes give it as much gas as they are configured to, and it can tell. */
const running = new Set(['eth_call', 'eth_simulateV1'])
/** So do tracers of their callers; all others tell errors in words of their own, and their answers have no full schema. */
const traces = /^(?:debug|trace)_/

/**
 * Members in which honest nodes differ: they count the size of a block with or without its withdrawals, and give the total difficulty of
 * the merge or none.
 */
const free: ReadonlySet<string> = new Set(['size', 'totalDifficulty'])

/**
 * Members that schemas let some blocks, transactions and traces lack, but no node: without them an answer would say something else. So they
 * must be in both answers or in none.
 */
const reporting: ReadonlySet<string> = new Set([
  'baseFeePerGas',
  'effectiveGasPrice',
  'error',
  'gasLimit',
  'gasPrice',
  'result',
  'status',
  'type',
])

/**
 * Whether all nodes give the same answer to a call, by the facts: it is a read that follows from its params, from a block or from a
 * transaction, not from a moment.
 */
export function isDeterministic(method: string): boolean {
  if (!Object.hasOwn(evmMethods, method) || estimated.has(method)) return false
  const { effect, cache } = (evmMethods as MethodFacts)[method]!
  return effect === 'read' && cache !== undefined && cache !== 'head'
}

/** The comparison of answers of EVM nodes, by the schemas of their results. */
export function evmComparison(): Comparison {
  const rules = new Map<string, ComparisonRules>()
  return {
    rulesOf(method) {
      let found = rules.get(method)
      if (found === undefined) rules.set(method, (found = rulesOf(method)))
      return found
    },
    errorClassOf,
    isExact: (method) => !running.has(method) && !traces.test(method),
  }
}

/** Names a revert with its data, exactly; else the kind of error, and its code where no word tells a kind. */
function errorClassOf(_request: RpcRequest, error: RpcErrorObject): string {
  const revert = revertOf(error)
  if (revert !== undefined)
    return `reverted ${JSON.stringify(revert, (_, it: unknown) => (typeof it === 'bigint' ? String(it) : it))}`
  const kind = classifyNodeError(error)
  return kind === 'unknown' ? `unknown ${error.code}` : kind
}

function rulesOf(method: string): ComparisonRules {
  if (!Object.hasOwn(evmMethods, method)) return {}
  const quantities = new Set<string>()
  const required = new Set<string>()
  read(
    (evmMethods as Readonly<Record<string, { readonly result: AnySchema }>>)[method]!.result,
    '',
    quantities,
    required,
  )
  return { quantities, free, ...(required.size > 0 && { required }) }
}

/** Collects the members of a schema that are quantities, and those that no node may leave out. */
function read(schema: AnySchema, name: string, quantities: Set<string>, required: Set<string>): void {
  if (schema === quantitySchema || schema === wordSchema || schema.expected.startsWith('a hex quantity'))
    quantities.add(name)
  const { parts } = schema
  if (parts === undefined) return
  if (parts.kind === 'object') {
    for (const [member, value] of parts.members) {
      if (!('optional' in value) || reporting.has(member)) required.add(member)
      read(unwrapped(value), member, quantities, required)
    }
  } else if (parts.kind === 'choice') for (const shape of parts.shapes) read(shape, name, quantities, required)
  else if (parts.kind === 'tuple') for (const item of parts.items) read(unwrapped(item), name, quantities, required)
  else read(parts.item, name, quantities, required)
}

function unwrapped(member: AnyMember): AnySchema {
  return 'optional' in member ? member.optional : member
}
