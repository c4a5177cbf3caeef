import { existsSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { erpc, erpcVersion } from '../pool-bars/gateways/erpc.ts'
import { wayleave } from '../pool-bars/gateways/wayleave.ts'
import { type Figure, holds, percent } from '../pool-bars/measure/figure.ts'
import { watchMachine } from '../pool-bars/measure/machine.ts'
import { measureCpu } from './cpu.ts'
import { measureShare } from './share.ts'
import { replayTraffic, savedOf, type TrafficResult } from './traffic.ts'

/* Measures the bars of the cache on processes. Exits with 0 if all of ours hold, 1 if one does not, 2 on wrong use. */

const parts = ['cpu', 'share', 'traffic']
const usage = `pnpm --filter @wayleave/conformance cache [options]

  --erpc FILE   the program of eRPC ${erpcVersion}, which is measured beside
  --only PART   ${parts.join(', ')}; may stand more than once (all)
  --rounds N    rounds of cpu (12)
  --calls N     calls of share (100000)
  --pace N      times that share is faster than real time; divides 12 (6)
`

class UsageError extends Error {
  override readonly name = 'UsageError'
}

const out = (line: string): void => void process.stdout.write(`${line}\n`)
const tell = (line: string): void => void process.stderr.write(`${line}\n`)

function parse(args: readonly string[]) {
  const text = { type: 'string' } as const
  try {
    return parseArgs({
      args: args.filter((arg) => arg !== '--'),
      options: {
        erpc: text,
        only: { ...text, multiple: true },
        rounds: { ...text, default: '12' },
        calls: { ...text, default: '100000' },
        pace: { ...text, default: '6' },
        help: { type: 'boolean', default: false },
      },
    }).values
  } catch (cause) {
    throw new UsageError(`${(cause as Error).message}\n\n${usage}`, { cause })
  }
}

/** Prints figures, and counts the bars that do not hold. */
function judge(figures: readonly Figure[]): number {
  for (const each of figures) {
    const bar = each.bar === undefined ? '' : ` (bar ${each.bar.printed}${holds(each) ? '' : ', BROKEN'})`
    out(`${each.name}: ${each.printed}${bar}`)
  }
  return figures.filter((each) => !holds(each)).length
}

/** Prints the saved calls of each class, and counts those of which ours saves a smaller part. */
function compare(ours: TrafficResult, theirs: TrafficResult | undefined): number {
  let broken = 0
  for (const own of ours.classes) {
    const other = theirs?.classes.find(({ client, method }) => client === own.client && method === own.method)
    const isWorse = own.failed > 0 || (other !== undefined && savedOf(own) < savedOf(other))
    broken += Number(isWorse)
    const beside = other === undefined ? '' : `, eRPC ${percent(savedOf(other))}, ${other.failed} failed`
    out(
      `${own.client}, ${own.method}, ${own.calls} calls: answered from memory: ${percent(savedOf(own))}, ${own.failed} failed${beside}${isWorse ? ', BROKEN' : ''}`,
    )
  }
  for (const result of theirs === undefined ? [ours] : [ours, theirs]) {
    out(`${result.product}: all calls at the node, its own included: ${JSON.stringify(result.atNode)}`)
  }
  return broken
}

async function main(): Promise<number> {
  const values = parse(process.argv.slice(2))
  const { only = parts, help, erpc: program } = values
  if (help) {
    out(usage)
    return 0
  }
  const unknown = only.find((part) => !parts.includes(part))
  if (unknown !== undefined) throw new UsageError(`--only takes ${parts.join(', ')}, not ${unknown}`)
  const [rounds, calls, pace] = [Number(values.rounds), Number(values.calls), Number(values.pace)] as const
  if (![rounds, calls, pace].every((value) => Number.isSafeInteger(value) && value > 0) || 12 % pace !== 0)
    throw new UsageError(`--rounds, --calls and --pace take whole numbers above 0, --pace one that divides 12`)
  if (program === undefined) tell(`not run: eRPC: --erpc names its program, ${erpcVersion}`)
  else if (!existsSync(program)) throw new UsageError(`--erpc takes the program of eRPC; there is no ${program}`)
  const ending = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => ending.abort(new Error(`ended by ${signal}`)))
  }
  const { signal } = ending
  const theirs = program === undefined ? undefined : erpc(program)
  const machine = watchMachine()
  let broken = 0
  if (only.includes('cpu'))
    broken += judge(await measureCpu({ erpc: theirs, rounds, secondsEach: 1, signal, progress: tell }))
  if (only.includes('share')) broken += judge(await measureShare({ product: wayleave, calls, pace, signal }))
  if (only.includes('traffic')) {
    const other = theirs === undefined ? undefined : replayTraffic(theirs, signal)
    other?.catch(() => {})
    broken += compare(await replayTraffic(wayleave, signal), await other)
  }
  const { cores, load, stolen } = machine()
  out(`machine: ${cores} cores, load ${load.toFixed(1)}, stolen ${stolen === undefined ? 'unknown' : percent(stolen)}`)
  out(broken === 0 ? 'all bars of Wayleave hold' : `${broken} bars of Wayleave do not hold`)
  return broken === 0 ? 0 : 1
}

try {
  process.exitCode = await main()
} catch (thrown) {
  if (!(thrown instanceof UsageError)) throw thrown
  tell(thrown.message)
  process.exitCode = 2
}
