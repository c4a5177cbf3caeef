import { parseArgs } from 'node:util'
import { callFlags } from '../call/call-flags.ts'
import { openClient, openStarknet } from '../call/open-client.ts'
import { runWith } from '../call/run-with.ts'
import { readCount, streamEvents } from '../call/stream-events.ts'
import { untilStopped } from '../call/until-stopped.ts'
import { tellWhyNoSocket } from '../call/why-no-socket.ts'
import type { Command } from '../command.ts'
import { eventLines } from '../watch/event-lines.ts'
import { watchHelp } from '../watch/watch-help.ts'
import { readWatched } from '../watch/watched.ts'

const options = {
  ...callFlags,
  address: { type: 'string', multiple: true },
  topic: { type: 'string', multiple: true },
  'from-block': { type: 'string' },
  full: { type: 'boolean' },
  count: { type: 'string' },
  'spec-version': { type: 'string' },
} as const

/** `wayleave watch`: follows a chain, and prints a line for each event. */
export const watch: Command = {
  help: watchHelp,
  async run(args, io) {
    const { values, positionals } = parseArgs({ args: [...args], allowPositionals: true, options })
    const watched = readWatched(positionals, values)
    const count = readCount(values.count)
    const onReconnect = (): void => io.stderr('reconnected\n')
    const { version, method, params } = watched
    const lines = eventLines(watched.lines, io.process.stdout)
    const subscribing = { method, params, isNamed: version !== undefined, lines }
    const client =
      version === undefined
        ? openClient(values, io.env, undefined, { onReconnect })
        : openStarknet(values, io.env, version, { onReconnect }).client
    return untilStopped(io, (signal) =>
      runWith(client, method, values, io, () =>
        tellWhyNoSocket(
          values,
          io.env,
          version === undefined ? 'eth_chainId' : 'starknet_chainId',
          () => streamEvents(client.handler, subscribing, { ...values, count }, io, signal),
          (flags) => (version === undefined ? openClient(flags, io.env) : openStarknet(flags, io.env, version).client),
        ),
      ),
    )
  },
}
