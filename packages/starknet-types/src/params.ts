import type { AnySchema, Schema } from '@wayleave/jsonrpc-core/schema'
import { objectOf } from './object-of.ts'

/** Params as every node takes them: by name, or by position. */
export type Params<Named extends object, Positional extends readonly unknown[]> = Named | Positional

/**
 * Checks params by their names, in positional order; those whose names end in `?` may be absent, and come last. By name, members
 * beyond these pass; by position, params beyond them do not.
 */
export function paramsOf<T>(paramNames: readonly string[], schemas: readonly AnySchema[]): Schema<T> {
  const list = paramNames.join(', ')
  const expected = `{ ${list} } or [${list}]`
  const members = paramNames.map((each, i) => {
    const name = each.replace('?', '')
    return [name, name === each ? schemas[i]! : { optional: schemas[i]! }] as const
  })
  const byName = objectOf<Record<string, unknown>>(
    expected,
    Object.fromEntries(members) as Record<string, Schema<unknown>>,
  )
  return {
    expected,
    json: (of) => ({ items: schemas.map(of) }),
    check(value, path) {
      if (!Array.isArray(value)) return byName.check(value, path)
      if (value.length > members.length) {
        return { path, expected: `at most ${members.length} params`, received: String(value.length) }
      }
      // JSON has null for one that is left out before another.
      const given = members.map(([name, schema], i) => [
        name,
        value[i] === null && 'optional' in schema ? undefined : value[i],
      ])
      return byName.check(Object.fromEntries(given), path)
    },
  }
}

/** Params in positional order, from either form; what is absent is undefined. No array and no object: none. */
export function positionalParams(
  spec: { readonly paramNames?: readonly string[] },
  params: unknown,
): readonly unknown[] {
  if (Array.isArray(params)) return params
  const byName = Object(params) as Readonly<Record<string, unknown>>
  return (spec.paramNames ?? []).map((each) => {
    const name = each.replace(/\?$/, '')
    return Object.hasOwn(byName, name) ? byName[name] : undefined
  })
}
