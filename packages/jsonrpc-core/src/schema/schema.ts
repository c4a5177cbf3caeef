/**
 * A check that a foreign value is a `T`. Invariant in `T`: a schema written for another type,
 * wider or narrower, does not compile.
 */
export interface Schema<in out T> {
  /** What is expected, in words: `a 20-byte address`. */
  readonly expected: string
  /** The first thing wrong with `value`, or undefined. Never throws. `path` is where `value` stands. */
  check(value: unknown, path: string): SchemaIssue | undefined
  /** Never set: carries the type. */
  readonly type?: (value: T) => T
  /** The same as a JSON Schema, for documents; absent where only `expected` can say it. */
  readonly json?: JsonForm
}

/** A schema whose type does not matter. */
export type AnySchema = Pick<Schema<never>, 'expected' | 'check' | 'json'>

/** Makes a JSON Schema (draft 7); `of` makes those of the schemas inside. */
export type JsonForm = (of: (schema: AnySchema) => object) => object

export interface SchemaIssue {
  /** Where, from the root: `[0].topics[2]`; empty for the root itself. */
  readonly path: string
  readonly expected: string
  /** What came, shortened. */
  readonly received: string
}

/** Thrown by {@link assertValid}: bad input, with where, what was expected and what came. */
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
