import type { AnySchema, SchemaIssue } from '@wayleave/jsonrpc-core/schema'
import { starknetMethods, type StarknetVersion } from '../../src/index.ts'

/** The issue that a version's table finds in the params or the result of a method. */
export function issueIn(
  version: StarknetVersion,
  method: string,
  part: 'params' | 'result',
  value: unknown,
): SchemaIssue | undefined {
  const table = starknetMethods[version] as Readonly<Record<string, Record<'params' | 'result', AnySchema>>>
  const spec = table[method]
  if (spec === undefined) throw new Error(`${version} has no ${method}`)
  return spec[part].check(value, part)
}
