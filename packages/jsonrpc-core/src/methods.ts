import type { RpcContext } from './context.ts'
import { RpcError, type RpcErrorCode } from './error.ts'
import type { RpcHandler } from './handler.ts'
import { rawJsonFromValue } from './raw-json.ts'
import type { Schema } from './schema/schema.ts'

/** One call of a method, as its handler sees it. */
export interface MethodCall<Errors extends string, C extends RpcContext = RpcContext> {
  readonly context: C
  /** Answers with one of the method's errors: `return fail('not_found')`. */
  fail(name: Errors, data?: unknown): never
}

/** A method that a program serves. Anything that its handler throws but `fail` stays inside: the caller gets `internal error`. */
export interface Method<Params, Result, Errors extends string = never, C extends RpcContext = RpcContext> {
  /** Checks the params before the handler gets them; absent ones are an empty array. */
  readonly params: Schema<Params>
  /** The errors that it answers with, by name. */
  readonly errors?: Readonly<Record<Errors, { readonly code: number; readonly message: string }>>
  /** Returns the result, a JSON value; `undefined` is answered as null. */
  readonly handler: (params: Params, call: MethodCall<Errors, C>) => Result | Promise<Result>
}

/** A method whose types do not matter. */
type AnyMethod<C extends RpcContext> = {
  readonly params: Pick<Schema<never>, 'check'>
  readonly errors?: Readonly<Record<string, { readonly code: number; readonly message: string }>>
  readonly handler: (params: never, call: MethodCall<never, C>) => unknown
}

/** The schema of methods for `createRpcClient`: `createRpcClient<SchemaOf<typeof methods>>(…)`. */
export type SchemaOf<M> = {
  readonly [Name in keyof M]: M[Name] extends {
    readonly params: Schema<infer Params>
    readonly handler: (...given: never) => infer Result
  }
    ? { readonly params: Params; readonly result: Awaited<Result> extends undefined | void ? null : Awaited<Result> }
    : never
}

/** Types a method by its params: the handler's params, its errors and its result follow. */
export function method<Params, Result, Errors extends string = never, C extends RpcContext = RpcContext>(
  spec: Method<Params, Result, Errors, C>,
): Method<Params, Result, Errors, C> {
  return spec
}

/** Failures of a handler that are the caller's business, and told in words of their own. */
const reported: ReadonlySet<RpcErrorCode> = new Set(['aborted', 'denied', 'overloaded', 'timeout'])
const noParams: unknown = []

/**
 * Makes a handler of methods. A name that is none of them, such as `toString`, is -32601, and params that do not fit are -32602. What a
 * method throws reaches `onInternalError` of {@link createRpcServer} alone.
 */
export function createMethods<C extends RpcContext = RpcContext>(
  methods: Readonly<Record<string, AnyMethod<C>>>,
): RpcHandler<C> {
  const known = new Map(Object.entries(methods))
  return async ({ method: name, params }, context) => {
    const found = known.get(name)
    if (found === undefined) return { error: { code: -32601, message: `the method ${name} does not exist` } }
    const value = params === undefined ? noParams : params.parse()
    const issue = found.params.check(value, 'params')
    if (issue !== undefined) {
      const message = `invalid ${issue.path}: expected ${issue.expected}, got ${issue.received}`
      return { error: { code: -32602, message } }
    }
    let failure: { readonly name: string; readonly data: unknown } | undefined
    const fail = (error: string, data?: unknown): never => {
      failure = { name: error, data }
      throw failed
    }
    try {
      const given = found.handler(value as never, { context, fail })
      const result: unknown = given instanceof Promise ? await untilCancelled(given, context) : given
      return { result: rawJsonFromValue(result ?? null) }
    } catch (thrown) {
      const error = thrown === failed && failure !== undefined ? found.errors?.[failure.name] : undefined
      if (error !== undefined) return { error: { ...error, data: failure!.data } }
      if (thrown instanceof RpcError && !reported.has(thrown.code)) throw new Error(`${name} failed`, { cause: thrown })
      throw thrown
    }
  }
}

/** Waits for a handler, which may take no heed of its context, no longer than its caller does. */
function untilCancelled<T>(running: Promise<T>, context: RpcContext): Promise<T> {
  return new Promise((resolve, reject) => {
    const forget = context.onCancel(reject)
    running.then(resolve, reject).finally(forget)
  })
}

/** Thrown by `fail`, so that nothing after it runs. */
const failed = new Error('a method failed with an error of its own')
