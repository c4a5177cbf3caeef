import { describeValue, type Schema } from '@wayleave/jsonrpc-core/schema'

/** Where a member stands, from the root. */
export type ConfigPath = readonly (string | number)[]

/** One thing that is not as expected. */
export interface Fault {
  readonly path: ConfigPath
  readonly expected: string
  /** What came, shortened; it may be secret. */
  readonly got: string
}

/** Tells everything that is wrong with a value, where a {@link Schema} tells the first thing only. Invariant in `T`. */
export interface Shape<in out T> {
  readonly expected: string
  faults(value: unknown, path: ConfigPath): readonly Fault[]
  /** Never set: carries the type. */
  readonly type?: (value: T) => T
}

/** A member that may be absent. */
interface OptionalShape<in out T> {
  readonly optional: Shape<T>
}

export function optional<T>(shape: Shape<T>): OptionalShape<T> {
  return { optional: shape }
}

/** A value that is right or wrong as a whole. */
export function leaf<T>(schema: Schema<T>): Shape<T> {
  const { expected } = schema
  return {
    expected,
    faults(value, path) {
      const issue = schema.check(value, '')
      return issue === undefined ? [] : [{ path, expected: issue.expected, got: issue.received }]
    },
  }
}

/** A shape for each member; exactly the optional ones of `T` are {@link optional}. */
type MembersOf<T> = {
  readonly [K in keyof T]-?: object extends Pick<T, K> ? OptionalShape<Exclude<T[K], undefined>> : Shape<T[K]>
}

/** An object of these members; any other is a fault, and of one of `unsupported` it says `why`. */
export function members<T extends object>(
  expected: string,
  shape: MembersOf<T>,
  unsupported: readonly string[] = [],
  why = 'no such member: this version does not support it',
): Shape<T> {
  const known = Object.entries(shape) as [string, Shape<unknown> | OptionalShape<unknown>][]
  const names = known.map(([name]) => name)
  return {
    expected,
    faults(value, path) {
      if (!isObject(value)) return [{ path, expected, got: describeValue(value) }]
      const faults: Fault[] = []
      for (const name of Object.keys(value)) {
        if (Object.hasOwn(shape, name)) continue
        faults.push(
          unsupported.includes(name)
            ? { path: [...path, name], expected: why, got: 'one' }
            : { path: [...path, name], expected: `one of: ${names.join(', ')}`, got: 'an unknown member' },
        )
      }
      for (const [name, item] of known) {
        const member = Object.hasOwn(value, name) ? value[name] : undefined
        if ('optional' in item && member === undefined) continue
        faults.push(...('optional' in item ? item.optional : item).faults(member, [...path, name]))
      }
      return faults
    },
  }
}

/** An object whose members all have one shape; a name that is not as `naming` expects is a fault of its own. */
export function named<T>(naming: Schema<string>, item: Shape<T>): Shape<Readonly<Record<string, T>>> {
  const expected = `an object, each member ${item.expected}`
  return {
    expected,
    faults(value, path) {
      if (!isObject(value)) return [{ path, expected, got: describeValue(value) }]
      return Object.entries(value).flatMap(([name, member]) => {
        const own = [...path, name]
        const misnamed = naming.check(name, '') !== undefined
        return [
          ...(misnamed ? [{ path: own, expected: naming.expected, got: 'another name' }] : []),
          ...item.faults(member, own),
        ]
      })
    },
  }
}

/** An array of at least `least` items. */
export function list<T>(item: Shape<T>, least = 0): Shape<readonly T[]> {
  const expected = `an array, each ${item.expected}`
  return {
    expected,
    faults(value, path) {
      if (!Array.isArray(value)) return [{ path, expected, got: describeValue(value) }]
      if (value.length < least)
        return [{ path, expected: `at least ${least}: ${item.expected}`, got: 'an empty array' }]
      return value.flatMap((element, i) => item.faults(element, [...path, i]))
    },
  }
}

/** One of two shapes: a text is `ofText`, anything else `ofObject`. */
export function textOr<T>(expected: string, ofText: Shape<string>, ofObject: Shape<T & object>): Shape<string | T> {
  return {
    expected,
    faults: (value, path) => (typeof value === 'string' ? ofText : ofObject).faults(value, path),
  }
}

/** A path as it is written: `networks["base-sepolia"].upstreams[0]`. */
export function printPath(path: ConfigPath): string {
  let text = ''
  for (const step of path) {
    if (typeof step === 'number') text += `[${step}]`
    else if (!/^[A-Za-z_$][\w$]*$/.test(step)) text += `[${JSON.stringify(step)}]`
    else text += text === '' ? step : `.${step}`
  }
  return text
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
