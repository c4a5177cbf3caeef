import type { Schema } from '@wayleave/jsonrpc-core/schema'
import type { Hex } from './data.ts'

/** An object whose members' names are checked too. */
export function keyed<T>(
  key: Schema<Hex>,
  values: Schema<Readonly<Record<string, T>>>,
): Schema<Readonly<Record<Hex, T>>> {
  return {
    expected: `an object by ${key.expected}`,
    check(value, path) {
      const issue = values.check(value, path)
      if (issue !== undefined) return issue
      for (const name of Object.keys(value as object)) {
        const wrong = key.check(name, path)
        if (wrong !== undefined) return { ...wrong, expected: `a member named by ${key.expected}` }
      }
      return undefined
    },
    json: (of) => ({ ...of(values), propertyNames: of(key) }),
  }
}
