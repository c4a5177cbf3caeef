import {
  type Changes,
  type Chosen,
  type Field,
  type Fields,
  type FieldValues,
  maxDirectives,
  maxLeewayMs,
  maxNetworks,
  maxTextLength,
} from '@wayleave/auth'
import type { Plan as Limits } from '@wayleave/metering'
import {
  type AnyMember,
  type AnySchema,
  boolean,
  integer,
  nullable,
  type ObjectShape,
  record,
  type Schema,
  text,
} from '@wayleave/jsonrpc-core/schema'
import { hint, id, label, listOf, name, time, words } from './fields.ts'
import { limits } from './limits.ts'
import type { Shown } from './record-view.ts'
import { rules } from './rules.ts'

type ListName<F extends Fields> = {
  [Name in keyof F]: F[Name] extends { readonly of: Fields } ? Name : never
}[keyof F]

const directive = record(words(0, maxTextLength), id)
const directives: Schema<Readonly<Record<string, string>>> = {
  ...directive,
  check(value, path) {
    const issue = directive.check(value, path)
    if (issue !== undefined || Object.keys(value as object).length <= maxDirectives) return issue
    return { path, expected: `at most ${maxDirectives} directives`, received: 'more' }
  },
}

/** Schemas of values, by the kind of their field. */
const schemas: {
  readonly [Kind in Exclude<Field['kind'], 'digest' | 'jwtKeys' | 'secrets'>]: Schema<FieldValues<Limits>[Kind]>
} = {
  id,
  plan: id,
  hint,
  name,
  label,
  audience: words(1, maxTextLength),
  leeway: integer(`a whole number of ms from 0 to ${maxLeewayMs}`, 0, maxLeewayMs),
  time,
  flag: boolean,
  networks: listOf(words(1, maxTextLength), maxNetworks),
  rules,
  limits,
  directives,
  pem: text('a public key'),
}

/** The shape of a record as it is shown. `lists`: schemas of its lists of records. */
export function shownShape<F extends Fields, Lists extends Readonly<Record<ListName<F>, AnySchema>>>(
  fields: F,
  lists: Lists,
): ObjectShape<Omit<Shown<F>, keyof Lists>> & Lists {
  const all: Readonly<Record<string, AnySchema>> = lists
  return shapeOf(fields, ({ kind, optional, ofStore }, member) => {
    if (kind === 'digest') return undefined
    const schema = all[member] ?? schemaOf(kind)
    return optional === true || ofStore === true ? { optional: schema } : schema
  }) as never
}

/** The shape of the members that operators choose for a new record. */
export function chosenShape<F extends Fields>(fields: F): ObjectShape<Chosen<F, Limits>> {
  return shapeOf(fields, ({ kind, chosen }) => (chosen === true ? { optional: schemaOf(kind) } : undefined)) as never
}

/** The shape of a change, in which null takes an optional member away. */
export function patchShape<F extends Fields>(fields: F): ObjectShape<Changes<F, Limits, null>> {
  return shapeOf(fields, ({ kind, chosen, optional }) => {
    if (chosen !== true) return undefined
    return { optional: optional === true ? nullable(schemaOf(kind)) : schemaOf(kind) }
  }) as never
}

/** Finds the schema of a kind: fields that are chosen are no digests and no lists. */
function schemaOf(kind: Field['kind']): Schema<unknown> {
  return schemas[kind as keyof typeof schemas] as Schema<unknown>
}

function shapeOf(fields: Fields, schemaOfMember: (field: Field, member: string) => AnyMember | undefined): object {
  const members = Object.entries(fields).map(([member, field]) => [member, schemaOfMember(field, member)] as const)
  return Object.fromEntries(members.filter(([, schema]) => schema !== undefined))
}
