import { type AnySchema, openRpcDocument, type OpenRpcDocument } from '@wayleave/jsonrpc-core/schema'
import {
  blockId_0_5,
  blockId_0_9,
  blockTagsOf,
  closedBlockId_0_8,
  closedBlockId_0_9,
  indexSchema,
} from '../block-id.ts'
import { feltSchema, feltsSchema } from '../felt.ts'
import { hexSchema } from '../hex.ts'
import { starknetMethods } from '../starknet-methods.ts'
import { isBefore, type StarknetVersion } from '../versions.ts'

/**
 * The method table of a version of the Starknet RPC as an OpenRPC document, for playgrounds and code generators; `version` is that of your
 * service.
 */
export function starknetOpenRpcDocument(apiVersion: StarknetVersion, version: string): OpenRpcDocument {
  const document = openRpcDocument(starknetMethods[apiVersion] as never, {
    title: `Starknet JSON-RPC ${apiVersion}`,
    version,
    description: 'Params go by position, as described, or by name.',
    named: namedOf(apiVersion),
  })
  const { schemas } = document.components
  const described = Object.entries(formsOf(apiVersion)).map(([name, form]) => [name, { ...schemas[name], ...form }])
  return { ...document, components: { schemas: { ...schemas, ...Object.fromEntries(described) } } }
}

function namedOf(version: StarknetVersion): Readonly<Record<string, AnySchema>> {
  const [block, closed] = isBefore(version, '0.9') ? [blockId_0_5, closedBlockId_0_8] : [blockId_0_9, closedBlockId_0_9]
  return {
    Block: block,
    ClosedBlock: closed,
    Felt: feltSchema,
    Felts: feltsSchema,
    Hex: hexSchema,
    Index: indexSchema,
  }
}

/** The forms of named schemas; beside the checks they would only cost those who install them. */
function formsOf(version: StarknetVersion): Readonly<Record<string, object>> {
  const hex = { type: 'string', pattern: '^0x[0-9a-fA-F]{1,64}$' }
  const member = (name: string, schema: string): object => ({
    type: 'object',
    properties: { [name]: { $ref: `#/components/schemas/${schema}` } },
    required: [name],
  })
  const blockOf = (tags: readonly string[]): object => ({
    anyOf: [{ enum: tags }, member('block_number', 'Index'), member('block_hash', 'Felt')],
  })
  const tags = blockTagsOf(version)
  const closed = tags.filter((tag) => tag === 'latest' || tag === 'l1_accepted')
  return { Felt: hex, Hex: hex, Block: blockOf(tags), ClosedBlock: blockOf(closed) }
}
