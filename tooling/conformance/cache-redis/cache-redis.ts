import { readOptions, runProgram, text, wholeOf } from '@wayleave/bench/program'
import { faults } from './faults.ts'
import { missingRedis, startRedis } from './redis.ts'
import { type Phase, runPhase } from './run-phase.ts'

/* Measures what faults of the Redis behind the cache cost callers. Exits with 0 if the bars hold, 1 if one does not or it could not run, 2 on wrong use. */

const usage = `pnpm --filter @wayleave/conformance cache-redis [--seconds 20] [--rate 400] [--seed 1]

  --seconds   the time of each phase
  --rate      calls a second, of two replicas together
  --seed      the seed of the load
`
const mostSlowdown = 2

async function main(args: readonly string[]): Promise<number> {
  const values = readOptions(args, { seconds: text('20'), rate: text('400'), seed: text('1') })
  const seconds = wholeOf('seconds', values.seconds, 1)
  const callsPerSecond = wholeOf('rate', values.rate, 1)
  const seed = wholeOf('seed', values.seed, 1)
  const missing = missingRedis()
  if (missing !== undefined) {
    process.stderr.write(`${missing}\n`)
    return 1
  }
  await using redis = await startRedis()
  const broken: string[] = []
  const row = (...cells: readonly (string | number)[]): void => void process.stdout.write(`| ${cells.join(' | ')} |\n`)
  const report = (name: string, phase: Phase): void =>
    row(
      name,
      phase.calls,
      phase.failed,
      phase.wrong,
      `${((100 * phase.upstream) / phase.calls).toFixed(1)} %`,
      phase.shared,
      phase.p50Ms.toFixed(1),
      phase.p99Ms.toFixed(1),
    )
  row('Redis', 'calls', 'failed', 'wrong', 'to the upstream', 'answered by Redis', 'p50, ms', 'p99, ms')
  process.stdout.write('|---|--:|--:|--:|--:|--:|--:|--:|\n')
  const own = { seconds, callsPerSecond, seed }
  const none = await runPhase({ ...own, redis: undefined, fault: faults[0]! })
  report('none', none)
  let well: Phase | undefined
  for (const fault of faults) {
    const phase = await runPhase({ ...own, redis, fault })
    report(fault.name, phase)
    well ??= phase
    if (phase.failed + phase.wrong > 0) broken.push(`${fault.name}: ${phase.failed} failed, ${phase.wrong} wrong`)
    if (phase.p99Ms > mostSlowdown * well.p99Ms)
      broken.push(`${fault.name}: p99 ${phase.p99Ms.toFixed(1)} ms, ${well.p99Ms.toFixed(1)} ms while Redis is well`)
  }
  for (const what of broken) process.stdout.write(`BROKEN ${what}\n`)
  process.stdout.write(broken.length === 0 ? 'all bars hold\n' : `${broken.length} bars do not hold\n`)
  return broken.length === 0 ? 0 : 1
}

await runProgram(usage, main)
