import { existsSync } from 'node:fs'
import { endingSignal, out, runProgram, report, UsageError } from '@wayleave/bench/program'
import { parseCommandLine, usage } from './command-line.ts'
import { erpc, erpcVersion } from './gateways/erpc.ts'
import type { Product } from './gateways/gateway.ts'
import { wayleave } from './gateways/wayleave.ts'
import { printResult } from './report.ts'
import { runScenario } from './run-scenario.ts'
import { scenarios } from './scenarios/scenarios.ts'

/* Measures the bars of the pool on processes. Exits with 0 if all of ours hold, 1 if one does not, 2 on wrong use. */

/** The gateways that can be measured here; tells which cannot. */
function productsOf(program: string | undefined): readonly Product[] {
  if (program === undefined) {
    report(`not run: eRPC: --erpc names its program; its README says how ${erpcVersion} is built`)
    return [wayleave]
  }
  if (!existsSync(program)) throw new UsageError(`--erpc takes the program of eRPC; there is no ${program}`)
  return [wayleave, erpc(program)]
}

async function main(args: readonly string[]): Promise<number> {
  const { erpc: program, only, seconds, calls, list, json } = parseCommandLine(args)
  if (list) {
    for (const { name, does } of scenarios) out(`${name}: ${does}`)
    return 0
  }
  const signal = endingSignal()
  const products = productsOf(program)
  let broken = 0
  for (const scenario of scenarios.filter(({ name }) => only.includes(name))) {
    report(`${scenario.name}: ${scenario.does}`)
    for (const product of products) {
      const result = await runScenario(scenario, product, { seconds, calls, signal })
      for (const text of json ? [JSON.stringify(result)] : printResult(result)) out(text)
      if (product === wayleave) broken += result.broken.length
    }
  }
  if (!json) out(broken === 0 ? 'all bars of Wayleave hold' : `${broken} bars of Wayleave do not hold`)
  return broken === 0 ? 0 : 1
}

await runProgram(usage, main)
