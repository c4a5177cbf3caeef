import {
  type AnySchema,
  type ChosenSchema,
  describeValue,
  type JsonForm,
  type NameRefusal,
  type Schema,
  type SchemaIssue,
} from './schema.ts'

/** A schema from a predicate; `json` describes in a document what the predicate allows. */
export function is<T>(expected: string, test: (value: unknown) => boolean, json?: JsonForm): Schema<T> {
  return {
    expected,
    check: (value, path) => (test(value) ? undefined : { path, expected, received: describeValue(value) }),
    ...(json && { json }),
  }
}

/** A string that matches `pattern` as a whole; anchor it. */
export function text<T extends string = string>(expected: string, pattern?: RegExp): Schema<T> {
  return is(
    expected,
    (value) => typeof value === 'string' && (pattern === undefined || pattern.test(value)),
    () => ({ type: 'string', pattern: pattern?.source }),
  )
}

export const boolean: Schema<boolean> = /*#__PURE__*/ is(
  'true or false',
  (value) => typeof value === 'boolean',
  () => ({ type: 'boolean' }),
)

/** A safe integer within `min` and `max`, both allowed. */
export function integer(
  expected: string,
  min: number = Number.MIN_SAFE_INTEGER,
  max: number = Number.MAX_SAFE_INTEGER,
): Schema<number> {
  return is(
    expected,
    (value) => Number.isSafeInteger(value) && (value as number) >= min && (value as number) <= max,
    () => ({ type: 'integer', minimum: min, maximum: max }),
  )
}

/** Any value at all. */
export const anything: Schema<unknown> = /*#__PURE__*/ is('a value', (value) => value !== undefined)

/** One of some strings. */
export function oneOf<T extends string>(...values: readonly T[]): Schema<T> {
  const expected = values.map((value) => `"${value}"`).join(' or ')
  return is(
    expected,
    (value) => (values as readonly unknown[]).includes(value),
    () => ({ enum: values }),
  )
}

/** `T` or null. */
export function nullable<T>(schema: Schema<T>): Schema<T | null> {
  const expected = `${schema.expected} or null`
  return {
    expected,
    check: (value, path) => (value === null ? undefined : schema.check(value, path)),
    parts: { kind: 'nullable', item: schema },
  }
}

/** An array whose elements all have one type. */
export function array<T>(item: Schema<T>): Schema<readonly T[]> {
  const expected = `an array, each ${item.expected}`
  return {
    expected,
    check(value, path) {
      if (!Array.isArray(value)) return { path, expected, received: describeValue(value) }
      for (let i = 0; i < value.length; i++) {
        const issue = item.check(value[i], '')
        if (issue !== undefined) return within(`${path}[${i}]`, issue)
      }
      return undefined
    },
    parts: { kind: 'array', item },
  }
}

/** An array that is not empty. */
export function nonEmptyArray<T>(item: Schema<T>): Schema<readonly T[]> {
  const list = array(item)
  const empty: ChosenSchema = {
    secret: false,
    check: (_, path) => ({ path, expected: `at least 1: ${item.expected}`, received: 'an empty array' }),
  }
  return {
    ...choice(list.expected, (value) => (Array.isArray(value) && value.length === 0 ? empty : list)),
    json: (of) => ({ ...of(list), minItems: 1 }),
  }
}

/** Schemas of a tuple's elements; trailing ones may be {@link optional}. */
export type TupleShape<T extends readonly unknown[]> = {
  readonly [K in keyof T]-?: Schema<Exclude<T[K], undefined>> | OptionalSchema<Exclude<T[K], undefined>>
}

/** An array with a schema for each place. Longer arrays are refused. */
export function tuple<T extends readonly unknown[]>(...items: TupleShape<T>): Schema<T> {
  const schemas = items as readonly (Schema<unknown> | OptionalSchema<unknown>)[]
  const expected = `an array of ${schemas.length === 0 ? 'nothing' : schemas.map((item) => schemaOf(item).expected).join(', ')}`
  return {
    expected,
    check(value, path) {
      if (!Array.isArray(value)) return { path, expected, received: describeValue(value) }
      if (value.length > schemas.length) {
        return { path, expected: `at most ${schemas.length} elements`, received: String(value.length) }
      }
      for (let i = 0; i < schemas.length; i++) {
        const issue = checkMember(schemas[i]!, value[i])
        if (issue !== undefined) return within(`${path}[${i}]`, issue)
      }
      return undefined
    },
    parts: { kind: 'tuple', items: schemas },
  }
}

