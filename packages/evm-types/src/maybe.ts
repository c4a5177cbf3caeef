import { nullable, optional, type OptionalSchema, type Schema } from '@wayleave/jsonrpc-core/schema'

/** A result's member that some nodes leave out and others send as null: both pass. */
export function maybe<T>(schema: Schema<T>): OptionalSchema<T | null> {
  return optional(nullable(schema))
}
