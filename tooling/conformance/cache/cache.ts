import { existsSync } from 'node:fs'
import {
  choiceOf,
  endingSignal,
  out,
  readOptions,
  runProgram,
  report,
  text,
  UsageError,
  wholeOf,
} from '@wayleave/bench/program'
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

async function main(args: readonly string[]): Promise<number> {
  const values = readOptions(args, {
    erpc: { type: 'string' },
    only: { type: 'string', multiple: true, default: parts },
    rounds: text('12'),
    calls: text('100000'),
    pace: text('6'),
  })
  const { erpc: program } = values
  const only = values.only.map((part) => choiceOf('only', part, parts))
  const rounds = wholeOf('rounds', values.rounds, 1)
  const calls = wholeOf('calls', values.calls, 1)
  const pace = wholeOf('pace', values.pace, 1)
  if (12 % pace !== 0) throw new UsageError(`--pace takes a number that divides 12, not ${pace}`)
  if (program === undefined) report(`not run: eRPC: --erpc names its program, ${erpcVersion}`)
  else if (!existsSync(program)) throw new UsageError(`--erpc takes the program of eRPC; there is no ${program}`)
  const signal = endingSignal()
  const theirs = program === undefined ? undefined : erpc(program)
  const machine = watchMachine()
  let broken = 0
  if (only.includes('cpu'))
    broken += judge(await measureCpu({ erpc: theirs, rounds, secondsEach: 1, signal, progress: report }))
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

await runProgram(usage, main)
