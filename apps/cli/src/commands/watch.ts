import { callFlags } from '../call/call-flags.ts'
import { openClient } from '../call/open-client.ts'
import { openStarknet } from '../call/open-starknet.ts'
import { runWith } from '../call/run-with.ts'
import { readCount, streamEvents } from '../call/stream-events.ts'
import { untilStopped } from '../call/until-stopped.ts'
import { reportWhyNoSocket } from '../call/why-no-socket.ts'
import type { Command } from '../command.ts'
import { eventLines } from '../watch/event-lines.ts'
import { watchHelp } from '../watch/watch-help.ts'
import { readWatched, watchFlags } from '../watch/watched.ts'
import { readArgs } from '../read-args.ts'

/** `wayleave watch`: follows a chain, and prints a line for each event. */
export const watch: Command = {
  help: watchHelp,
  async run(args, io) {
    const { values, positionals } = readArgs(args, { ...callFlags, ...watchFlags, count: { type: 'string' } })
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
        reportWhyNoSocket(
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
