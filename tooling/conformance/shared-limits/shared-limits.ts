import { parseArgs } from 'node:util'
import { holds } from '../pool-bars/measure/figure.ts'
import { type Result, runScenario } from './run-scenario.ts'
import { scenarios } from './scenarios.ts'
import { missingPostgres, missingRedis } from './servers.ts'

/* Measures the limits that two gateways share. Exits with 0 if all bars hold, 1 if one does not or cannot be measured, 2 on wrong use. */

const usage = `pnpm --filter @wayleave/conformance shared-limits [options]

  --only NAME   a scenario: ${scenarios.map(({ name }) => name).join(', ')}; may stand more than once (all)
  --json        one JSON object a line, for programs
`
const out = (line: string): void => void process.stdout.write(`${line}\n`)
const tell = (line: string): void => void process.stderr.write(`${line}\n`)

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

async function main(): Promise<number> {
  const args = process.argv.slice(2)
  let options
  try {
    options = parseArgs({
      // pnpm passes the `--` on that stands before options.
      args: args[0] === '--' ? args.slice(1) : args,
      options: {
        only: { type: 'string', multiple: true },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    }).values
  } catch (thrown) {
    tell(`${(thrown as Error).message}\n\n${usage}`)
    return 2
  }
  const { only = scenarios.map(({ name }) => name), json, help } = options
  if (help) {
    out(usage)
    return 0
  }
  const unknown = only.find((name) => !scenarios.some((each) => each.name === name))
  if (unknown !== undefined) {
    tell(`--only takes ${scenarios.map(({ name }) => name).join(', ')}, not ${unknown}`)
    return 2
  }
  const missing = missingRedis() ?? missingPostgres()
  if (missing !== undefined) {
    tell(`not measured: ${missing}`)
    return 1
  }
  const ending = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => ending.abort(new Error(`ended by ${signal}`)))
  }
  let broken = 0
  for (const scenario of scenarios.filter(({ name }) => only.includes(name))) {
    tell(`${scenario.name}: ${scenario.does}`)
    const result = await runScenario(scenario, ending.signal)
    if (json) out(JSON.stringify(result))
    else print(result)
    broken += result.figures.filter((each) => !holds(each)).length
  }
  if (!json) out(broken === 0 ? 'all bars hold' : `${broken} bars do not hold`)
  return broken === 0 ? 0 : 1
}

process.exitCode = await main()
