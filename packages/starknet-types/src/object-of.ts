import { object, type ObjectShape, type OptionalSchema, type Schema } from '@wayleave/jsonrpc-core/schema'

/** A schema for each member; those that may be absent are to be `optional`. */
export type Members<T> = { readonly [K in keyof T]-?: Schema<T[K]> | OptionalSchema<Exclude<T[K], undefined>> }

/** `object` for a type with parameters, of which the compiler cannot tell which members are optional. */
export function objectOf<T extends object>(expected: string, members: Members<T>): Schema<T> {
  return object<T>(expected, members as ObjectShape<T>)
}

/** `{ ...a, ...b }` as a call: bundlers drop an unused one, and keep a spread, as it might run code. */
export function merge<A extends object, B extends object>(a: A, b: B): A & B {
  return { ...a, ...b }
}
