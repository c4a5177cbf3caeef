import type { RpcContext, RpcHandler, RpcMiddleware } from '@wayleave/jsonrpc-core'

/** A rule, and the methods that it is for; what it remembers is shared by them. */
export interface MethodRule {
  readonly methods: readonly string[]
  readonly apply: RpcMiddleware<RpcContext>
}

/** Rules looked up by method; a method without one passes untouched. */
export function methodRules(rules: readonly MethodRule[]): RpcMiddleware<RpcContext> {
  return (next) => {
    const ruled = new Map<string, RpcHandler>()
    for (const { methods, apply } of rules) {
      const handler = apply(next)
      for (const method of methods) ruled.set(method, handler)
    }
    return (request, context) => (ruled.get(request.method) ?? next)(request, context)
  }
}
