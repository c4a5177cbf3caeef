import type { Schema } from '@wayleave/jsonrpc-core/schema'

/** A value that passes two checks, the first one first. */
export function both<A, B>(first: Schema<A>, second: Schema<B>): Schema<A & B> {
  return {
    expected: first.expected,
    check: (value, path) => first.check(value, path) ?? second.check(value, path),
  }
}
