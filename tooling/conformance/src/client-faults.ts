import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { FaultCase } from './client-faults/fault-case.ts'
import { type CaseOutcome, faultCases, runCase } from './client-faults/run-case.ts'
import type { Subject } from './client-faults/subject.ts'
import { ethers } from './client-faults/subjects/ethers.ts'
import { viem } from './client-faults/subjects/viem.ts'
import { wayleave } from './client-faults/subjects/wayleave.ts'
import { web3 } from './client-faults/subjects/web3.ts'

/*
 * Runs the cases against this project's client and the other installed libraries, and prints a table. Arguments are numbers
 * of cases; none means all. Each run of a case has a process of its own, because some clients continue to work on it when
 * it is over. That process is this program again, with the library's name in its environment.
 */

const subjects: readonly Subject[] = [wayleave, viem, ethers, web3]
const variable = 'CLIENT_FAULTS_SUBJECT'

const chosen = process.argv.slice(2).map(Number)
const cases = faultCases.filter(({ number }) => chosen.length === 0 || chosen.includes(number))

/** Runs the case in the child process, and sends the outcome to the parent. */
async function runHere(name: string): Promise<void> {
  // Some libraries throw uncatchable errors once a connection has gone. The case itself judges the client.
  process.on('uncaughtException', () => {})
  process.on('unhandledRejection', () => {})
  process.send!(
    await runCase(
      cases[0]!,
      subjects.find((each) => each.name === name)!,
    ),
  )
}

async function runApart({ number }: FaultCase, { name }: Subject): Promise<CaseOutcome> {
  const child = fork(fileURLToPath(import.meta.url), [`${number}`], {
    env: { ...process.env, [variable]: name },
    // Output that libraries print about failures is not part of the table.
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  const outcome = await Promise.race([
    once(child, 'message').then(([sent]) => sent as CaseOutcome),
    once(child, 'exit').then((): CaseOutcome => ({ outcome: 'fail', note: 'its process ended' })),
  ])
  child.kill('SIGKILL')
  process.stderr.write(`${number} ${name}: ${outcome.outcome} ${outcome.note}\n`)
  return outcome
}

function titleOf({ name }: Subject): string {
  if (name === wayleave.name) return name
  const manifest = readFileSync(new URL(`../node_modules/${name}/package.json`, import.meta.url), 'utf8')
  return `${name} ${(JSON.parse(manifest) as { version: string }).version}`
}

function printTable(columns: readonly (readonly CaseOutcome[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
  const passed = (column: readonly CaseOutcome[]): number => column.filter(({ outcome }) => outcome === 'pass').length
  return [
    line(['', 'a client …', ...subjects.map(titleOf)]),
    line(['--:', '---', ...subjects.map(() => '---')]),
    ...cases.map(({ number, title }, i) => line([`${number}`, title, ...columns.map((column) => column[i]!.outcome)])),
    line(['', '**passed**', ...columns.map((column) => `**${passed(column)} of ${cases.length}**`)]),
  ].join('\n')
}

function printNotes(columns: readonly (readonly CaseOutcome[])[]): string {
  return cases
    .flatMap((each: FaultCase, i) =>
      subjects.flatMap(({ name }, j) => {
        const { outcome, note } = columns[j]![i]!
        return outcome === 'pass' ? [] : [`- ${each.number}, ${name}: ${note}`]
      }),
    )
    .join('\n')
}

const name = process.env[variable]
if (name === undefined) {
  const columns: CaseOutcome[][] = subjects.map(() => [])
  for (const each of cases) {
    for (const [i, subject] of subjects.entries()) columns[i]!.push(await runApart(each, subject))
  }
  process.stdout.write(`${printTable(columns)}\n\n${printNotes(columns)}\n`)
} else await runHere(name)
