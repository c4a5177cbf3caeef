import type { Client, SubscriptionParams } from '@wayleave/client'
import { type RawJson, rawJsonFromText, rawJsonFromValue, type RpcHandler } from '@wayleave/jsonrpc-core'
import { iterateEvents } from '@wayleave/jsonrpc-core/websocket'
import { type CommandIo, UsageError } from '../command.ts'
import { methodNamed } from './methods.ts'
import { type CallFlagValues, callFlagsHelp, openClient } from './open-client.ts'
import { type ParamFlagValues, subscriptionFilterOf } from './param-flags.ts'
import { readValue } from './read-params.ts'
import { reportFailure } from './report.ts'
import { readExact } from '../output/exact-json.ts'
import { layOut } from '../output/json-layout.ts'
import { visible } from '../output/visible.ts'
import { suggest } from '../suggest.ts'
import { untilStopped } from './until-stopped.ts'
import { tellWhyNoSocket } from './why-no-socket.ts'

/** The flags that only `eth subscribe` has, for `parseArgs`. */
export const subscribeFlags = { count: { type: 'string' } } as const

export const subscribeHelp: string = `Usage: wayleave eth subscribe KIND [ARG] [options]

Opens a subscription and prints each event in a line, as JSON or as the text it is, until Ctrl-C.

  newHeads                        blocks as they come
  logs [FILTER]                   logs of new blocks; FILTER is JSON, or the flags below
  transactionReceipts [FILTER]    receipts of new blocks, where the node has this kind
  newPendingTransactions [true]   hashes of pending transactions, or with true the whole
  syncing                         whether the node is syncing

  --count N           ends after N events
  --address A         of logs; may be repeated
  --topic T           of logs; the first is the event's; "any" leaves its place open
${callFlagsHelp}

It needs a WebSocket: a ws(s) URL, or the URL of a gateway, which ends in /v3/KEY. After a drop it subscribes again, and fetches
heads, logs and receipts that it missed; where it cannot, it says so on stderr. wayleave watch prints columns, and can begin in the past.

Example:
  wayleave eth subscribe newHeads --count 3
`

const kinds = ['newHeads', 'logs', 'transactionReceipts', 'newPendingTransactions', 'syncing']

interface SubscribeFlags extends CallFlagValues, ParamFlagValues {
  readonly json: boolean
  readonly count?: string | undefined
}

/** Runs `wayleave eth subscribe`, which prints a line for each event. Resolves with the exit code. */
export async function runSubscribe(texts: readonly string[], flags: SubscribeFlags, io: CommandIo): Promise<number> {
  const count = readCount(flags.count)
  const params = readSubscription(texts, flags)
  const client = openClient(flags, io.env)
  try {
    return await untilStopped(io, (signal) =>
      reportFailure(io, flags.json, () =>
        tellWhyNoSocket(flags, io.env, 'eth_chainId', () => stream(client, params, { ...flags, count }, io, signal)),
      ),
    )
  } finally {
    await client.close()
  }
}

async function stream(
  client: Client,
  params: SubscriptionParams,
  { json, count, timeout }: { readonly json: boolean; readonly count: number; readonly timeout: string },
  io: CommandIo,
  signal: AbortSignal,
): Promise<number> {
  try {
    await using events = await iterateEvents<string>(exactEvents(client.handler), 'eth_subscribe', params, {
      signal,
      timeoutMs: Number(timeout) * 1_000,
      onGap: ({ reason }) => io.stderr(visible(`gap: events may be missing: ${reason}\n`)),
    })
    signal.addEventListener('abort', () => void events.return())
    let left = count
    for await (const event of events) {
      const value = json ? undefined : readExact(event)
      const line = typeof value === 'string' ? value : layOut(event, 0)
      io.stdout(`${io.process.stdout.isTTY ? visible(line) : line}\n`)
      if (--left === 0) break
    }
  } catch (thrown) {
    // A stop while the subscription opens is no failure.
    if (!signal.aborted) throw thrown
  }
  return 0
}

/** Reads `--count`; without it there is no end. @throws UsageError */
export function readCount(text: string | undefined): number {
  if (text === undefined) return Infinity
  if (!/^[1-9]\d{0,14}$/.test(text)) throw new UsageError(`--count: expected a whole number above 0, got "${text}"`)
  return Number(text)
}

function readSubscription([kind, ...rest]: readonly string[], flags: ParamFlagValues): SubscriptionParams {
  if (kind === undefined) throw new UsageError(`expected a kind: ${kinds.join(', ')}`)
  if (!kinds.includes(kind)) {
    throw new UsageError(`there is no subscription to "${kind}"${suggest(kind, kinds)}; there are ${kinds.join(', ')}`)
  }
  const params = [kind, ...rest.map((text) => readValue(text))]
  const filter = subscriptionFilterOf(kind, flags)
  if (filter !== undefined && rest.length === 0) params.push(filter)
  else if (filter !== undefined && Object.keys(filter).length > 0)
    throw new UsageError('the filter came twice: by flags and as JSON')
  const issue = methodNamed('eth_subscribe')!.params.check(params, '')
  if (issue !== undefined)
    throw new UsageError(`params${issue.path}: expected ${issue.expected}, got ${issue.received}`)
  return params as unknown as SubscriptionParams
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
