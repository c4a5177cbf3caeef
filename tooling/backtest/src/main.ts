import { writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { wayleave } from '@wayleave/gas-fees'
import { backtest, contendersIn } from './backtest.ts'
import { measureColdStart } from './cold-start.ts'
import { today } from './defaults.ts'
import { compareEndings } from './ending.ts'
import { type Market, reordered } from './market.ts'
import { type CommandLine, parseCommandLine, usage, UsageError } from './options.ts'
import { readRecorded, type RecordedMarket } from './recorded.ts'
import { drawPlot } from './report/plot.ts'
import type { BacktestResult } from './report/backtest-result.ts'
import { printReport } from './report/report.ts'
import { profiles, stairProfiles, unseenProfiles } from './simulator/profiles.ts'
import { simulate } from './simulator/simulate.ts'
import { judgeDuels, judgePromises } from './verdict.ts'

const docs = new URL('../../../docs/results/', import.meta.url)
const quickBlocks = 1_000

function progress(line: string): void {
  process.stderr.write(`${line}\n`)
}

function run(
  { only, quick, seed, order }: CommandLine,
  recorded: readonly RecordedMarket[],
  args: readonly string[],
): BacktestResult {
  const simulated = order === 'forwards' || only !== undefined ? [...profiles, ...stairProfiles, ...unseenProfiles] : []
  const names = [...recorded, ...simulated].map(({ name }) => name)
  for (const name of only ?? []) {
    if (!names.includes(name)) throw new UsageError(`there is no data set ${name}: name some of ${names.join(', ')}`)
  }
  const chosen = <T extends { readonly name: string }>(all: readonly T[]): readonly T[] =>
    all.filter(({ name }) => only === undefined || only.includes(name))
  const replayed: readonly RecordedMarket[] = chosen(recorded).flatMap((market) => reordered(market, order))
  const markets: readonly Market[] = [
    ...replayed,
    ...chosen(simulated).flatMap((profile) => {
      progress(`${profile.name}: simulating`)
      const blocks = quick ? quickBlocks : profile.blocks
      return reordered(simulate({ ...profile, seed: profile.seed + seed }, blocks), order)
    }),
  ]
  const { measurements, byRegime } = backtest(markets, progress)
  const promises = wayleave.promises
  if (promises === undefined) throw new TypeError(`${wayleave.name} was expected to promise something`)
  return {
    date: today(),
    command: ['pnpm --filter @wayleave/backtest backtest', ...args].join(' '),
    markets: markets.map(({ name, kind, blocks, node }) => ({ name, kind, blocks: blocks.length, node })),
    promises,
    measurements,
    byRegime,
    coldStarts: replayed.flatMap(measureColdStart),
    promiseVerdicts: judgePromises(measurements, wayleave.name, promises),
    duelVerdicts: judgeDuels(measurements, wayleave.name, promises.medium.withinBlocks),
    endings: (order === 'forwards' ? replayed : []).flatMap((market) => compareEndings(market, contendersIn(market))),
  }
}

async function main(args: readonly string[]): Promise<void> {
  const options = parseCommandLine(args)
  if (options.help) {
    process.stdout.write(usage)
    return
  }
  const result = run(options, await readRecorded(), args)
  const report = printReport(result)
  process.stdout.write(options.json ? `${JSON.stringify(result, printBigInt)}\n` : report)
  if (!options.write) return
  for (const [name, text] of [
    ['backtest.md', report],
    ['backtest.svg', drawPlot(result)],
  ] as const) {
    const file = fileURLToPath(new URL(name, docs))
    await writeFile(file, text)
    progress(`written: ${file}`)
  }
}

function printBigInt(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? value.toString() : value
}

try {
  await main(process.argv.slice(2))
} catch (error) {
  process.stderr.write(`${error instanceof UsageError ? error.message : (error as Error).stack}\n`)
  process.exitCode = 1
}
