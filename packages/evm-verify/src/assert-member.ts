import { type Quantity, quantitySchema } from '@wayleave/evm-types'
import type { Schema } from '@wayleave/jsonrpc-core/schema'
import { VerifyError } from './error.ts'

/** Asserts the form of a member; `field` is its path. @throws VerifyError `malformed` */
export function assertMember<T>(schema: Schema<T>, value: unknown, field: string): asserts value is T {
  const issue = schema.check(value, field)
  if (issue === undefined) return
  const path = issue.path.replace(/^\./, '')
  throw new VerifyError('malformed', path, `${path}: expected ${issue.expected}, got ${issue.received}`)
}

/** The number of a quantity; `field` is its path. @throws VerifyError `malformed` */
export function numberOf(value: unknown, field: string): bigint {
  assertMember<Quantity>(quantitySchema, value, field)
  return BigInt(value)
}
