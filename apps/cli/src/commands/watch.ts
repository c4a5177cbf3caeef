import { parseArgs } from 'node:util'
import { iterateEvents } from '@wayleave/jsonrpc-core/websocket'
import { callFlags, openClient, openStarknet } from '../call/open-client.ts'
import { reportFailure } from '../call/report.ts'
import { exactEvents, readCount } from '../call/subscribe.ts'
import { untilStopped } from '../call/until-stopped.ts'
import { tellWhyNoSocket } from '../call/why-no-socket.ts'
import type { Command, CommandIo } from '../command.ts'
import { layOut } from '../output/json-layout.ts'
import { oneLine } from '../output/visible.ts'
import { eventLines } from '../watch/event-lines.ts'
import { watchHelp } from '../watch/watch-help.ts'
import { readWatched, type Watched } from '../watch/watched.ts'

const options = {
  ...callFlags,
  address: { type: 'string', multiple: true },
  topic: { type: 'string', multiple: true },
  'from-block': { type: 'string' },
  full: { type: 'boolean' },
  count: { type: 'string' },
  'spec-version': { type: 'string' },
} as const

type Values = ReturnType<typeof parseArgs<{ options: typeof options; allowPositionals: true }>>['values']

/** `wayleave watch`: follows a chain, and prints a line for each event. */
export const watch: Command = {
  help: watchHelp,
  async run(args, io) {
    const { values, positionals } = parseArgs({ args: [...args], allowPositionals: true, options })
    const watched = readWatched(positionals, values)
    const count = readCount(values.count)
    const onReconnect = (): void => io.stderr('reconnected\n')
    const { version } = watched
    const client =
      version === undefined
        ? openClient(values, io.env, undefined, { onReconnect })
        : openStarknet(values, io.env, version, { onReconnect }).client
    try {
      return await untilStopped(io, (signal) =>
        reportFailure(io, values.json, () =>
          tellWhyNoSocket(values, io.env, version === undefined ? 'eth_chainId' : 'starknet_chainId', () =>
            print(client.handler, watched, values, count, io, signal),
          ),
        ),
      )
    } finally {
      await client.close()
    }
  },
}

async function print(
  handler: Parameters<typeof exactEvents>[0],
  { method, params, lines: kind, version }: Watched,
  { json, timeout }: Pick<Values, 'json' | 'timeout'>,
  count: number,
  io: CommandIo,
  signal: AbortSignal,
): Promise<number> {
  const lines = eventLines(kind, io.process.stdout)
  try {
    await using events = await iterateEvents<string>(exactEvents(handler, version !== undefined), method, params, {
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
