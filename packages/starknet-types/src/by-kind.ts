import { type AnySchema, choice, describeValue, object, type Schema } from '@wayleave/jsonrpc-core/schema'
import type { Members } from './object-of.ts'

/** The members of a kind of object, beside those that tell the kind. */
export type KindMembers<T> = Members<Omit<T, 'type' | 'version'>>

type Kinds = Readonly<Record<string, Readonly<Record<string, AnySchema | { readonly optional: AnySchema }>>>>

/**
 * One of several objects, each by its members, told apart by `type`, or by `type` and `version`; a query version counts as
 * the one it tries.
 */
export function byKind<T>(what: string, kinds: Kinds): Schema<T> {
  const schemas = new Map(Object.entries(kinds).map(([kind, members]) => [kind, object<object>(what, members)]))
  const expected = `${what}: ${Object.keys(kinds).join(', ')}`
  return choice<T>(expected, (value) => {
    const { type, version } = Object(value) as Partial<Record<string, unknown>>
    // Nothing else may be made a string: what it holds is a stranger's, and as deep as they like.
    const plain = typeof version === 'string' && version.replace(/^0x10{31}(?=.$)/, '0x')
    const schema = typeof type === 'string' && (schemas.get(`${type} ${plain}`) ?? schemas.get(type))
    if (schema) return schema
    const received = `type ${describeValue(type)}, version ${describeValue(version)}`
    return { check: (_, path) => ({ path, expected, received }) }
  })
}
