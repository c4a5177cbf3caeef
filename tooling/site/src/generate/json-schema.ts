import { slug } from '../slug.ts'
import { table } from './table.ts'

/** The members of a JSON Schema that pages tell of. */
export interface JsonSchema {
  readonly $ref?: string
  readonly description?: string
  readonly title?: string
  readonly type?: string
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly items?: JsonSchema
  readonly anyOf?: readonly JsonSchema[]
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly not?: JsonSchema
}

const refPrefix = '#/components/schemas/'

/** Says in words what a value has to be; a named schema is linked to its heading. */
export function inWords(schema: JsonSchema): string {
  if (schema.$ref !== undefined) {
    const name = schema.$ref.slice(refPrefix.length)
    return `[${name}](#${slug(name)})`
  }
  if (schema.type === 'array' && schema.items?.$ref !== undefined) return `array of ${inWords(schema.items)}`
  return schema.description ?? schema.title ?? schema.type ?? 'any JSON'
}

/** Prints what a named schema is: its sentence, and its members if it is an object. */
export function schemaText(schema: JsonSchema): string {
  const { properties, required = [] } = schema
  const opening = schema.description ?? schema.title
  const sentence = opening === undefined ? '' : `${opening[0]!.toUpperCase()}${opening.slice(1)}.\n`
  if (properties === undefined) {
    const shapes = (schema.anyOf ?? []).filter(({ $ref }) => $ref !== undefined)
    return shapes.length === 0 ? sentence : `${sentence}\nOne of ${shapes.map(inWords).join(', ')}.\n`
  }
  const rows = Object.entries(properties)
    .filter(([, member]) => member.not === undefined)
    .map(([name, member]) => [`\`${name}\``, required.includes(name) ? 'required' : '', inWords(member)])
  return rows.length === 0 ? sentence : `${sentence}\n${table(['member', '', 'value'], rows)}\n`
}
