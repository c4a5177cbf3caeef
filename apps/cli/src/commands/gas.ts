import { createClient } from '@wayleave/client'
import { gas as gasApi, type GasMethods } from '@wayleave/client/gas'
import { GasFeesError, type GasFeesErrorCode, type SuggestedGasFees } from '@wayleave/gas-fees'
import { addressOf, callFlags, callFlagsHelp, type CallFlagValues } from '../call/call-flags.ts'
import { unknownNetworkHint } from '../call/network-hint.ts'
import { clientOptions, orUsage } from '../call/open-client.ts'
import { whyNoConnection } from '../call/no-connection.ts'
import { connectHint, reportFailure } from '../call/report.ts'
import { readCount } from '../call/stream-events.ts'
import { untilStopped } from '../call/until-stopped.ts'
import { type Command, type CommandIo, UsageError } from '../command.ts'
import { printResult } from '../output/print-result.ts'
import { visible } from '../output/visible.ts'
import { suggest } from '../suggest.ts'
import { createGasScreen, type GasScreen } from './gas-screen.ts'
import { gasTable, type Level, levels } from './gas-table.ts'
import { printTotal, readTransaction, totalFlags } from './gas-total.ts'
import { readFlags, textFlags } from '../read-args.ts'

/** `wayleave gas`: suggests the fees of a transaction, and tells the total of one. */
export const gas: Command = {
  help: `Usage: wayleave gas [options]

Prints max fee, tip (priority fee) and wait for three levels of urgency, in gwei. It asks the gas API of a gateway; of the
URL of a node it computes them from eth_feeHistory.

  --watch             goes on with each new block, until Ctrl-C
  --count N           with --watch: ends after N of them
  --level LEVEL       low, medium or high alone
  --to A, --from A, --data HEX, --value W, --gas N, --nonce N
                      the whole cost of such a call instead, with the data of a rollup, in wei and its coin; without --gas
                      the node estimates its gas, and W may have a unit: 1.5ether
  --signed TX         that of a signed transaction, given as hex, @FILE, or - for stdin
${callFlagsHelp.replace('one line of JSON, as it came', 'one line of JSON for each suggestion')}

A terminal shows a table, with --watch a live one. A pipe gets plain lines: a tab after each member's path, with --watch a
line for each suggestion, each level as MAXFEE/TIP.
Exit code 0: fees, or stopped; 1: an error or no answer, on stderr; 2: used wrongly.
`,
  async run(args, io) {
    const values = readFlags(args, {
      ...callFlags,
      ...totalFlags,
      watch: { type: 'boolean', default: false },
      ...textFlags('count', 'level'),
    })
    const count = readWatchCount(values.count, values.watch)
    const shown = readLevel(values.level)
    const transaction = await readTransaction(values, io)
    if (transaction !== undefined && values.watch) throw new UsageError('--watch: a total is told once')
    const target = clientOptions(values, io.env, undefined)
    const client = orUsage(values, target.url, () => createClient({ ...target, apis: { gas: gasApi() } }))
    const options = { json: values.json, shown }
    try {
      return await reportFailure(io, values, async () => {
        try {
          await (values.watch
            ? untilStopped(io, (signal) => watch(client, { ...options, count }, io, signal))
            : transaction === undefined
              ? once(client, options, io)
              : printTotal(client, transaction, options, io))
          return 0
        } catch (thrown) {
          const failure = failureOf(thrown, values, io.env)
          if (failure === undefined) throw thrown
          const { code, message, hint } = failure
          if (values.json) io.stdout(`${JSON.stringify({ error: { code, message } })}\n`)
          else io.stderr(visible(`${message}\n${hint === undefined ? '' : `${hint}\n`}`))
          return 1
        }
      })
    } finally {
      await client.close()
    }
  },
}

interface Options {
  readonly json: boolean
  readonly shown: readonly Level[]
}

interface GasClient {
  readonly gas: GasMethods
}

