import { existsSync } from 'node:fs'
import { parseCommandLine, usage, UsageError } from './command-line.ts'
import { erpc, erpcVersion } from './gateways/erpc.ts'
import type { Product } from './gateways/gateway.ts'
import { wayleave } from './gateways/wayleave.ts'
import { printResult } from './report.ts'
import { runScenario } from './run-scenario.ts'
import { scenarios } from './scenarios/scenarios.ts'

/* Measures the bars of the pool on processes. Exits with 0 if all of ours hold, 1 if one does not, 2 on wrong use. */

const out = (line: string): void => void process.stdout.write(`${line}\n`)
const tell = (line: string): void => void process.stderr.write(`${line}\n`)

/** The gateways that can be measured here; tells which cannot. */
function productsOf(program: string | undefined): readonly Product[] {
  if (program === undefined) {
    tell(`not run: eRPC: --erpc names its program; its README says how ${erpcVersion} is built`)
    return [wayleave]
  }
  if (!existsSync(program)) throw new UsageError(`--erpc takes the program of eRPC; there is no ${program}`)
  return [wayleave, erpc(program)]
}

async function main(): Promise<number> {
  const { erpc: program, only, seconds, calls, list, json, help } = parseCommandLine(process.argv.slice(2))
  if (help || list) {
    for (const text of help ? [usage] : scenarios.map(({ name, does }) => `${name}: ${does}`)) out(text)
    return 0
  }
  const ending = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => ending.abort(new Error(`ended by ${signal}`)))
  }
  const products = productsOf(program)
  let broken = 0
  for (const scenario of scenarios.filter(({ name }) => only.includes(name))) {
    tell(`${scenario.name}: ${scenario.does}`)
    for (const product of products) {
      const result = await runScenario(scenario, product, { seconds, calls, signal: ending.signal })
      for (const text of json ? [JSON.stringify(result)] : printResult(result)) out(text)
      if (product === wayleave) broken += result.broken.length
    }
  }
  if (!json) out(broken === 0 ? 'all bars of Wayleave hold' : `${broken} bars of Wayleave do not hold`)
  return broken === 0 ? 0 : 1
}

try {
  process.exitCode = await main()
} catch (thrown) {
  if (!(thrown instanceof UsageError)) throw thrown
  tell(thrown.message)
  process.exitCode = 2
}
