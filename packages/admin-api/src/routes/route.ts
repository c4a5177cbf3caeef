import type { Author } from '@wayleave/auth'
import type { AnySchema, Schema } from '@wayleave/jsonrpc-core/schema'
import type { AdminScope } from '../admin-token.ts'

/** The checked parts of a request. */
interface Call<Body, Query> {
  /** The parameters in the path, decoded. */
  readonly params: Readonly<Record<string, string>>
  readonly body: Body
  readonly query: Query
  readonly by: Author
}

/** A route, as a row of the table that answers requests and that the OpenAPI document is made of. */
export interface RouteSpec<Body, Query, Result> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Below `/admin/v1`, with parameters in braces. */
  readonly path: string
  readonly summary: string
  /** Scopes of which a token needs one; `all` has each. */
  readonly scopes: readonly AdminScope[]
  /** An empty body counts as `{}`. Undefined: a body is ignored. */
  readonly body?: Schema<Body>
  /** Query parameters are the members of an object. */
  readonly query?: Schema<Query>
  /** Undefined: 204. */
  readonly result?: Schema<Result>
  /** Default 200. */
  readonly status?: 200 | 201
  /** The data of its events, where it is answered with a stream of them: `run` makes the `AdminEvents`. */
  readonly events?: AnySchema
  run(call: Call<Body, Query>): Promise<Result> | Result
}

/** A route whose types do not matter. */
export interface Route extends Omit<RouteSpec<never, never, never>, 'body' | 'query' | 'result' | 'run'> {
  readonly body: AnySchema | undefined
  readonly query: AnySchema | undefined
  readonly result: AnySchema | undefined
  run(call: Call<unknown, unknown>): unknown
}

export function route<Body = unknown, Query = unknown, Result = void>(spec: RouteSpec<Body, Query, Result>): Route {
  const { body, query, result } = spec
  return { ...spec, body, query, result, run: (call) => spec.run(call as Call<Body, Query>) }
}
