import { choiceOf, endingSignal, flag, out, readOptions, runProgram, report } from '@wayleave/bench/program'
import { holds } from '../pool-bars/measure/figure.ts'
import { type Result, runScenario } from './run-scenario.ts'
import { scenarios } from './scenarios.ts'
import { missingPostgres, missingRedis } from './servers.ts'

/* Measures the limits that two gateways share. Exits with 0 if all bars hold, 1 if one does not or cannot be measured, 2 on wrong use. */

const names = scenarios.map(({ name }) => name)

const usage = `pnpm --filter @wayleave/conformance shared-limits [options]

  --only NAME   a scenario: ${names.join(', ')}; may stand more than once (all)
  --json        one JSON object a line, for programs
`

function print({ scenario, figures, machine, ownDelay, failures }: Result): void {
  for (const each of figures) {
    const verdict = each.bar === undefined ? '' : ` (bar ${each.bar.printed}${holds(each) ? '' : ', BROKEN'})`
    out(`${scenario}: ${each.name}: ${each.printed}${verdict}`)
  }
  for (const [what, times] of Object.entries(failures)) out(`${scenario}: failed ${times} times: ${what}`)
  const stolen = machine.stolen === undefined ? 'unknown' : `${(machine.stolen * 100).toFixed(1)} %`
  out(
    `${scenario}: machine: ${machine.cores} cores, load ${machine.load.toFixed(1)}, stolen ${stolen}; ` +
      `callers late by ${ownDelay.p99.toFixed(0)} ms at p99, ${ownDelay.max.toFixed(0)} ms at most`,
  )
}

async function main(args: readonly string[]): Promise<number> {
  const { json, ...values } = readOptions(args, {
    only: { type: 'string', multiple: true, default: names },
    json: flag,
  })
  const only = values.only.map((name) => choiceOf('only', name, names))
  const missing = missingRedis() ?? missingPostgres()
  if (missing !== undefined) {
    report(`not measured: ${missing}`)
    return 1
  }
  const signal = endingSignal()
  let broken = 0
  for (const scenario of scenarios.filter(({ name }) => only.includes(name))) {
    report(`${scenario.name}: ${scenario.does}`)
    const result = await runScenario(scenario, signal)
    if (json) out(JSON.stringify(result))
    else print(result)
    broken += result.figures.filter((each) => !holds(each)).length
  }
  if (!json) out(broken === 0 ? 'all bars hold' : `${broken} bars do not hold`)
  return broken === 0 ? 0 : 1
}

await runProgram(usage, main)
