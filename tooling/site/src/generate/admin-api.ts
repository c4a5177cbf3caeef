import type { OpenApiDocument } from '@wayleave/admin-api'
import type { Generated } from '../page.ts'
import { inWords, type JsonSchema, schemaText } from './json-schema.ts'
import { readOpenApi } from './open-api.ts'
import { codes, table } from './table.ts'

interface Body {
  readonly content?: Readonly<Record<string, { readonly schema: JsonSchema }>>
}

interface Parameter {
  readonly name: string
  readonly in: string
  readonly required: boolean
  readonly schema: JsonSchema
}

/** Makes the reference of the operator's API from its own OpenAPI document. */
export async function adminApi(): Promise<Generated> {
  const document = readOpenApi()
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => operationText(`${method.toUpperCase()} ${path}`, operation)),
  )
  const schemas = Object.entries(document.components.schemas as Readonly<Record<string, JsonSchema>>)
  return {
    source: 'packages/admin-api/src/routes',
    markdown: `# Admin API

The operator's API, on the admin listener below \`${document.servers[0]!.url}\`. ${document.info.description}

This page is made from the [OpenAPI document](./documents.md) that a gateway itself answers at \`GET ${document.servers[0]!.url}/openapi.json\`. The
[\`@wayleave/admin-api\`](../packages/admin-api.md) package has a typed client.

## Operations

${operations.join('\n')}
## Values

${schemas.map(([name, schema]) => `### ${name}\n\n${schemaText(schema)}`).join('\n')}`,
  }
}

function operationText(title: string, operation: OpenApiDocument['paths'][string][string]): string {
  const { summary, parameters = [], requestBody, responses } = operation
  const scopes = operation['x-scopes']
  const rows = (parameters as readonly Parameter[]).map((parameter) => [
    `\`${parameter.name}\``,
    `${parameter.in}${parameter.required ? ', required' : ''}`,
    inWords(parameter.schema),
  ])
  const answers = Object.entries(responses as Readonly<Record<string, Body>>).map(([status, answer]) => {
    const schema = schemaIn(answer)
    return { status, words: schema === undefined ? '' : inWords(schema) }
  })
  const isGood = ({ status }: { readonly status: string }): boolean => status.startsWith('2')
  const good = answers.filter(isGood).map(({ status, words }) => `${status} ${words}`.trim())
  const refusals = answers.filter((answer) => !isGood(answer))
  const reported = `${refusals.map(({ status }) => status).join(', ')} with ${refusals[0]!.words}`
  const body = schemaIn(requestBody as Body | undefined)
  return `### \`${title}\`

${summary}.

${rows.length === 0 ? '' : `${table(['parameter', '', 'value'], rows)}\n\n`}${body === undefined ? '' : `Body: ${inWords(body)}. `}Answer: ${good.join(', ')}; else ${reported}.
${scopes.length === 0 ? 'Any token will do.' : `For a token with ${codes([...scopes, 'all'])}.`}
`
}

function schemaIn(body: Body | undefined): JsonSchema | undefined {
  return Object.values(body?.content ?? {})[0]?.schema
}
