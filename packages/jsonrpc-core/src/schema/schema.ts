/**
 * A check that a foreign value is a `T`. Invariant in `T`: a schema written for another type,
 * wider or narrower, does not compile.
 */
export interface Schema<in out T> {
  /** The expected value in words: `a 20-byte address`. */
  readonly expected: string
  /** Returns the first thing wrong with `value`, or undefined. Never throws. `path` is the place of `value`. */
  check(value: unknown, path: string): SchemaIssue | undefined
  /** Never set: carries the type. */
  readonly type?: (value: T) => T
  /** The schemas inside; absent if the schema judges its value as a whole. */
  readonly parts?: SchemaParts
  /** The same as a JSON Schema, for documents, if `parts` do not say it. */
  readonly json?: JsonForm
  /** Whether issues hide the value, here and in all parts that do not say otherwise; set by `secret` and `shown`. */
  readonly secret?: boolean
}

/** A schema whose type does not matter. */
export type AnySchema = Pick<Schema<never>, 'expected' | 'check' | 'parts' | 'json' | 'secret'>

/** A schema of a member or an element; one under `optional` may be absent. */
export type AnyMember = AnySchema | { readonly optional: AnySchema }

/** The structure of a schema as data, for code that walks it: all issues, documents. */
export type SchemaParts =
  | { readonly kind: 'array'; readonly item: AnySchema }
  | { readonly kind: 'tuple'; readonly items: readonly AnyMember[] }
  | {
      readonly kind: 'object'
      readonly members: readonly (readonly [name: string, member: AnyMember])[]
      /** Undefined if members beyond these pass. */
      readonly refusal: NameRefusal | undefined
    }
  | {
      readonly kind: 'record'
      readonly item: AnySchema
      readonly name: AnySchema | undefined
      readonly refusal: NameRefusal | undefined
    }
  | { readonly kind: 'nullable'; readonly item: AnySchema }
  | {
      readonly kind: 'choice'
      readonly choose: (value: unknown) => ChosenSchema | undefined
      readonly shapes: readonly AnySchema[]
    }

/** Tells why no member may have this name; undefined if one may. */
export type NameRefusal = (name: string) => Omit<SchemaIssue, 'path'> | undefined

/** A schema that a choice made; its words are not needed. */
export type ChosenSchema = Pick<AnySchema, 'check'> & Partial<AnySchema>

/** Makes a JSON Schema (draft 7); `of` makes those of the schemas inside. */
export type JsonForm = (of: (schema: AnySchema) => object) => object

export interface SchemaIssue {
  /** From the root: `[0].topics[2]`; empty for the root itself. */
  readonly path: string
  readonly expected: string
  /** The value that came, shortened. */
  readonly received: string
}

/** Thrown by {@link assertValid}: bad input, with its place, the expected value and the one that came. */
export class SchemaError extends Error {
  override readonly name: string = 'SchemaError'
  readonly issue: SchemaIssue

  constructor(subject: string, issue: SchemaIssue) {
    super(`${subject}${issue.path}: expected ${issue.expected}, got ${issue.received}`)
    this.issue = issue
  }
}

/** Asserts that `value` is a `T`; `subject` names it in the message. @throws SchemaError */
export function assertValid<T>(schema: Schema<T>, value: unknown, subject: string): asserts value is T {
  const issue = schema.check(value, '')
  if (issue !== undefined) throw new SchemaError(subject, issue)
}

/** The type a schema checks for. */
export type TypeOf<S> = S extends Schema<infer T> ? T : never

/** A value in an error message: its kind, and a short form where that helps. */
export function describeValue(value: unknown): string {
  if (value === null) return 'null'
  if (value === undefined) return 'nothing'
  if (Array.isArray(value)) return `an array of ${value.length}`
  if (typeof value === 'object') return 'an object'
  if (typeof value === 'string')
    return value.length > 80 ? `${JSON.stringify(value.slice(0, 77))}…` : JSON.stringify(value)
  return typeof value === 'function' || typeof value === 'symbol' ? `a ${typeof value}` : String(value)
}
