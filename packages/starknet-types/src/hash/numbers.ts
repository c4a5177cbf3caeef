import { assertValid, describeValue, type Schema, SchemaError } from '@wayleave/jsonrpc-core/schema'
import { type Felt, feltSchema, feltsSchema } from '../felt.ts'
import type { Hex } from '../hex.ts'

/** Throws a SchemaError: `what` names the member. */
export function refuse(what: string, expected: string, value: unknown): never {
  throw new SchemaError(what, { path: '', expected, received: describeValue(value) })
}

/** The number of a felt. @throws SchemaError */
export function felt(value: unknown, what: string): bigint {
  return number(value, feltSchema, what)
}

/** The numbers of a list of felts. @throws SchemaError */
export function felts(values: unknown, what: string): bigint[] {
  assertValid<readonly Felt[]>(feltsSchema, values, what)
  return values.map(BigInt)
}

/** The number in hex that a schema allows. @throws SchemaError */
export function number(value: unknown, schema: Schema<Hex>, what: string): bigint {
  assertValid<Hex>(schema, value, what)
  return BigInt(value)
}
