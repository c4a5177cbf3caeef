import type { Schema } from '@wayleave/jsonrpc-core/schema'
import { type Members, objectOf } from './object-of.ts'

/** Params as every node takes them: by name, or by position. */
export type Params<Named extends object, Positional extends readonly unknown[]> = Named | Positional

/** Schema and names of params, from one list in positional order, trailing ones `optional`: by name members beyond it pass, by position not. */
export function named<Named extends object, Positional extends readonly unknown[]>(
  list: Members<Named>,
): { readonly params: Schema<Params<Named, Positional>>; readonly paramNames: readonly string[] } {
  const names = Object.keys(list)
  const isOptional = (name: string): boolean => 'optional' in list[name as keyof Named]
  const paramNames = names.map((name) => (isOptional(name) ? `${name}?` : name))
  const expected = `{ ${paramNames.join(', ')} } or [${paramNames.join(', ')}]`
  const byName = objectOf<Named>(expected, list)
  return {
    paramNames,
    params: {
      expected,
      check(value, path) {
        if (!Array.isArray(value)) return byName.check(value, path)
        if (value.length > names.length) {
          return { path, expected: `at most ${names.length} params`, received: String(value.length) }
        }
        // JSON has null for one that is left out before another.
        const given = value.map((each, i) => [names[i], each === null && isOptional(names[i]!) ? undefined : each])
        return byName.check(Object.fromEntries(given), path)
      },
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
