import { type AnyMember, type AnySchema, jsonOf } from '@wayleave/jsonrpc-core/schema'
import { configSchema } from '../../../src/config/config-schema.ts'
import { type Docstrings, readDocstrings } from './docstrings.ts'

type Json = Readonly<Record<string, unknown>>

/** A text with `${NAME}` in it, which stands for another one. */
const placeholder = { type: 'string', pattern: '\\$\\{[^}]+\\}' }

/** The JSON Schema (draft 7) of a configuration file for editors, with the docstrings of its members. Ends with a line break. */
export function editorSchema(): string {
  const docs = readDocstrings()
  const { properties, ...rest } = describe(configSchema, ['Config'], docs) as { readonly properties: object }
  const document = {
    $schema: 'http://json-schema.org/draft-07/schema#',
    ...rest,
    title: 'Wayleave configuration',
    properties: { $schema: { type: 'string', description: 'The address of this schema, for editors.' }, ...properties },
  }
  return `${JSON.stringify(document, undefined, 1)}\n`
}

/** `names`: interfaces that may have the members of the schema. */
function describe(schema: AnySchema, names: readonly string[], docs: Docstrings): Json {
  const { parts, json } = schema
  if (json === undefined && parts?.kind === 'object') {
    const properties = parts.members.map(([name, member]) => [name, describeMember(name, member, names, docs)])
    return { ...jsonOf(schema, () => ({})), title: undefined, properties: Object.fromEntries(properties) }
  }
  const made = jsonOf(schema, (inner) => describe(inner, names, docs)) as Json
  return made['type'] === 'string' && made['pattern'] !== undefined ? { anyOf: [made, placeholder] } : made
}

function describeMember(name: string, member: AnyMember, names: readonly string[], docs: Docstrings): Json {
  const schema = 'optional' in member ? member.optional : member
  const found = names.map((it) => docs.get(it)?.get(name)).find((it) => it !== undefined)
  const inner = (found?.type.match(/\w+/g) ?? []).filter((word) => docs.has(word))
  // A doc that tells the default alone says too little.
  const isWhole = found?.doc !== undefined && !found.doc.startsWith('Default')
  const description = isWhole ? found.doc : [schema.expected, found?.doc].filter(Boolean).join('. ')
  return { description: upperFirst(description), ...describe(schema, inner, docs) }
}

function upperFirst(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
