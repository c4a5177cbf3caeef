import { type AnyMember, type AnySchema, jsonOf } from '@wayleave/jsonrpc-core/schema'
import { configSchema } from '../../src/config/config.ts'
import { restartMembers } from '../../src/config/restart-members.ts'

/** A JSON Schema (draft 7). */
interface Json {
  readonly type?: string
  readonly description?: string
  readonly pattern?: string
  readonly properties?: Readonly<Record<string, Json>>
  readonly additionalProperties?: Json | boolean
  readonly items?: Json
  readonly anyOf?: readonly Json[]
  readonly required?: readonly string[]
}

/** A text with `${NAME}` in it, which stands for another one. */
const placeholder = { type: 'string', pattern: '\\$\\{[^}]+\\}' }

/** The JSON Schema of a configuration file for editors. Ends with a line break. */
export function editorSchema(): string {
  const { properties, ...rest } = describe(configSchema)
  const document = {
    $schema: 'http://json-schema.org/draft-07/schema#',
    ...rest,
    title: 'Wayleave configuration',
    patternProperties: { '^x-': { description: 'Anything, for aliases of YAML to repeat.' } },
    properties: { $schema: { type: 'string', description: 'The address of this schema, for editors.' }, ...properties },
  }
  return `${JSON.stringify(document, undefined, 1)}\n`
}

function describe(schema: AnySchema): Json {
  const { parts, json } = schema
  if (json === undefined && parts?.kind === 'object') {
    const properties = Object.fromEntries(parts.members.map(([name, member]) => [name, describeMember(member)]))
    return { ...jsonOf(schema, () => ({})), title: undefined, properties } as Json
  }
  const made = jsonOf(schema, describe) as Json
  return made.type === 'string' && made.pattern !== undefined ? { anyOf: [made, placeholder] } : made
}

function describeMember(member: AnyMember): Json {
  const schema = 'optional' in member ? member.optional : member
  const sentence = 'description' in member ? String(member.description) : ''
  const byDefault = 'default' in member ? `Default ${printDefault(member.default)}.` : ''
  // A sentence on the default alone says too little.
  const isWhole = sentence !== '' && !sentence.startsWith('Default')
  const description = [isWhole ? '' : schema.expected, isWhole ? `${sentence} ${byDefault}`.trim() : sentence]
  return { description: upperFirst(description.filter(Boolean).join('. ')), ...describe(schema) }
}

function printDefault(value: unknown): string {
  if (typeof value !== 'number') return typeof value === 'string' ? `\`${value}\`` : String(value)
  const unit = value % 2 ** 30 === 0 ? 'GiB' : 'MiB'
  const count = value / (unit === 'GiB' ? 2 ** 30 : 2 ** 20)
  const printed = value.toLocaleString('en-US')
  return count >= 1 && Number.isInteger(count) ? `${printed} (${count} ${unit})` : printed
}

function upperFirst(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** A member of the configuration. */
export interface PrintedMember {
  /** `networks.<name>.upstreams[].url` */
  readonly path: string
  readonly description: string
  readonly isRequired: boolean
}

/** Lists all members; one of several kinds of one object is told once. */
export function configMembers(): readonly PrintedMember[] {
  return membersOf(describe(configSchema), '')
}

function membersOf(node: Json, path: string): readonly PrintedMember[] {
  const { properties = {}, additionalProperties, items, anyOf = [], required = [] } = node
  const own = Object.entries(properties).flatMap(([name, inner]) => {
    const at = path === '' ? name : `${path}.${name}`
    return [{ path: at, description: inner.description!, isRequired: required.includes(name) }, ...membersOf(inner, at)]
  })
  const all = [
    ...own,
    ...(typeof additionalProperties === 'object' ? membersOf(additionalProperties, `${path}.<name>`) : []),
    ...(items === undefined ? [] : membersOf(items, `${path}[]`)),
    ...anyOf.flatMap((inner) => membersOf(inner, path)),
  ]
  const seen = new Set<string>()
  return all.filter(({ path: at }) => !seen.has(at) && seen.add(at))
}

/** The table of `docs/configuration.md`. Ends with a line break. */
export function memberTable(): string {
  const needsRestart = (path: string): boolean =>
    restartMembers.some((member) => path === member || path.startsWith(`${member}.`))
  const rows = configMembers().map(({ path, description, isRequired }) => {
    const notes = [isRequired ? 'required' : '', needsRestart(path) ? 'restart' : ''].filter(Boolean).join(', ')
    return `| \`${path}\` | ${description.replaceAll('|', String.raw`\|`)} | ${notes} |\n`
  })
  return `| member | meaning | |\n| --- | --- | --- |\n${rows.join('')}`
}