async function once(client: GasClient, { json, shown }: Options, io: CommandIo): Promise<void> {
  const stream = io.process.stdout
  if (json || !stream.isTTY) {
    const fees = JSON.stringify(only(await client.gas.suggested(), shown))
    io.stdout(printResult('suggestedGasFees', fees, { json, stream }))
    return
  }
  const [fees, history] = await Promise.all([client.gas.suggested(), client.gas.baseFeeHistory()])
  io.stdout(`${gasTable({ fees, baseFees: [...history, fees.estimatedBaseFee], shown, stream }).join('\n')}\n`)
}

async function watch(
  client: GasClient,
  options: Options & { readonly count: number },
  io: CommandIo,
  signal: AbortSignal,
): Promise<void> {
  const { json, shown, count } = options
  let screen: GasScreen | undefined
  let left = count
  try {
    // Asked once first, as `watch` would retry an absent host forever.
    await client.gas.suggested({ signal })
    if (!json && io.process.stdout.isTTY)
      screen = createGasScreen(io.process.stdout, await client.gas.baseFeeHistory({ signal }), shown)
    for await (const fees of client.gas.watch({ signal })) {
      if (screen !== undefined) screen.show(fees)
      else io.stdout(`${json ? JSON.stringify(only(fees, shown)) : gasLine(fees, shown)}\n`)
      if (--left === 0) break
    }
  } catch (thrown) {
    if (!signal.aborted) throw thrown
  } finally {
    screen?.close()
  }
}

/** Copies a suggestion without the levels that were not asked for. */
function only(fees: SuggestedGasFees, shown: readonly Level[]): Partial<SuggestedGasFees> {
  const isLeftOut = (name: string): boolean => levels.includes(name as Level) && !shown.includes(name as Level)
  return Object.fromEntries(Object.entries(fees).filter(([name]) => !isLeftOut(name)))
}

function readLevel(text: string | undefined): readonly Level[] {
  if (text === undefined) return levels
  const level = levels.find((known) => known === text)
  if (level === undefined) {
    throw new UsageError(`--level: expected low, medium or high, got "${text}"${suggest(text, levels)}`)
  }
  return [level]
}

function readWatchCount(text: string | undefined, isWatching: boolean): number {
  if (text !== undefined && !isWatching) throw new UsageError('--count: belongs to --watch')
  return readCount(text)
}

/** Prints a suggestion in one line: `baseFee=16.28 trend=up congestion=0.51 low=16.33/0.05 medium=…`. */
function gasLine(fees: SuggestedGasFees, shown: readonly Level[]): string {
  const offers = shown.map((level) => {
    const { suggestedMaxFeePerGas, suggestedMaxPriorityFeePerGas } = fees[level]
    return `${level}=${suggestedMaxFeePerGas}/${suggestedMaxPriorityFeePerGas}`
  })
  const { estimatedBaseFee, baseFeeTrend, networkCongestion } = fees
  return `baseFee=${estimatedBaseFee} trend=${baseFeeTrend} congestion=${networkCongestion} ${offers.join(' ')}`
}

const help: Partial<Record<GasFeesErrorCode, string>> = {
  unauthorized: 'The key or its secret was refused: check the URL.',
  connect: connectHint,
  timeout: 'The node took too long: --timeout SECONDS allows more.',
  unsupported: 'Only EVM networks with EIP-1559 have these fees; `wayleave eth gas-price` asks the node for its price.',
}

interface Failure {
  readonly code: string
  readonly message: string
  readonly hint: string | undefined
}

/** Explains why there are no fees; undefined for any other error. */
function failureOf(thrown: unknown, flags: CallFlagValues, env: CommandIo['env']): Failure | undefined {
  if (!(thrown instanceof GasFeesError)) return undefined
  const { message, code, httpStatus } = thrown
  if (httpStatus === 404 && /\bunknown network "[^"]*"$/.test(message))
    return { code, message, hint: `hint: ${unknownNetworkHint(flags, env)}` }
  const why = code === 'connect' ? whyNoConnection(thrown, addressOf(flags, env)) : undefined
  return { code, message: why ?? message, hint: why === undefined ? help[code] : undefined }
}
