import { describeValue, type MethodFacts, SchemaError } from '@wayleave/jsonrpc-core/schema'

type ParamFacts = Pick<MethodFacts[string], 'paramNames' | 'blockParam'>

/**
 * Completes the params of a call: none may be left out if all may be absent, and an absent block that may be is `latest`, which some nodes
 * insist on. @throws SchemaError if they are no array
 */
export function completeParams(
  method: string,
  { paramNames = [], blockParam = -1 }: ParamFacts,
  params: unknown,
): readonly unknown[] {
  if (params === undefined && paramNames.every((name) => name.endsWith('?'))) return []
  if (!Array.isArray(params)) {
    const issue = { path: '', expected: `an array [${paramNames.join(', ')}]`, received: describeValue(params) }
    throw new SchemaError(`${method} params`, issue)
  }
  const given = params as readonly unknown[]
  const isMissing = paramNames[blockParam] === 'block?' && given[blockParam] === undefined && given.length >= blockParam
  // Nodes estimate in the pending block, or in the latest one.
  if (!isMissing || /^eth_(?:estimateGas|createAccessList)$/.test(method)) return given
  return [...given.slice(0, blockParam), 'latest', ...given.slice(blockParam + 1)]
}
