import { out, runProgram } from '@wayleave/bench/program'
import { ethersClient } from './clients/ethers.ts'
import { plainClient } from './clients/plain.ts'
import type { TableClient } from './clients/table-client.ts'
import { viemClient } from './clients/viem.ts'
import { hasWeb3, web3PyClient } from './clients/web3-py.ts'
import { parseCommandLine, usage } from './command-line.ts'
import { faults } from './faults.ts'
import type { Miss } from './run-fault.ts'
import { runTable } from './run-table.ts'

/* Runs the faults of the table, and prints one line for each. Exits with 0 if all hold, 1 if one does not, 2 on wrong use. */

interface Row {
  readonly number: number
  readonly name: string
  readonly misses: readonly Miss[]
}

async function main(args: readonly string[]): Promise<number> {
  const { only, python, atOnce, list, json } = parseCommandLine(args)
  if (list) {
    for (const number of only) out(`${number}. ${faults[number - 1]!.name}: ${faults[number - 1]!.why}`)
    return 0
  }
  await using stack = new AsyncDisposableStack()
  const clients: TableClient[] = [plainClient(), viemClient(), ethersClient()]
  const skipped: string[] = []
  if (hasWeb3(python)) clients.push(stack.use(web3PyClient(python)))
  else skipped.push(`web3.py: ${python} has it not; pip install web3, and --python names another one`)
  for (const why of skipped) process.stderr.write(`not run: ${why}\n`)

  const chosen = only.map((number) => faults[number - 1]!)
  const rows: Row[] = []
  for (const [i, misses] of runTable(chosen, clients, atOnce).entries()) {
    const row = { number: only[i]!, name: chosen[i]!.name, misses: await misses }
    rows.push(row)
    if (!json) for (const text of printRow(row)) out(text)
  }
  const held = rows.filter(({ misses }) => misses.length === 0).length
  const names = clients.map(({ name }) => name)
  if (json) out(JSON.stringify({ clients: names, skipped, rows }))
  else out(`${held} of ${rows.length} hold, for ${names.join(', ')}`)
  return held === rows.length ? 0 : 1
}

function printRow({ number, name, misses }: Row): readonly string[] {
  return [
    `${misses.length === 0 ? 'holds ' : 'BROKEN'} ${String(number).padStart(2)} ${name}`,
    ...misses.map(({ client, setting, kind, sentence }) => `  ${client}, ${setting}, ${kind}: ${sentence}`),
  ]
}

await runProgram(usage, main)
