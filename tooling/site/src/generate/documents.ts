import { readFileSync } from 'node:fs'
import { evmOpenRpcDocument } from '@wayleave/evm-types/openrpc'
import { starknetVersions } from '@wayleave/starknet-types'
import { starknetOpenRpcDocument } from '@wayleave/starknet-types/openrpc'
import type { Generated, SiteFile } from '../page.ts'
import { readOpenApi } from './open-api.ts'
import { table } from './table.ts'

interface Listed extends SiteFile {
  readonly what: string
}

const version = (
  JSON.parse(readFileSync(new URL('../../../../package.json', import.meta.url), 'utf8')) as { version: string }
).version

function jsonFile(path: string, document: unknown, what: string): Listed {
  return { path, content: `${JSON.stringify(document, null, 2)}\n`, what }
}

/** Makes the documents that programs read, and the page that lists them. */
export async function documents(): Promise<Generated> {
  const schema = readFileSync(new URL('../../../../packages/gateway/config.schema.json', import.meta.url), 'utf8')
  const listed: readonly Listed[] = [
    jsonFile('schemas/evm.openrpc.json', evmOpenRpcDocument(version), 'EVM and rollup methods, OpenRPC 1.3'),
    ...starknetVersions.map((spec) =>
      jsonFile(
        `schemas/starknet-${spec}.openrpc.json`,
        starknetOpenRpcDocument(spec, version),
        `Starknet methods of version ${spec}, OpenRPC 1.3`,
      ),
    ),
    jsonFile('schemas/admin.openapi.json', readOpenApi(), "the operator's API, OpenAPI 3.1"),
    { path: 'schemas/config.schema.json', content: schema, what: 'a configuration file, JSON Schema draft 7' },
  ]
  const rows = listed.map(({ path, what }) => [`[\`${path.slice('schemas/'.length)}\`](../${path})`, what])
  return {
    source: 'packages/evm-types/src/openrpc',
    files: listed.map(({ path, content }) => ({ path, content })),
    markdown: `# Schemas to download

Documents for playgrounds, code generators and editors, made from the same tables that check calls and configurations.

${table(['file', 'describes'], rows)}

A gateway serves its own OpenAPI document at \`GET /admin/v1/openapi.json\` of the admin listener, and \`wayleave config schema\` prints the schema of a configuration.
In YAML, name it in the first line, and an editor with the YAML language server completes and checks what you type; \`wayleave config init\` writes that line.
`,
  }
}
