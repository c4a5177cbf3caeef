import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { judgeBars } from './bars.ts'
import { runBench } from './bench.ts'
import { systemClock } from './defaults.ts'
import { BenchError } from './error.ts'
import { describeMachine } from './machine.ts'
import { type CommandLine, fewestRounds, parseCommandLine, usage } from './options.ts'
import { type BenchResult, printReport } from './report.ts'
import { caller, createStages } from './stages.ts'
import { bareProxy } from './subjects/bare-proxy.ts'
import { erpc } from './subjects/erpc.ts'
import { gateway, gatewayKind } from './subjects/gateway.ts'
import { nginx, nginxTuned } from './subjects/nginx.ts'
import { straight } from './subjects/straight.ts'
import { type SubjectKind, suites } from './subjects/subject.ts'
import { timeStages } from './time-stages.ts'
import { openWholeWay } from './whole-way.ts'

const docs = fileURLToPath(new URL('../../../docs/results/', import.meta.url))
const plain = gatewayKind({ name: 'plain gateway', isPlain: true })
const stageIterations = 200_000

function progress(line: string): void {
  process.stderr.write(`${line}\n`)
}

async function measure(options: CommandLine, args: readonly string[]): Promise<BenchResult> {
  const chosen = choose(options)
  const missing = chosen.flatMap((kind) => kind.missing() ?? [])
  const present = chosen.filter((kind) => kind.missing() === undefined)
  const chosenSuites = suites.filter((suite) => options.only?.includes(suite) ?? true)
  for (const kind of present) {
    const without = chosenSuites.filter((suite) => kind.suites?.includes(suite) === false)
    if (without.length > 0 && kind.name !== nginxTuned.name)
      missing.push(`${kind.name} in ${without.join(', ')}: ${kind.onlyThere}`)
  }
  for (const reason of missing) progress(`skipped: ${reason}`)
  const machine = describeMachine()
  const date = systemClock.date().toISOString().slice(0, 10)
  const { measurements, discarded } = await runBench({
    ...options,
    subjects: present,
    suites: chosenSuites,
    clock: systemClock,
    progress,
  })
  const timesStages = options.only?.includes('stages') ?? true
  if (timesStages) progress('timing stages')
  await using whole = timesStages ? await openWholeWay(caller) : undefined
  const stages = whole
    ? await timeStages([...createStages(), whole.stage], options.quick ? 2_000 : stageIterations, systemClock)
    : []
  return {
    date,
    command: ['node --conditions=@wayleave/source tooling/bench/src/main.ts', ...args].join(' '),
    machine,
    caveat: explainCaveat(options),
    rounds: options.rounds,
    seconds: options.seconds,
    rate: options.rate,
    connections: options.connections,
    subscribers: options.subscribers,
    subjects: present.map((kind) => kind.name),
    skipped: missing,
    measurements,
    discarded,
    stages,
  }
}

function knownKinds({ workers, before }: CommandLine): readonly SubjectKind[] {
  return [
    straight,
    nginx,
    nginxTuned,
    bareProxy,
    erpc(process.env['ERPC']),
    gateway,
    plain,
    ...(workers === undefined ? [] : [gatewayKind({ name: `gateway, ${workers} workers`, workers })]),
    ...(before === undefined ? [] : [gatewayKind({ name: 'gateway before', root: before })]),
  ]
}

function choose(options: CommandLine): readonly SubjectKind[] {
  const { subjects, only } = options
  if (only?.every((part) => part === 'stages')) return []
  const known = knownKinds(options)
  for (const name of subjects ?? []) {
    if (!known.some((kind) => kind.name === name))
      throw new BenchError('usage', `there is no subject ${name}\n\n${usage}`)
  }
  return known.filter((kind) => subjects === undefined || subjects.includes(kind.name))
}

function explainCaveat({ quick, rounds }: CommandLine): string | undefined {
  if (quick) return 'a quick run only shows that the harness works'
  return rounds < fewestRounds ? `${rounds} rounds are fewer than ${fewestRounds}` : undefined
}

async function main(args: readonly string[]): Promise<void> {
  const options = parseCommandLine(args)
  if (options.help) {
    process.stdout.write(usage)
    return
  }
  const result = await measure(options, args)
  const report = printReport(result)
  process.stdout.write(
    options.json ? `${JSON.stringify({ ...result, bars: judgeBars(result.measurements, result.stages) })}\n` : report,
  )
  if (!options.write) return
  await mkdir(docs, { recursive: true })
  const file = join(docs, 'bench.md')
  await writeFile(file, report)
  progress(`written: ${file}`)
}

// Each process of the bench ends with it.
process.setMaxListeners(100)
process.once('SIGINT', () => process.exit(130))
process.once('SIGTERM', () => process.exit(143))
try {
  await main(process.argv.slice(2))
} catch (error) {
  process.stderr.write(`${error instanceof BenchError ? error.message : (error as Error).stack}\n`)
  process.exit(1)
}
