import type { Field, Fields, FieldValues, Given } from '@wayleave/auth'
import type { Plan as Limits } from '@wayleave/metering'

/** A record as this API shows it: without digests. */
export type Shown<F extends Fields> = {
  readonly [Name in keyof F as F[Name] extends Hidden | MayMiss ? never : Name]: ShownValue<F[Name]>
} & {
  readonly [Name in keyof F as F[Name] extends MayMiss ? Name : never]?: ShownValue<F[Name]>
}

type Hidden = { readonly kind: 'digest' }
type MayMiss = { readonly optional: true } | { readonly ofStore: true }
type ShownValue<F extends Field> = F extends { readonly of: infer Of extends Fields }
  ? readonly Shown<Of>[]
  : FieldValues<Limits>[F['kind']]
/** Views a record: all of its fields but digests. */
export function viewRecord<F extends Fields>(fields: F, record: Given<F, Limits>): Shown<F> {
  const kept = record as Readonly<Record<string, unknown>>
  const members = Object.entries<Field>(fields).map(([member, { kind, of, default: value }]) => {
    const own = kind === 'digest' ? undefined : (kept[member] ?? value)
    return [member, of === undefined ? own : (own as readonly never[]).map((each) => viewRecord(of, each))] as const
  })
  return Object.fromEntries(members.filter(([, value]) => value !== undefined)) as Shown<F>
}

/** Adds members behind one of an object: answers and the document list them there. */
export function behind<T extends object, More extends object>(member: keyof T, of: T, more: More): T & More {
  const members = Object.entries(of)
  const at = members.findIndex(([own]) => own === member) + 1
  return Object.fromEntries(members.toSpliced(at, 0, ...Object.entries(more))) as T & More
}
