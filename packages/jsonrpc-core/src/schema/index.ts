export {
  anything,
  array,
  boolean,
  choice,
  integer,
  is,
  nullable,
  object,
  type ObjectShape,
  oneOf,
  optional,
  type OptionalSchema,
  record,
  text,
  tuple,
  type TupleShape,
} from './combinators.ts'
export type { MethodFacts, MethodSpec, MethodTable, RpcMethod, RpcSchema, SubscriptionFacts } from './method-spec.ts'
export { openRpcDocument, type OpenRpcDocument, type OpenRpcMethod, type OpenRpcOptions } from './openrpc.ts'
export {
  type AnySchema,
  assertValid,
  describeValue,
  type JsonForm,
  type Schema,
  SchemaError,
  type SchemaIssue,
  type TypeOf,
} from './schema.ts'
