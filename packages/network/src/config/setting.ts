import {
  type AnyMember,
  type AnySchema,
  object,
  type ObjectShape,
  type OptionalSchema,
  type Schema,
  type TypeOf,
} from '@wayleave/jsonrpc-core/schema'

/** A member of a configuration that may be left out. */
export interface Setting<T> extends OptionalSchema<T> {
  /** For editors and documents; absent where the words of the schema say enough. It says the default where that depends. */
  readonly description?: string
}

/** A setting whose default is one value. */
export interface DefaultedSetting<T> extends Setting<T> {
  readonly default: T
}

/** The members of an object: each is {@link required} or a {@link setting}. */
export type Members = Readonly<Record<string, AnyMember>>

/** The type of an object with these members. */
export type ObjectOf<M extends Members> = Flat<
  { readonly [K in keyof M as M[K] extends Optional ? never : K]: TypeOf<M[K]> } & {
    readonly [K in keyof M as M[K] extends Optional ? K : never]?: SettingOf<M[K]>
  }
>

/** The values of those members that have a default. */
export type DefaultsOf<M extends Members> = {
  readonly [K in keyof M as M[K] extends { readonly default: unknown } ? K : never]: SettingOf<M[K]>
}

interface Optional {
  readonly optional: AnySchema
}
type SettingOf<S> = S extends OptionalSchema<infer T> ? T : never
type Flat<T> = { readonly [K in keyof T]: T[K] }

/** Makes a member that may be left out, from its schema, its sentence and the value that holds then. */
export function setting<T>(schema: Schema<T>, description?: string): Setting<T>
export function setting<T>(schema: Schema<T>, description: string, byDefault: NoInfer<T>): DefaultedSetting<T>
export function setting<T>(schema: Schema<T>, description?: string, byDefault?: T): Setting<T> {
  return {
    optional: schema,
    ...(description !== undefined && { description }),
    ...(byDefault !== undefined && { default: byDefault }),
  }
}

/** Makes a member that must be there. */
export function required<T>(schema: Schema<T>, description: string): Schema<T> {
  return Object.assign({ ...schema }, { description })
}

/** Makes the schema of an object that refuses members beyond its own, those of `refused` with a reason of their own. */
export function exact<M extends Members>(
  expected: string,
  members: M,
  refused: Readonly<Record<string, string>> = {},
): Schema<ObjectOf<M>> {
  return object<ObjectOf<M>>(expected, members as unknown as ObjectShape<ObjectOf<M>>, { closed: refused })
}

/** Reads the defaults of an object's members. */
export function defaultsOf<M extends Members>(members: M): DefaultsOf<M> {
  const given = Object.entries(members).flatMap(([name, member]) =>
    'default' in member ? [[name, member.default] as const] : [],
  )
  return Object.fromEntries(given) as DefaultsOf<M>
}

/** Fills in the defaults of members that are left out, or there and undefined. */
export function withDefaults<D extends object, T extends object>(defaults: D, given: T): D & T {
  const defined = Object.entries(given).filter(([, value]) => value !== undefined)
  return { ...defaults, ...Object.fromEntries(defined) } as D & T
}
