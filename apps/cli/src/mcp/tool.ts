import { type AnySchema, issues, jsonOf, printPath, type Schema } from '@wayleave/jsonrpc-core/schema'

/** A tool as `tools/list` tells it. */
interface ListedTool {
  readonly name: string
  readonly title: string
  readonly description: string
  /** JSON Schema. */
  readonly inputSchema: object
  readonly outputSchema: object
  readonly annotations: ToolAnnotations
}

/** The effect of a tool, by which a host decides whether it asks its user first. */
interface ToolAnnotations {
  readonly readOnlyHint: boolean
  readonly destructiveHint?: boolean
  readonly idempotentHint?: boolean
  readonly openWorldHint: boolean
}

/** Data, and the same for people; or why there is none, and what to do. */
export type ToolAnswer =
  | { readonly data: object; readonly text: string; readonly fault?: undefined }
  | { readonly fault: string }

/** A tool of the server. */
export interface Tool {
  readonly listed: ListedTool
  /** Rejects with errors that have words for people, too. */
  call(args: unknown, signal: AbortSignal): Promise<ToolAnswer>
}

interface ToolParts<T extends object> extends Omit<ListedTool, 'inputSchema' | 'outputSchema'> {
  readonly input: Schema<T>
  readonly output: AnySchema
  readonly run: (args: T, signal: AbortSignal) => Promise<ToolAnswer>
}

const mostIssues = 10

/** Creates a tool, whose arguments are checked before it runs, and by a schema that it lists. */
export function createTool<T extends object>({ input, output, run, ...listed }: ToolParts<T>): Tool {
  return {
    listed: { ...listed, inputSchema: describe(input), outputSchema: plain(output) },
    async call(args, signal) {
      const wrong = issues(input, args).slice(0, mostIssues)
      if (wrong.length === 0) return run(args as T, signal)
      const lines = wrong.map(({ path, expected, received, hint }) => {
        const place = path.length === 0 ? 'the arguments' : printPath(path)
        return `${place}: expected ${expected}, got ${received}${hint === undefined ? '' : `; ${hint}`}`
      })
      return { fault: lines.join('\n') }
    },
  }
}

/** Makes the JSON Schema of a part, without words: models read it with each conversation. */
function plain(schema: AnySchema): object {
  const { title: _title, ...json } = jsonOf(schema, plain) as { readonly title?: string }
  return json
}

/** Makes the JSON Schema of a part, with its words. */
function describe(schema: AnySchema): object {
  return { description: schema.expected, ...jsonOf(schema, describe) }
}
