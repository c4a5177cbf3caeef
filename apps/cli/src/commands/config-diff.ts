import { type ConfigReport, diffConfig, inspectConfig, printProblem } from '@wayleave/gateway'
import type { CommandIo } from '../command.ts'
import { changeLine } from '../output/change-line.ts'

/** Prints the differences between two files that a reload would make. Resolves with the exit code, which is that of `diff`. */
export async function printDiff(files: readonly [string, string], isJson: boolean, io: CommandIo): Promise<number> {
  const reports = [await inspectConfig(files[0], io.env), await inspectConfig(files[1], io.env)] as const
  const [before, after] = reports.map(({ config }) => config)
  if (before === undefined || after === undefined) {
    if (isJson) io.stdout(`${JSON.stringify({ ok: false, problems: reports.flatMap(problemsWithFile(files)) })}\n`)
    else reports.forEach(({ problems }, i) => problems.forEach((it) => io.stderr(`${printProblem(it, files[i])}\n`)))
    return 2
  }
  const diff = diffConfig(before, after)
  if (isJson) io.stdout(`${JSON.stringify({ ok: true, ...diff })}\n`)
  else {
    const late = new Set(diff.needsRestart)
    for (const change of diff.changes) io.stdout(`${changeLine(change, late.has(change), io.process.stdout)}\n`)
    io.stderr(`${sumUp(diff.changes.length, late.size)}\n`)
  }
  return diff.changes.length === 0 ? 0 : 1
}

function problemsWithFile(files: readonly string[]): (report: ConfigReport, i: number) => readonly object[] {
  return ({ problems }, i) => problems.map((problem) => ({ file: files[i], ...problem }))
}

function sumUp(changes: number, needRestart: number): string {
  if (changes === 0) return 'no difference: a reload would change nothing'
  const count = changes === 1 ? 'one difference' : `${changes} differences`
  if (needRestart === 0) return `${count}: a reload would take ${changes === 1 ? 'it' : 'them'}`
  return `${count}: a reload would be refused, as ${needRestart === 1 ? 'one needs' : `${needRestart} need`} a restart`
}
