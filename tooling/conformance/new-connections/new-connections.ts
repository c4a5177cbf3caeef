import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { devAccounts } from '@wayleave/dev-node'
import { startStandIns } from '../two-nodes/nodes/stand-in-chain.ts'
import { judgeNewConnections } from './judge.ts'
import { runNewConnections } from './run.ts'

/* Asks workers by a new connection for each call. Exits with 0 if nothing goes back, 1 if something does, 2 on wrong use. */

const usage = `pnpm --filter @wayleave/conformance new-connections [options]

  --calls N      calls, each on a connection of its own (100000)
  --workers N    processes that serve (2)
  --callers N    callers who wait for each answer, ${devAccounts.length} at most (${devAccounts.length})
  --block-ms N   time between blocks, in ms (250)
  --json         one JSON object, for programs
`

class UsageError extends Error {
  override readonly name = 'UsageError'
}

const out = (line: string): void => void process.stdout.write(`${line}\n`)
const tell = (line: string): void => void process.stderr.write(`${line}\n`)

function parse(args: readonly string[]) {
  const number = (value: string): { readonly type: 'string'; readonly default: string } => ({
    type: 'string',
    default: value,
  })
  try {
    return parseArgs({
      args: args.filter((arg) => arg !== '--'),
      options: {
        calls: number('100000'),
        workers: number('2'),
        callers: number(String(devAccounts.length)),
        'block-ms': number('250'),
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    }).values
  } catch (cause) {
    throw new UsageError(`${(cause as Error).message}\n\n${usage}`, { cause })
  }
}

function wholeNumber(option: string, text: string, most: number): number {
  const number = Number(text)
  if (Number.isSafeInteger(number) && number >= 1 && number <= most) return number
  throw new UsageError(`--${option} takes a whole number from 1 to ${most}, not ${text}`)
}

async function main(): Promise<number> {
  const line = parse(process.argv.slice(2))
  if (line.help) {
    out(usage)
    return 0
  }
  const calls = wholeNumber('calls', line.calls, 100_000_000)
  const workers = wholeNumber('workers', line.workers, 64)
  const callers = wholeNumber('callers', line.callers, devAccounts.length)
  const blockMs = wholeNumber('block-ms', line['block-ms'], 60_000)
  const ending = new AbortController()
  for (const name of ['SIGINT', 'SIGTERM'] as const)
    process.once(name, () => ending.abort(new Error(`ended by ${name}`)))
  const folder = await mkdtemp(join(tmpdir(), 'wayleave-new-connections-'))
  tell(`logs of the nodes: ${folder}`)
  await using chain = await startStandIns({ folder, blockMs, blocksBehind: 1 })
  const result = await runNewConnections({ chain, workers, calls, callers, signal: ending.signal, tell })
  const broken = judgeNewConnections(result)
  if (line.json) out(JSON.stringify({ ...result, broken }))
  else {
    const { withoutGateway, cpuSeconds } = result
    out(
      `${result.calls} calls, ${result.sent} of them transactions, in ${result.seconds} s and ${result.blocks} blocks, ` +
        `by ${callers} callers to ${workers} workers (${cpuSeconds.map((cpu) => cpu.toFixed(1)).join(' and ')} s of CPU)`,
    )
    out(`heads that went back: ${result.headsBack} (bar 0)`)
    out(`nonces that went back: ${result.noncesBack} (bar 0)`)
    out(`failed calls: ${result.failed} (bar 0)`)
    out(`without a gateway, the nodes in turns: ${withoutGateway.headsBack} of ${withoutGateway.calls} heads went back`)
    for (const sentence of [...result.notes, ...result.failures]) out(`note: ${sentence}`)
    for (const sentence of broken) out(`broken: ${sentence}`)
    out(broken.length === 0 ? 'all bars hold' : 'not all bars hold')
  }
  return broken.length === 0 ? 0 : 1
}

try {
  process.exitCode = await main()
} catch (thrown) {
  if (!(thrown instanceof UsageError)) throw thrown
  tell(thrown.message)
  process.exitCode = 2
}
