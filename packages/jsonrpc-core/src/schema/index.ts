export {
  anything,
  array,
  boolean,
  choice,
  integer,
  is,
  nonEmptyArray,
  nullable,
  object,
  type ObjectOptions,
  type ObjectShape,
  oneOf,
  optional,
  type OptionalSchema,
  record,
  text,
  tuple,
  type TupleShape,
} from './combinators.ts'
export { didYouMean, type Issue, type IssuePath, issues, printPath, secret, shown } from './issues.ts'
export type {
  MethodFacts,
  MethodRules,
  MethodSpec,
  MethodTable,
  RpcMethod,
  RpcSchema,
  RuleTable,
  SubscriptionFacts,
} from './method-spec.ts'
export { nearestName } from './nearest-name.ts'
export { jsonOf, openRpcDocument, type OpenRpcDocument, type OpenRpcMethod, type OpenRpcOptions } from './openrpc.ts'
export {
  type AnyMember,
  type AnySchema,
  assertValid,
  type ChosenSchema,
  describeValue,
  type JsonForm,
  type NameRefusal,
  type Schema,
  SchemaError,
  type SchemaIssue,
  type SchemaParts,
  type TypeOf,
} from './schema.ts'
