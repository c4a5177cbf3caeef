import { type RawJson, rawJsonFromText, rawJsonFromValue, type RpcHandler } from '@wayleave/jsonrpc-core'
import { iterateEvents } from '@wayleave/jsonrpc-core/websocket'
import { type CommandIo, UsageError } from '../command.ts'
import { readExact } from '../output/exact-json.ts'
import { layOut } from '../output/json-layout.ts'
import { oneLine, printLine } from '../output/visible.ts'
import type { EventLines } from '../watch/event-lines.ts'

/** The subscription that a command opens. */
interface Subscribing {
  readonly method: string
  readonly params: unknown
  /** Whether an event is printed with the method of its notification. */
  readonly isNamed?: boolean
  /** Prints events for people, if not as JSON. Default: a line of JSON, or the text that an event is. */
  readonly lines?: EventLines
}

interface StreamFlags {
  readonly json: boolean
  readonly count: number
  readonly timeout: string
}

/** Opens a subscription and prints each event in a line, until `count` or `signal` ends it. Resolves with the exit code. @throws RpcError */
export async function streamEvents(
  handler: RpcHandler,
  { method, params, isNamed = false, ...reported }: Subscribing,
  { json, count, timeout }: StreamFlags,
  io: CommandIo,
  signal: AbortSignal,
): Promise<number> {
  const lines = reported.lines ?? plainLines(io.process.stdout)
  try {
    await using events = await iterateEvents<string>(exactEvents(handler, isNamed), method, params, {
      signal,
      timeoutMs: Number(timeout) * 1_000,
      onGap: ({ reason }) => io.stderr(`gap: events may be missing: ${oneLine(reason)}\n`),
    })
    signal.addEventListener('abort', () => void events.return())
    if (!json) io.stdout(lines.title)
    let left = count
    for await (const event of events) {
      io.stdout(json ? `${layOut(event, 0)}\n` : lines.print(event))
      if (--left === 0) break
    }
  } catch (thrown) {
    // A stop while the subscription opens is no failure.
    if (!signal.aborted) throw thrown
  }
  return 0
}

function plainLines(stream: NodeJS.WriteStream): EventLines {
  return {
    title: '',
    print(event) {
      const value = readExact(event)
      return printLine(typeof value === 'string' ? value : layOut(event, 0), stream)
    },
  }
}

/** Reads `--count`; without it there is no end. @throws UsageError */
export function readCount(text: string | undefined): number {
  if (text === undefined) return Infinity
  if (!/^[1-9]\d{0,14}$/.test(text)) throw new UsageError(`--count: expected a whole number above 0, got "${text}"`)
  return Number(text)
}

/**
 * Wraps a handler so that subscription events are the JSON texts that came, as strings: numbers keep all digits. `isNamed`: an event is
 * `{"method":…,"result":…}`, with the method of its notification.
 */
export function exactEvents(next: RpcHandler, isNamed = false): RpcHandler {
  return async (request, context) => {
    const response = await next(request, context)
    if (response.error !== undefined || response.subscription === undefined) return response
    const { subscription } = response
    return {
      ...response,
      subscription: {
        id: subscription.id,
        open: (sink) =>
          subscription.open({
            ...sink,
            event: (method, result) => sink.event(method, textOf(isNamed ? named(method, result) : result)),
          }),
      },
    }
  }
}

function named(method: string, result: RawJson): RawJson {
  return rawJsonFromText(`{"method":${JSON.stringify(method)},"result":${result.text()}}`)
}

/** Turns JSON into its text as a string. Invalid JSON stays as it is, so that its reader refuses it. */
function textOf(result: RawJson): RawJson {
  try {
    result.parse()
    return rawJsonFromValue(result.text())
  } catch {
    return result
  }
}
