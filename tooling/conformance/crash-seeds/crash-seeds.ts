import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runProgram } from '@wayleave/bench/program'
// @boundaries-ignore Servers for tests are in no package.
import { missingPostgres, startPostgres } from '../../../packages/stores/test/postgres-server.ts'
import { parseCommandLine, usage } from './command-line.ts'
import { printSeeds, runSeeds, type SeedsResult } from './run-seeds.ts'

async function main(args: readonly string[]): Promise<number> {
  const { seeds, postgres, from, atOnce } = parseCommandLine(args)
  await using stack = new AsyncDisposableStack()
  const folder = stack.adopt(await mkdtemp(join(tmpdir(), 'crash-seeds-')), (path) =>
    rm(path, { recursive: true, force: true }),
  )
  let done = 0
  const onResult = (): void => {
    if (++done % 100 === 0) console.error(`${done} seeds done`)
  }
  const results: SeedsResult[] = []
  if (seeds > 0) {
    results.push(await runSeeds({ from, seeds, postgres: undefined, atOnce, folder, onResult }))
    console.log(printSeeds('sqlite', results.at(-1)!))
  }
  const missing = postgres > 0 ? missingPostgres() : undefined
  if (missing !== undefined) console.log(`postgres: not run, ${missing}`)
  else if (postgres > 0) {
    await using server = await startPostgres()
    const url = await server.createDatabase('usage')
    results.push(await runSeeds({ from, seeds: postgres, postgres: url, atOnce, folder, onResult }))
    console.log(printSeeds('postgres', results.at(-1)!))
  }
  return results.some(({ wrong, kills }) => wrong.length > 0 || kills === 0) ? 1 : 0
}

await runProgram(usage, main)
