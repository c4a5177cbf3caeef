import { memberPath, unknownMember } from './combinators.ts'
import { nearestName } from './nearest-name.ts'
import {
  type AnyMember,
  type AnySchema,
  type ChosenSchema,
  describeValue,
  type Schema,
  type SchemaIssue,
  type SchemaParts,
} from './schema.ts'

/** Steps from the root to a value: names of members, indexes of elements. */
export type IssuePath = readonly (string | number)[]

/** One of all the things wrong with a value. */
export interface Issue extends Omit<SchemaIssue, 'path'> {
  readonly path: IssuePath
  /** A change that would mend it, such as `did you mean "chainId"?`. It holds no piece of a secret. */
  readonly hint?: string
}

/**
 * Everything that is wrong with `value`, the issue of `check` first; empty if nothing is. Never throws.
 * A schema without `parts` has one issue at most.
 */
export function issues(schema: AnySchema, value: unknown): readonly Issue[] {
  return walk(schema, value, [], false)
}

/**
 * The same schema for a value that no issue may show, neither whole nor in part: keys, tokens, URLs with credentials. An
 * issue shows that it is a list, an object, null or nothing, and calls all else `another value`. Names of members stay
 * in paths.
 */
export function secret<T>(schema: Schema<T>): Schema<T> {
  return {
    ...schema,
    secret: true,
    check(value, path) {
      if (schema.check(value, path) === undefined) return undefined
      const [first] = walk(schema, value, [], true)
      return { ...first!, path: path + printSteps(first!.path) }
    },
  }
}

/** The same schema for a value that issues may show, although it is a part of a {@link secret} one. */
export function shown<T>(schema: Schema<T>): Schema<T> {
  return { ...schema, secret: false }
}

/** A path as people write it: `networks["base-sepolia"].upstreams[0]`; empty for the root. */
export function printPath(path: IssuePath): string {
  return printSteps(path).replace(/^\./, '')
}

function printSteps(path: IssuePath): string {
  return path.reduce<string>(
    (text, step) => (typeof step === 'number' ? `${text}[${step}]` : memberPath(text, step)),
    '',
  )
}

/** An object with more members was not mistyped by a person. */
const mostHints = 100

function walk(schema: ChosenSchema, value: unknown, path: IssuePath, around: boolean): readonly Issue[] {
  const issue = schema.check(value, '')
  if (issue === undefined) return []
  const { parts, secret: hidden = around } = schema
  const own = {
    path: [...path, ...stepsOf(issue.path)],
    expected: issue.expected,
    received: hidden ? describeHidden(value) : issue.received,
  }
  const inner = parts === undefined ? [] : walkParts(parts, value, path, hidden)
  const isReported = inner.length > 0 && (issue.path !== '' || inner[0]!.path.length === path.length)
  return isReported ? inner : [own, ...inner]
}

function walkParts(parts: SchemaParts, value: unknown, path: IssuePath, hidden: boolean): readonly Issue[] {
  const walkMember = (member: AnyMember, inner: unknown, step: string | number): readonly Issue[] => {
    if (!('optional' in member)) return walk(member, inner, [...path, step], hidden)
    return inner === undefined ? [] : walk(member.optional, inner, [...path, step], hidden)
  }
  if (parts.kind === 'nullable') return value === null ? [] : walk(parts.item, value, path, hidden)
  if (parts.kind === 'choice') {
    const chosen = parts.choose(value)
    return chosen === undefined ? [] : walk(chosen, value, path, hidden)
  }
  if (Array.isArray(value)) {
    if (parts.kind === 'array') return Array.from(value, (element, i) => walkMember(parts.item, element, i)).flat()
    if (parts.kind === 'tuple') return parts.items.flatMap((item, i) => walkMember(item, value[i], i))
    return []
  }
  if (typeof value !== 'object' || value === null) return []
  const refused = (name: string, i: number): readonly Issue[] => {
    const refusal = 'refusal' in parts ? parts.refusal?.(name) : undefined
    if (refusal === undefined) return []
    const isUnknown = parts.kind === 'object' && refusal.received === unknownMember
    const near = isUnknown && i < mostHints ? nearestOf(name, parts.members, value) : undefined
    const reported = near === undefined ? refusal : { ...refusal, expected: 'a known member', hint: didYouMean(near) }
    return [{ path: [...path, name], ...reported }]
  }
  if (parts.kind === 'object') {
    const own = (name: string): unknown =>
      Object.hasOwn(value, name) ? (value as Readonly<Record<string, unknown>>)[name] : undefined
    return [
      ...Object.keys(value).flatMap(refused),
      ...parts.members.flatMap(([name, member]) => walkMember(member, own(name), name)),
    ]
  }
  if (parts.kind !== 'record') return []
  return Object.entries(value).flatMap(([name, member], i) => [
    ...refused(name, i),
    ...walkMember(parts.item, member, name),
  ])
}

/** A hint that names what was probably meant. */
export function didYouMean(name: string): string {
  return `did you mean ${JSON.stringify(name)}?`
}

/** The nearest member that an object does not have yet. */
function nearestOf(
  name: string,
  members: readonly (readonly [string, AnyMember])[],
  value: object,
): string | undefined {
  const absent = members.map(([known]) => known).filter((known) => known !== name && !Object.hasOwn(value, known))
  return nearestName(name, absent)
}

/** The kind of a value, and no piece of it. */
function describeHidden(value: unknown): string {
  return ['string', 'number', 'boolean', 'bigint'].includes(typeof value) ? 'another value' : describeValue(value)
}

/** Reads the path of a schema that has no `parts`, as combinators print it: `.a[0]["b c"]`. */
function stepsOf(path: string): IssuePath {
  const steps = path.matchAll(/\.([\w$]+)|\[(\d+)\]|\[("(?:[^"\\]|\\.)*")…?\]/g)
  return Array.from(
    steps,
    ([, name, index, text]) => name ?? (index === undefined ? (JSON.parse(text!) as string) : Number(index)),
  )
}
