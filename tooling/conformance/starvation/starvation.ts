import { out, runProgram } from '@wayleave/bench/program'
import { printAlone, runAlone } from './alone.ts'
import { type CommandLine, parseCommandLine, usage } from './command-line.ts'
import { families } from './families/families.ts'
import { Unavailable } from './gateway.ts'
import { disturbances } from './noise.ts'
import { detailsOf, printLine, printTable } from './report.ts'
import { runCalmly } from './run-calmly.ts'
import type { FamilyResult } from './run-family.ts'

/* Attacks a gateway with the key of one project while another calls. Exits with 0 if all bars hold, 1 if not, 2 on wrong use. */

async function runFamilies(line: CommandLine): Promise<boolean> {
  const isTerminal = process.stdout.isTTY
  const results: FamilyResult[] = []
  let whole = true
  const stop = (): never => {
    // The families that were measured are not lost.
    if (!line.json) out(`\n${printTable(results)}`)
    process.exit(1)
  }
  process.once('SIGINT', stop).once('SIGTERM', stop)
  for (const family of line.families) {
    try {
      const result = await runCalmly(family, line, (text) => process.stderr.write(`${text}\n`))
      results.push(result)
      if (line.json) out(JSON.stringify({ ...result, disturbances: disturbances(result.noise) }))
      else if (isTerminal) process.stderr.write(`${printLine(result)}\n`)
      else out([printLine(result), ...detailsOf(result)].join('\n'))
    } catch (thrown) {
      // The others are measured all the same.
      whole = false
      const message = thrown instanceof Unavailable ? thrown.message : String(thrown)
      const { number, name } = family
      out(line.json ? JSON.stringify({ number, unavailable: message }) : `${number} ${name}: not measured: ${message}`)
    }
  }
  if (!line.json && isTerminal) out(results.flatMap(detailsOf).join('\n'))
  if (!line.json) out(`\n${printTable(results)}`)
  return whole && results.every(({ broken }) => broken.length === 0)
}

async function main(args: readonly string[]): Promise<number> {
  const line = parseCommandLine(args)
  if (line.list) for (const { number, name, does } of families) out(`${number}\t${name}\t${does}`)
  else if (line.alone) {
    const result = await runAlone(line.rounds)
    out(line.json ? JSON.stringify(result) : printAlone(result))
    return result.holds ? 0 : 1
  } else return (await runFamilies(line)) ? 0 : 1
  return 0
}

await runProgram(usage, main)