/** A member that may be absent. */
export interface OptionalSchema<in out T> {
  readonly optional: Schema<T>
}

export function optional<T>(schema: Schema<T>): OptionalSchema<T> {
  return { optional: schema }
}

/** A schema for each member; exactly the optional ones of `T` are {@link optional}. */
export type ObjectShape<T> = {
  readonly [K in keyof T]-?: object extends Pick<T, K> ? OptionalSchema<Exclude<T[K], undefined>> : Schema<T[K]>
}

export interface ObjectOptions {
  /** Refuses members beyond the shape; a record refuses some of them for a reason of their own. Default: they pass. */
  readonly closed?: boolean | Readonly<Record<string, string>>
}

/** The words for a member that an object does not have. */
export const unknownMember = 'an unknown member'

/** An object with a schema for each of its members. */
export function object<T extends object>(
  expected: string,
  shape: ObjectShape<T>,
  { closed = false }: ObjectOptions = {},
): Schema<T> {
  const members = Object.entries(shape) as [string, Schema<unknown> | OptionalSchema<unknown>][]
  const refusal: NameRefusal = (name) => {
    if (Object.hasOwn(shape, name)) return undefined
    if (typeof closed === 'object' && Object.hasOwn(closed, name)) return { expected: closed[name]!, received: 'one' }
    return { expected: `one of: ${members.map(([known]) => known).join(', ')}`, received: unknownMember }
  }
  return {
    expected,
    check(value, path) {
      if (typeof value !== 'object' || value === null || Array.isArray(value)) {
        return { path, expected, received: describeValue(value) }
      }
      if (closed) {
        for (const key of Object.keys(value)) {
          const issue = refusal(key)
          if (issue !== undefined) return { path: memberPath(path, key), ...issue }
        }
      }
      const own = value as Record<string, unknown>
      for (const [key, item] of members) {
        const issue = checkMember(item, Object.hasOwn(own, key) ? own[key] : undefined)
        if (issue !== undefined) return within(memberPath(path, key), issue)
      }
      return undefined
    },
    parts: { kind: 'object', members, refusal: closed ? refusal : undefined },
  }
}

/** An object whose members all have one type, and names as `name` expects. */
export function record<T>(item: Schema<T>, name?: Schema<string>): Schema<Readonly<Record<string, T>>> {
  const expected = `an object, each member ${item.expected}`
  const refusal: NameRefusal | undefined =
    name && ((key) => name.check(key, '') && { expected: name.expected, received: 'another name' })
  return {
    expected,
    check(value, path) {
      if (typeof value !== 'object' || value === null || Array.isArray(value)) {
        return { path, expected, received: describeValue(value) }
      }
      for (const [key, member] of Object.entries(value)) {
        const refused = refusal?.(key)
        if (refused !== undefined) return { path: memberPath(path, key), ...refused }
        const issue = item.check(member, '')
        if (issue !== undefined) return within(memberPath(path, key), issue)
      }
      return undefined
    },
    parts: { kind: 'record', item, name, refusal },
  }
}

/**
 * One of several shapes: `choose` names the one that `value` must have, so that an error points inside it;
 * `shapes` lists all of them for documents.
 */
export function choice<T>(
  expected: string,
  choose: (value: unknown) => ChosenSchema | undefined,
  shapes: readonly AnySchema[] = [],
): Schema<T> {
  return {
    expected,
    check: (value, path) => {
      const chosen = choose(value)
      return chosen === undefined ? { path, expected, received: describeValue(value) } : chosen.check(value, path)
    },
    parts: { kind: 'choice', choose, shapes },
  }
}

function schemaOf<T>(item: Schema<T> | OptionalSchema<T>): Schema<T> {
  return 'optional' in item ? item.optional : item
}

function checkMember(item: Schema<unknown> | OptionalSchema<unknown>, value: unknown): SchemaIssue | undefined {
  if (!('optional' in item)) return item.check(value, '')
  return value === undefined ? undefined : item.optional.check(value, '')
}

/** Paths are put together only where something is wrong: printing them took most of the time of a check. */
function within(path: string, issue: SchemaIssue): SchemaIssue {
  return { ...issue, path: path + issue.path }
}

/** Adds a member's name to a path; one of more than 80 characters is cut. */
export function memberPath(path: string, key: string): string {
  return /^[A-Za-z_$][\w$]{0,79}$/.test(key) ? `${path}.${key}` : `${path}[${describeValue(key)}]`
}
