import { openRpcDocument, type OpenRpcDocument } from '@wayleave/jsonrpc-core/schema'
import { feltSchema } from '../felt.ts'
import { starknetMethods } from '../starknet-methods.ts'
import type { StarknetVersion } from '../versions.ts'

/**
 * The method table of a version of the Starknet RPC as an OpenRPC document, for playgrounds and code generators; `version` is that of your
 * service.
 */
export function starknetOpenRpcDocument(apiVersion: StarknetVersion, version: string): OpenRpcDocument {
  return openRpcDocument(starknetMethods[apiVersion] as never, {
    title: `Starknet JSON-RPC ${apiVersion}`,
    version,
    description: 'Params go by position, as described, or by name.',
    named: { Felt: feltSchema },
  })
}
