import { systemClock } from '@wayleave/jsonrpc-core'
import { isoOf } from '../accounts/moments.ts'
import { fail } from '../accounts/ask-admin.ts'
import { accountFlags, readNamedArgs } from '../accounts/flags.ts'
import { type GatewayPlace, gatewayPlace } from '../accounts/gateway-place.ts'
import { atMost } from '../at-most.ts'
import { type Command, type CommandIo, UsageError } from '../command.ts'
import { untilStopped } from '../call/until-stopped.ts'
import { visible } from '../output/visible.ts'
import { frameOf, plainLines } from '../top/frame.ts'
import { overviewOf, type Scrape } from '../top/overview.ts'
import { readGateway } from '../top/read-gateway.ts'
import { openScreen, type Screen } from '../top/screen.ts'

const { config: _config, store: _store, ...shared } = accountFlags
const flags = {
  ...shared,
  timeout: { type: 'string', default: '5' },
  interval: { type: 'string', default: '1' },
  once: { type: 'boolean', default: false },
} as const

/** `wayleave top`: the traffic of a running gateway, second by second. */
export const top: Command = {
  help: `Usage: wayleave top [flags]

Shows the traffic of a running gateway: calls, errors, times, cache, sockets and streams, and each network with its upstreams. It reads
/metrics and /status of the admin listener, and goes on over a restart. Keys: q ends it, s sorts upstreams, the arrows scroll.
A pipe gets a line for each network and second, with tabs between: time, network, state, calls/s, errors/s, p50 ms, p99 ms, upstreams
that are ok, upstreams.

  --admin URL         its admin listener; default $WAYLEAVE_ADMIN_URL, else http://127.0.0.1:8546
  --token-file FILE   an admin token of the scope read, in a file or on stdin (-); default $WAYLEAVE_ADMIN_TOKEN
  --token TOKEN       the same, but all users of this machine can see it
  --interval SECONDS  between two looks; default 1
  --timeout SECONDS   default 5
  --once              prints one overview, of one interval, and ends
  --json              a line for each look: {"at","phase","degraded","calls","errors","p50","p99",…,"networks"}; an error as {"error":…}
`,
  async run(args, io) {
    const { values } = readNamedArgs(args, flags, [])
    const seconds = Number(values.interval)
    if (!(seconds >= 0.1 && seconds <= 3_600)) {
      throw new UsageError(`--interval: expected seconds from 0.1 to 3600, got "${values.interval}"`)
    }
    const output = values.json ? 'json' : values.once ? 'once' : io.process.stdout.isTTY ? 'screen' : 'lines'
    const follow = {
      place: await gatewayPlace(values, io),
      intervalMs: seconds * 1_000,
      isOnce: values.once,
      output,
      io,
    } as const
    const fault = await untilStopped(io, (signal) => watch(follow, signal))
    return fault === undefined ? 0 : fail('top', fault, values.json, io)
  },
}

interface Follow {
  readonly place: GatewayPlace
  readonly intervalMs: number
  readonly isOnce: boolean
  readonly output: 'json' | 'once' | 'screen' | 'lines'
  readonly io: CommandIo
}

/** Looks at the gateway until `stopped`. Resolves with the fault that ends it. A gateway that was there once is waited for. */
async function watch(
  { place, intervalMs, isOnce, output, io }: Follow,
  stopped: AbortSignal,
): Promise<string | undefined> {
  const quit = new AbortController()
  const signal = AbortSignal.any([stopped, quit.signal])
  let screen: Screen | undefined
  let before: Scrape | undefined
  let wasReported = false
  try {
    while (!signal.aborted) {
      const begun = systemClock.now()
      const now = await readGateway(place, signal)
      if (signal.aborted) return undefined
      if ('fault' in now) {
        if (before === undefined || now.isFinal || isOnce) return now.fault
        screen?.warn(now.fault)
        if (screen === undefined && !wasReported) io.stderr(visible(`${now.fault}; asking on\n`))
        wasReported = true
      } else {
        if (output === 'screen') screen ??= openScreen(io, () => quit.abort())
        if (before !== undefined) {
          print(now, before, output, screen, io)
          if (isOnce) return undefined
        }
        before = now
        wasReported = false
      }
      await atMost(Math.max(0, begun + intervalMs - systemClock.now()), signal, systemClock)
    }
    return undefined
  } finally {
    screen?.close()
  }
}

function print(now: Scrape, before: Scrape, output: Follow['output'], screen: Screen | undefined, io: CommandIo): void {
  const overview = overviewOf(now, before)
  const at = isoOf(Math.floor(systemClock.date() / 1_000) * 1_000)!
  if (output === 'screen') screen?.show(overview)
  else if (output === 'json') io.stdout(`${JSON.stringify({ at, ...overview })}\n`)
  else if (output === 'lines') io.stdout(plainLines(overview, at))
  else
    io.stdout(
      frameOf(overview, 'name', io.process.stdout)
        .map((line) => `${line}\n`)
        .join(''),
    )
}
