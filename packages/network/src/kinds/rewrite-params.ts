import {
  cutParts,
  rawJsonFromText,
  type RpcContext,
  type RpcMiddleware,
  type RpcRequest,
  type RpcResponse,
} from '@wayleave/jsonrpc-core'

/** A token of a text, and what stands there instead. */
export interface Replacement extends Span {
  readonly by: string
}

export interface Span {
  readonly start: number
  readonly end: number
}

/** Refuses params that are no array, in geth's words: some nodes would take them by name, past the rules. Source: Spec §2.1. */
export const nonArrayArgs: RpcResponse = { error: { code: -32602, message: 'non-array args' } }

/** Makes a rule that replaces tokens of a call's params; all others pass byte for byte. */
export function rewriteParams(
  find: (args: readonly unknown[], text: string) => Replacement | undefined,
): RpcMiddleware<RpcContext> {
  return (next) => (request, context) => {
    const { params } = request
    if (params === undefined) return next(request, context)
    const args = params.value()
    if (!Array.isArray(args)) return Promise.resolve(nonArrayArgs)
    const found = find(args, params.text())
    return next(found === undefined ? request : withReplaced(request, [found]), context)
  }
}

/** Copies a request with tokens of its params replaced; they stand in order. `method`: another one that takes them. Default: its own. */
export function withReplaced(
  request: RpcRequest,
  replacements: readonly Replacement[],
  method = request.method,
): RpcRequest {
  const text = request.params!.text()
  let printed = ''
  let at = 0
  for (const { start, end, by } of replacements) {
    printed += text.slice(at, start) + by
    at = end
  }
  return { ...request, method, params: rawJsonFromText(printed + text.slice(at)) }
}

/** Finds the element at `index` in the text of an array that has it. */
export function elementSpan(text: string, index: number): Span {
  let span: Span | undefined
  let i = 0
  cutParts(text, text.indexOf('['), (start, end) => {
    if (i++ === index) span = { start, end }
  })
  return span!
}
