import type { RuleEntries } from '../rules/rules.ts'

/**
 * Values of fields, by the kind of the field. A kind says how a value is checked, kept and shown. `Limits` are those of the host, which
 * this package does not interpret.
 */
export interface FieldValues<Limits = object> {
  /** 1 to 128 letters, digits and `_ - . :`. */
  readonly id: string
  /** The id of a plan. */
  readonly plan: string
  /** A SHA-256 in lower-case hex. It is not shown. */
  readonly digest: string
  /** At most {@link maxHintLength} characters. */
  readonly hint: string
  /** 1 to {@link maxTextLength} characters. */
  readonly name: string
  /** 0 to {@link maxTextLength} characters. */
  readonly label: string
  /** 1 to {@link maxTextLength} characters. */
  readonly audience: string
  /** Milliseconds, a whole number from 0 to {@link maxLeewayMs}. */
  readonly leeway: number
  /** Unix time in ms. */
  readonly time: number
  readonly flag: boolean
  /** At most {@link maxNetworks}. */
  readonly networks: readonly string[]
  readonly rules: RuleEntries
  readonly limits: Limits
  /** At most {@link maxDirectives}. */
  readonly directives: Readonly<Record<string, string>>
  /** A public key in PEM (SPKI). */
  readonly pem: string
  readonly jwtKeys: readonly object[]
  readonly secrets: readonly object[]
}

/** Longest name, label and audience, in characters. */
export const maxTextLength = 256
/** Longest end of a key or a secret that is kept for people, in characters. */
export const maxHintLength = 8
/** Longest leeway of JWTs, in ms. */
export const maxLeewayMs = 600_000
/** Most networks of a project. */
export const maxNetworks = 200
/** Most directives of a project. */
export const maxDirectives = 30

/** A field of a record. */
export interface Field {
  readonly kind: keyof FieldValues
  /** The fields of the records that it lists. */
  readonly of?: Fields
  /** Its column, if that has another name. */
  readonly column?: string
  /** True if operators choose and change it. */
  readonly chosen?: true
  /** True if a record may be without it. */
  readonly optional?: true
  /** The value of a record that is given without it. */
  readonly default?: FieldValues[keyof FieldValues]
  /** True if stores set it, so that accounts of a configuration are without it. */
  readonly ofStore?: true
  /** True if it decides who is admitted to what: its change ends the connections that are open. */
  readonly admits?: true
}

/** The fields of a record, in their order. */
export type Fields = Readonly<Record<string, Field>>

type ValueOf<F extends Field, Limits> = F extends { readonly of: infer Of extends Fields }
  ? readonly Stored<Of, Limits>[]
  : FieldValues<Limits>[F['kind']]

type GivenValueOf<F extends Field, Limits> = F extends { readonly of: infer Of extends Fields }
  ? readonly Given<Of, Limits>[]
  : FieldValues<Limits>[F['kind']]

type Flat<T> = { [Name in keyof T]: T[Name] }
type MayMiss = { readonly optional: true } | { readonly default: unknown } | { readonly ofStore: true }

/** A record as a store keeps it. */
export type Stored<F extends Fields, Limits = object> = Flat<
  {
    readonly [Name in keyof F as F[Name] extends { readonly optional: true } ? never : Name]: ValueOf<F[Name], Limits>
  } & {
    readonly [Name in keyof F as F[Name] extends { readonly optional: true } ? Name : never]?: ValueOf<F[Name], Limits>
  }
>

/** A record as a configuration gives it. A stored one is one, too. */
export type Given<F extends Fields, Limits = object> = Flat<
  { readonly [Name in keyof F as F[Name] extends MayMiss ? never : Name]: GivenValueOf<F[Name], Limits> } & {
    readonly [Name in keyof F as F[Name] extends MayMiss ? Name : never]?: GivenValueOf<F[Name], Limits> | undefined
  }
>

type ChosenName<F extends Fields> = {
  [Name in keyof F]: F[Name] extends { readonly chosen: true } ? Name : never
}[keyof F]

/** The members of a record that operators choose. */
export type Chosen<F extends Fields, Limits = object> = {
  readonly [Name in keyof F as Name extends ChosenName<F> ? Name : never]?: ValueOf<F[Name], Limits>
}

/** Members to set; `Gone` takes an optional one away. */
export type Changes<F extends Fields, Limits = object, Gone = undefined> = {
  readonly [Name in keyof F as Name extends ChosenName<F> ? Name : never]?:
    | ValueOf<F[Name], Limits>
    | (F[Name] extends { readonly optional: true } ? Gone : never)
}

/** The members of an object that are fields which operators choose. */
export function chosenOf<F extends Fields, T extends object>(fields: F, from: T): Pick<T, keyof T & ChosenName<F>> {
  return Object.fromEntries(Object.entries(from).filter(([name]) => fields[name]?.chosen === true)) as typeof from
}

/** The values of a record for which nothing is chosen. */
export function defaultsOf<F extends Fields>(fields: F): Chosen<F> {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, field]) =>
      field.chosen === true && field.default !== undefined ? [[name, field.default]] : [],
    ),
  ) as Chosen<F>
}
