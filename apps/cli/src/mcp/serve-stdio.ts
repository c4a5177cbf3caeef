import { once } from 'node:events'
import {
  type CallContext,
  type Clock,
  createContext,
  RpcError,
  type RpcServer,
  systemClock,
} from '@wayleave/jsonrpc-core'
import { atMost } from '../at-most.ts'
import { errorCodes } from './protocol.ts'
import { readLines } from './read-lines.ts'

export interface ServeStdioOptions {
  readonly stdin: AsyncIterable<Uint8Array | string> & { destroy(): unknown }
  readonly stdout: NodeJS.WriteStream
  /** Writes to stdout. Default: its own `write`. */
  readonly write?: (text: string) => void
  /** Ends the serving when it aborts. */
  readonly signal: AbortSignal
  /** Time that a message may take, in ms. */
  readonly timeoutMs: number
  readonly clock?: Clock
}

/** Longest message, in bytes. */
const longestLine = 1_048_576
/** Bytes that the client has not read, past which no further message is. */
const mostUnread = 1_048_576
/** Time for what is under way once stdin has ended, in ms: a pipe that ends behind its question still gets the answer. */
const graceMs = 1_000

/**
 * Serves JSON-RPC messages that come as lines (MCP, transport stdio), until stdin ends or `signal` aborts. Messages are answered side by side,
 * and `notifications/cancelled` ends one: it gets no answer.
 */
export async function serveStdio(server: RpcServer, options: ServeStdioOptions): Promise<void> {
  const { stdin, stdout, signal, timeoutMs, clock = systemClock } = options
  const { write = (text: string) => void stdout.write(text) } = options
  const underWay = new Set<{ readonly id: string | undefined; readonly context: CallContext }>()
  const settled = new Set<Promise<void>>()
  const stop = (): void => void stdin.destroy()
  signal.addEventListener('abort', stop)

  function send(line: string): void {
    if (!signal.aborted) write(`${line}\n`)
  }

  async function answer(bytes: Uint8Array, id: string | undefined): Promise<void> {
    const context = createContext({ clock, timeoutMs })
    const call = { id, context }
    underWay.add(call)
    try {
      const { kind, body } = await server(bytes, context)
      if (kind === 'empty' || context.cancelled?.code === 'aborted') return
      const text = typeof body === 'string' ? body : Buffer.concat(body as readonly Uint8Array[]).toString()
      // MCP knows no id null: one that could not be read is left out.
      send(text.replace('{"jsonrpc":"2.0","id":null,"error"', '{"jsonrpc":"2.0","error"'))
    } finally {
      underWay.delete(call)
      context.release()
    }
  }

  function cancel(id: string): void {
    for (const { id: known, context } of underWay) {
      if (known === id) context.cancel(new RpcError('aborted', 'the client cancelled it'))
    }
  }

  try {
    for await (const line of readLines(stdin, longestLine)) {
      if (line === 'too_long') {
        send(printRefusal(`expected a message of at most ${longestLine} bytes, got a longer line`))
        continue
      }
      const message = lookAt(line)
      if (message.kind === 'nothing') continue
      if (message.kind === 'cancel') {
        cancel(message.id)
        continue
      }
      const work = answer(line, message.id).finally(() => settled.delete(work))
      settled.add(work)
      if (stdout.writableLength > mostUnread) await once(stdout, 'drain', { signal })
    }
    await atMost(graceMs, signal, clock, Promise.all(settled))
  } catch (thrown) {
    // Reading ends with an error where `signal` ended it.
    if (!signal.aborted) throw thrown
  } finally {
    signal.removeEventListener('abort', stop)
    for (const { context } of underWay) context.cancel(new RpcError('aborted', 'the client has left'))
  }
}

type Looked =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'cancel'; readonly id: string }
  | { readonly kind: 'message'; readonly id: string | undefined }

/** Looks at a message as far as the connection has to know it. */
function lookAt(line: Uint8Array): Looked {
  const text = new TextDecoder().decode(line)
  if (text.trim() === '') return { kind: 'nothing' }
  const value = parse(text)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return { kind: 'message', id: undefined }
  const { method, id, params } = value as Readonly<Record<string, unknown>>
  // This server asks nothing.
  if (method === undefined && ('result' in value || 'error' in value)) return { kind: 'nothing' }
  if (method === 'notifications/cancelled' && id === undefined) {
    const requestId = (params as { readonly requestId?: unknown } | undefined)?.requestId
    return requestId === undefined ? { kind: 'nothing' } : { kind: 'cancel', id: JSON.stringify(requestId) }
  }
  return { kind: 'message', id: id === undefined ? undefined : JSON.stringify(id) }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function printRefusal(message: string): string {
  return JSON.stringify({ jsonrpc: '2.0', error: { code: errorCodes.invalidRequest, message } })
}
