import type { CallOptions } from '@wayleave/jsonrpc-core'
import { type AnySchema, assertValid } from '@wayleave/jsonrpc-core/schema'
import type { StarknetVersion } from '@wayleave/starknet-types'

/** Calls a method of a version by its full name. @throws SchemaError, RpcError, TypeError for a method that the version lacks */
export type StarknetCall = (method: string, first: unknown, second?: CallOptions) => Promise<unknown>

/** Calls any method, unchecked. @throws RpcError */
export type UncheckedCall = (method: string, params: unknown, options?: CallOptions) => Promise<unknown>

type Table = Readonly<Record<string, { readonly params: AnySchema; readonly paramNames: readonly string[] }>>

/** The table of each version is a module, so that only one of them loads. */
const tables: Readonly<Record<StarknetVersion, () => Promise<Table>>> = {
  '0.5.1': () => import('@wayleave/starknet-types/v0_5'),
  '0.6': () => import('@wayleave/starknet-types/v0_6'),
  '0.7': () => import('@wayleave/starknet-types/v0_7'),
  '0.8': () => import('@wayleave/starknet-types/v0_8'),
  '0.9': () => import('@wayleave/starknet-types/v0_9'),
  '0.10': () => import('@wayleave/starknet-types/v0_10'),
}

/** Creates the function behind `client.starknet`, with the table of the version, which it loads. */
export async function createStarknetCall(version: StarknetVersion, call: UncheckedCall): Promise<StarknetCall> {
  const table = await tables[version]()
  return async (method, first, second) => {
    const spec = specIn(table, method, version)
    const takesNone = spec.paramNames.length === 0
    const params = takesNone ? [] : first
    const options = takesNone && !Array.isArray(first) ? (first as CallOptions | undefined) : second
    assertValid<unknown>(spec.params, params, `${method} params`)
    return call(method, params, options)
  }
}

/** Checks the params of a method. @throws SchemaError, TypeError for a method that the version lacks */
export async function checkStarknetParams(version: StarknetVersion, method: string, params: unknown): Promise<void> {
  assertValid<unknown>(specIn(await tables[version](), method, version).params, params, `${method} params`)
}

function specIn(table: Table, method: string, version: StarknetVersion): Table[string] {
  const spec = Object.hasOwn(table, method) ? table[method] : undefined
  if (spec === undefined) throw new TypeError(`${method} is not in version ${version}: see starknet({ version })`)
  return spec
}
