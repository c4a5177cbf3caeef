import { object, record, anything, type Schema, text } from '@wayleave/jsonrpc-core/schema'

/** The revisions of the Model Context Protocol whose requests each tell their revision. */
export const modernVersions: readonly string[] = ['2026-07-28']
/** Versions that begin with `initialize`, the newest first. */
export const legacyVersions: readonly string[] = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05']

/** Codes of errors: JSON-RPC 2.0, and MCP 2026-07-28. */
export const errorCodes: Readonly<
  Record<'invalidRequest' | 'methodNotFound' | 'invalidParams' | 'internal' | 'unsupportedVersion', number>
> = {
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internal: -32603,
  unsupportedVersion: -32022,
}

const prefix = 'io.modelcontextprotocol'
/** Members of `_meta`, MCP 2026-07-28. */
export const metaKeys: Readonly<Record<'version' | 'capabilities' | 'server', string>> = {
  version: `${prefix}/protocolVersion`,
  capabilities: `${prefix}/clientCapabilities`,
  server: `${prefix}/serverInfo`,
}

/** The params of `tools/call`. */
export interface ToolCall {
  readonly name: string
  readonly arguments?: object
}

export const toolCall: Schema<ToolCall> = object<ToolCall>('{ name, arguments? }', {
  name: text('the name of a tool'),
  arguments: { optional: record(anything) as Schema<object> },
})
