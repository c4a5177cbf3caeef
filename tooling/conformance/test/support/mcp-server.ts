import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { compileCache } from './compile-cache.ts'
// @boundaries-ignore The programs as tests start them.
import { bundlePrograms } from '../../../../vitest.bundle.ts'

const { cli: main } = await bundlePrograms()

/** The command that starts `wayleave mcp` from its sources. */
export function mcpCommand(args: readonly string[]): { readonly command: string; readonly args: string[] } {
  return { command: process.execPath, args: ['--conditions=@wayleave/source', main, 'mcp', ...args] }
}

/** The members of results that tests read; each test knows what it asked for. */
interface McpResult {
  readonly protocolVersion: string
  readonly tools: readonly object[]
  readonly content: readonly { readonly type: string; readonly text: string }[]
  readonly structuredContent: { readonly phase: string }
  readonly isError: boolean
}

interface McpError {
  readonly code: number
  readonly message: string
  readonly data?: object
}

interface McpMessage {
  readonly id?: number | string
  readonly result?: McpResult
  readonly error?: McpError
}

/** A `wayleave mcp` that a test speaks to line by line. */
export interface McpServer extends AsyncDisposable {
  /** Writes a text to its stdin as it is. */
  write(text: string): void
  /** Sends a message of MCP 2026-07-28. */
  send(id: number | string, method: string, params?: object): void
  /** The lines that it has written. */
  readonly lines: readonly string[]
  /** Waits for the result of a message. */
  resultOf(id: number | string): Promise<McpResult>
  /** Waits for the error that answers a message; undefined: for the first one that names none. */
  errorOf(id: number | string | undefined): Promise<McpError>
  readonly stderr: () => string
  /** Leaves its stdout unread. */
  pauseReading(): void
  resumeReading(): void
  /** Bytes that were written, and that it has not taken. */
  unsent(): number
  endStdin(): void
  kill(signal: NodeJS.Signals): void
  readonly exited: Promise<number | string>
}

export const modernMeta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
}

/** Starts one, and ends it with its disposal. */
export function startMcp(args: readonly string[], env: Readonly<Record<string, string>> = {}): McpServer {
  const { command, args: all } = mcpCommand(args)
  const child = spawn(command, all, { env: { ...compileCache, ...env }, stdio: ['pipe', 'pipe', 'pipe'] })
  const lines: string[] = []
  const messages: McpMessage[] = []
  let waiting: (() => void)[] = []
  const wake = (): void => {
    for (const resolve of waiting.splice(0)) resolve()
  }
  const reader = createInterface({ input: child.stdout }).on('line', (line) => {
    lines.push(line)
    messages.push(JSON.parse(line) as McpMessage)
    wake()
  })
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text))
  // A server that has ended is not written to.
  child.stdin.on('error', () => {})
  let hasEnded = false
  const exited = new Promise<number | string>((resolve) => {
    child.once('close', (code, signal) => {
      hasEnded = true
      wake()
      resolve(code ?? signal!)
    })
  })

  async function answerTo(id: number | string | undefined): Promise<McpMessage> {
    for (;;) {
      const found = messages.find((message) => message.id === id)
      if (found !== undefined) return found
      if (hasEnded) throw new Error(`the server ended before it answered: ${stderr}`)
      await new Promise<void>((resolve) => (waiting = [...waiting, resolve]))
    }
  }

  return {
    write: (text) => void child.stdin.write(text),
    send: (id, method, params = {}) =>
      void child.stdin.write(
        `${JSON.stringify({ jsonrpc: '2.0', id, method, params: { ...params, _meta: modernMeta } })}\n`,
      ),
    lines,
    async resultOf(id) {
      const { result, error } = await answerTo(id)
      if (result === undefined) throw new Error(`expected a result, got ${JSON.stringify(error)}`)
      return result
    },
    async errorOf(id) {
      const { result, error } = await answerTo(id)
      if (error === undefined) throw new Error(`expected an error, got ${JSON.stringify(result)}`)
      return error
    },
    stderr: () => stderr,
    pauseReading: () => void reader.pause(),
    resumeReading: () => void reader.resume(),
    unsent: () => child.stdin.writableLength,
    endStdin: () => void child.stdin.end(),
    kill: (signal) => void child.kill(signal),
    exited,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await exited
    },
  }
}
