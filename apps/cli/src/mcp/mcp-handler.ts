import {
  type RpcContext,
  type RpcErrorObject,
  type RpcHandler,
  type RpcResponse,
  rawJsonFromValue,
} from '@wayleave/jsonrpc-core'
import { issues, printPath } from '@wayleave/jsonrpc-core/schema'
import { errorCodes, legacyVersions, metaKeys, modernVersions, toolCall } from './protocol.ts'
import type { Tool, ToolAnswer } from './tool.ts'

export interface McpHandlerOptions {
  readonly tools: readonly Tool[]
  /** The version of this package. */
  readonly version: string
  /** Words for a model on how to use the server. */
  readonly instructions: string
  /** Says why a tool of this name is not there; undefined where nothing is known of it. */
  readonly whyAbsent?: (name: string) => string | undefined
  /** Gives words to an error that a tool threw; undefined for a bug. */
  readonly describeFailure: (thrown: unknown) => string | undefined
  /** Called with bugs. A model is told nothing of them. */
  readonly onBug: (thrown: unknown) => void
}

/** Most calls of tools at once. */
const mostAtOnce = 8
/** Longest data of an answer, in characters. */
const longestData = 262_144
/** Longest text of an answer, in characters. */
const longestAnswer = 65_536
/** The tools do not change while the process runs. */
const freshMs = 300_000

type Params = Readonly<Record<string, unknown>>

/**
 * Creates the handler of one connection of the Model Context Protocol, with tools alone. It serves clients of 2026-07-28, which send
 * everything with each request, and those before it, which begin with `initialize`.
 */
export function createMcpHandler(options: McpHandlerOptions): RpcHandler {
  const { tools, version, instructions, whyAbsent, describeFailure, onBug } = options
  const serverInfo = { name: 'wayleave', title: 'Wayleave', version }
  const capabilities = { tools: {} }
  const listed = { tools: tools.map((tool) => tool.listed) }
  let isInitialized = false
  let running = 0

  return async ({ method, params, notification }, context) => {
    // Cancellation is the connection's; nothing else that may come concerns a server of tools.
    if (notification) return result({})
    const value = params?.value() ?? {}
    if (!isObject(value)) return failure(errorCodes.invalidParams, 'expected an object as params')
    const meta = isObject(value['_meta']) ? value['_meta'] : {}
    const claimed = meta[metaKeys.version]
    if (claimed !== undefined) return answerModern(method, value, meta, claimed, context)
    return answerLegacy(method, value, context)
  }

  async function answerModern(
    method: string,
    params: Params,
    meta: Params,
    claimed: unknown,
    context: RpcContext,
  ): Promise<RpcResponse> {
    if (typeof claimed !== 'string') return missing(metaKeys.version)
    if (!modernVersions.includes(claimed)) {
      const data = { supported: modernVersions, requested: claimed.slice(0, 100) }
      return failure(errorCodes.unsupportedVersion, 'Unsupported protocol version', data)
    }
    if (!isObject(meta[metaKeys.capabilities])) return missing(metaKeys.capabilities)
    const complete = (members: object): RpcResponse =>
      result({ resultType: 'complete', ...members, _meta: { [metaKeys.server]: serverInfo } })
    const fresh = { ttlMs: freshMs, cacheScope: 'private' }
    switch (method) {
      case 'server/discover':
        return complete({ supportedVersions: modernVersions, capabilities, instructions, ...fresh })
      case 'tools/list':
        return params['cursor'] === undefined ? complete({ ...listed, ...fresh }) : noCursor
      case 'tools/call':
        return callTool(params, context, complete)
      default:
        return notFound(method)
    }
  }

  async function answerLegacy(method: string, params: Params, context: RpcContext): Promise<RpcResponse> {
    if (method === 'initialize') {
      const asked = params['protocolVersion']
      if (typeof asked !== 'string') return failure(errorCodes.invalidParams, 'expected protocolVersion, a text')
      isInitialized = true
      const protocolVersion = legacyVersions.includes(asked) ? asked : legacyVersions[0]!
      return result({ protocolVersion, capabilities, serverInfo, instructions })
    }
    if (method === 'ping') return result({})
    if (!['tools/list', 'tools/call'].includes(method)) return notFound(method)
    if (!isInitialized) return missing(metaKeys.version, `, or initialize before it (${legacyVersions.join(', ')})`)
    if (method === 'tools/call') return callTool(params, context, result)
    return params['cursor'] === undefined ? result(listed) : noCursor
  }

  async function callTool(
    params: Params,
    context: RpcContext,
    print: (members: object) => RpcResponse,
  ): Promise<RpcResponse> {
    const [wrong] = issues(toolCall, params)
    if (wrong !== undefined) {
      const message = `params ${printPath(wrong.path)}: expected ${wrong.expected}, got ${wrong.received}`
      return failure(errorCodes.invalidParams, message)
    }
    const name = params['name'] as string
    const tool = tools.find(({ listed: { name: known } }) => known === name)
    if (tool === undefined) {
      const names = tools.map(({ listed: { name: known } }) => known).join(', ')
      return failure(errorCodes.invalidParams, whyAbsent?.(name) ?? `there is no such tool; there are ${names}`)
    }
    if (running >= mostAtOnce) return print(printAnswer({ fault: `${mostAtOnce} calls are under way: wait for one` }))
    running++
    try {
      return print(printAnswer(await runTool(tool, params['arguments'] ?? {}, context.signal)))
    } finally {
      running--
    }
  }

  async function runTool(tool: Tool, args: unknown, signal: AbortSignal): Promise<ToolAnswer> {
    try {
      return await tool.call(args, signal)
    } catch (thrown) {
      const words = describeFailure(thrown)
      if (words !== undefined) return { fault: words }
      // The connection of the tool may have broken because nobody waits any more.
      if (!signal.aborted) onBug(thrown)
      return { fault: 'this is a mistake of wayleave, which its log tells: report it' }
    }
  }
}

/** Makes the members of a result: text for people, and data. */
function printAnswer(answer: ToolAnswer): object {
  if (answer.fault !== undefined) return { content: [textContent(answer.fault)], isError: true }
  const { data, text } = answer
  if (JSON.stringify(data).length > longestData) {
    return { content: [textContent('the answer is too long: ask for less')], isError: true }
  }
  return { content: [textContent(text)], structuredContent: data, isError: false }
}

function textContent(text: string): object {
  const cut = text.length > longestAnswer ? `${text.slice(0, longestAnswer)}\n… the rest is in structuredContent` : text
  return { type: 'text', text: cut }
}

function isObject(value: unknown): value is Params {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function result(value: object): RpcResponse {
  return { result: rawJsonFromValue(value) }
}

function failure(code: number, message: string, data?: object): RpcResponse {
  const error: RpcErrorObject = { code, message, ...(data !== undefined && { data }) }
  return { error }
}

function missing(key: string, otherwise = ''): RpcResponse {
  return failure(errorCodes.invalidParams, `expected _meta["${key}"] in params${otherwise}`)
}

function notFound(method: string): RpcResponse {
  return failure(errorCodes.methodNotFound, `there is no method ${JSON.stringify(method.slice(0, 100))}`)
}

const noCursor = failure(errorCodes.invalidParams, 'cursor: expected none, as all tools are on one page')
